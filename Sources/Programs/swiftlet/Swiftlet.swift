// Entry point of the executable: dispatches to the subcommands. Main thread.

import CLinux
import Checkpoints
import Console
import Decoding
import Library
import Media
import Outputs
import Pictures
import Platform
import NFC
import SnapcastClient
import Streaming
import SwiftletEngine

@main
struct Swiftlet {
  static let version = "0.3.0"

  static let help = """
    swiftlet: a playback engine for speaker boxes

      swiftlet play FILE|FOLDER|URL…       play files and streams in this terminal
      swiftlet run [--config FILE]         run the daemon of a box
      swiftlet sim [--board NAME]          simulate a box: keys are its buttons
      swiftlet boards                      list the known boards
      swiftlet ctl COMMAND…                give the daemon a command
      swiftlet serve mpd                   let clients of MPD use the daemon
      swiftlet serve mqtt --host HOST      publish what the daemon does by MQTT
      swiftlet serve discovery --mpd …     announce an MPD server in the network
      swiftlet eq [--plot FILE.svg]        show or draw the speaker's correction
      swiftlet card --from FILE …          apply a card's configuration file
      swiftlet doctor                      check this machine, say what to do next
      swiftlet probe FILE…                 show what files are
      swiftlet codecs                      list the codec plugins
      swiftlet states [--dot|--svg]        print the player's states
      swiftlet help [TOPIC]                explain a subcommand, command or setting
      swiftlet version                     print the version

    """

  /// Subcommands that the daemon and the player run as child processes.
  private static let helpers = [
    "worker", "fetch", "capture", "room", "reader", "store", "serve", LookupQuestion.subcommand,
    LibraryRequest.subcommand, LibraryUpdateTask.subcommand, PictureQuestion.subcommand,
  ]

  static func main() {
    Heap.shareAmongThreads()
    let arguments = Arguments.all()
    if arguments.count > 1, helpers.contains(arguments[1]) { HelperSignals.ignore() }
    Engine.runWorkerIfAsked()
    let rest = Array(arguments.dropFirst(2))
    switch arguments.dropFirst().first {
    case "play": exit(PlayCommandLine.run(rest))
    case "worker": exit(CodecWorkerMain.run(rest))
    case "fetch": exit(FetcherMain.run(rest))
    case "capture": exit(Capture.run(rest))
    case "room": exit(SnapcastMain.run(rest))
    case "reader": exit(ReaderMain.run(rest))
    case "lookup": exit(LookupMain.run(rest))
    case "library": exit(LibraryMain.answer(rest))
    case "library-update": exit(LibraryMain.update(rest))
    case "picture": exit(PictureMain.run(rest))
    case "store": exit(StoreMain.run(rest))
    case "probe": exit(ProbeCommand.run(rest))
    case "codecs": exit(CodecsCommand.run(rest))
    case "states": exit(StatesCommand.run(rest))
    case "version" where HelpCommand.isAsked(rest): HelpCommand.show("version")
    case "version", "--version": TextOutput.standardOutput.line("swiftlet \(version)")
    case "run": exit(RunCommand.run(rest))
    case "sim": exit(SimCommand.run(rest))
    case "boards": exit(BoardsCommand.run(rest))
    case "serve": exit(ServeCommand.run(rest))
    case "ctl": exit(ControlCommand.run(rest))
    case "eq": exit(EqualizerCommand.run(rest))
    case "card": exit(CardCommand.run(rest))
    case "doctor": exit(DoctorCommand.run(rest))
    case "help" where rest == ["--markdown"]: TextOutput.standardOutput.write(Reference.markdown)
    case "help" where rest == ["--lights"]: TextOutput.standardOutput.write(LightReference.markdown)
    case "help" where rest == ["--man"]: exit(ManualCommand.run())
    case "help" where rest.first == "--words": exit(WordsCommand.run(Array(rest.dropFirst())))
    case "help": exit(HelpCommand.run(rest))
    case "--help", "-h": TextOutput.standardOutput.write(help)
    case nil:
      TextOutput.standardError.write(help)
      exit(64)
    case let other?:
      TextOutput.standardError.write(
        "swiftlet: there is no command '\(other.printable())'\(HelpCommand.hint(other))".asSentence + "\n"
          + help)
      exit(64)
    }
  }
}
