// Command-line options of `swiftlet sim`, and their help text. Main thread.

import Platform

/// Parsed options.
struct SimOptions {
  static let help = """
    swiftlet sim [--board NAME] [--device NAME] [--media FOLDER] [--state FOLDER]
      Simulates a box: runs the daemon, draws a board's buttons, knob and lights in
      this terminal, and shows its serial console below them. F1, F2 … press the
      buttons, and so do Alt-1, Alt-2 … With Shift, a key holds its button down
      until you press the key alone (for long presses and chords; terminals that
      report key releases, such as kitty, foot or WezTerm, need no Shift). PgUp and
      PgDn turn the knob. Ctrl-C exits.

      --board NAME     the board whose buttons and bindings to use (default: sim)
      --device NAME    the ALSA device (default: default; null: no sound)
      --media FOLDER   the folder with the music (default: the working directory)
      --play           play what is in the folder at once
      --state FOLDER   keep configuration and position there for the next time

    """

  var board = "sim"
  var device = "default"
  var media: String
  var state: String?
  var playsAtOnce = false

  enum Reading {
    case options(SimOptions)
    case help
    case refused(String)
  }

  static func read(_ arguments: [String]) -> Reading {
    var options = SimOptions(media: Executable.workingFolder)
    do throws(UsageError) {
      var words = OptionWords(arguments)
      while let word = try words.next() {
        switch word {
        case "--help", "-h": return .help
        case "--board": options.board = try words.value()
        case "--device": options.device = try words.value()
        case "--media": options.media = Executable.absolute(try words.value())
        case "--play": options.playsAtOnce = true
        case "--state": options.state = Executable.absolute(try words.value())
        default: return .refused("there is no option '\(word)'")
        }
      }
    } catch {
      return .refused(error.sentence)
    }
    return .options(options)
  }
}
