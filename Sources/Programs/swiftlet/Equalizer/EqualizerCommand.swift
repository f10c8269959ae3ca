// `swiftlet eq`: prints or plots the speaker correction of the daemon or of a configuration file. Main thread; blocks
// on the control socket.

import CLinux
import Console
import Daemon
import PlaybackModel
import Platform

/// The subcommand `eq`.
enum EqualizerCommand {
  static let help = """
    swiftlet eq [--plot FILE.svg] [--rate HZ] [--config FILE | --socket PATH]
      Shows equaliser, high-pass and loudness of the running daemon, and the
      headroom that they need; without a daemon, those of its configuration file.
      'swiftlet help eq' explains the console's command that sets them.

      --plot FILE.svg  draw the response into a file; replaces it
      --rate HZ        compute for this sample rate (default: that of
                       output.rate, or 44100)
      --config FILE    show what this file sets, not what the daemon plays with
      --socket PATH    the daemon's socket, as for 'swiftlet ctl'

    """

  static func run(_ arguments: [String]) -> Int32 {
    var file: String?
    var socket = Environment.value("SWIFTLET_SOCKET")
    var plot: String?
    var rate: SampleRate?
    do throws(UsageError) {
      var words = OptionWords(arguments)
      while let word = try words.next() {
        switch word {
        case "--help", "-h":
          TextOutput.standardOutput.write(help)
          return 0
        case "--plot": plot = try words.value("a file")
        case "--config": file = try words.value("a file")
        case "--socket": socket = try words.value("a path")
        case "--rate":
          let text = try words.value("a rate")
          guard let hertz = Int(text), hertz >= 8000, hertz <= 384_000 else {
            throw UsageError("--rate \(text): expected a number from 8000 to 384000")
          }
          rate = SampleRate(hertz)
        default: throw UsageError("there is no option '\(word)'")
        }
      }
    } catch {
      TextOutput.standardError.write("swiftlet eq: \(error.sentence.asSentence)\n" + help)
      return 64
    }
    do throws(SystemError) {
      let settings = try settings(file: file, socket: socket)
      let wanted = rate ?? settings.outputRate ?? SampleRate(44100)
      if let plot {
        let svg = ResponsePlot(correction: settings.speakerCorrection, rate: wanted).svg
        try LinuxFiles().replace(plot, with: Array(svg.utf8))
      }
      ControlClient.show(.ok(SpeakerReport(settings, rate: wanted).answer), .text)
      return 0
    } catch {
      TextOutput.standardError.line("swiftlet eq: \(error.description)")
      return 66
    }
  }

  /// Settings of the file, or else of the running daemon, or else of the default configuration file.
  private static func settings(file: String?, socket: String?) throws(SystemError) -> Settings {
    if let file { return try read(file) }
    if let settings = daemonSettings(socket) { return settings }
    for path in RunCommand.configurations where access(path, F_OK) == 0 { return try read(path) }
    return Settings()
  }

  private static func read(_ path: String) throws(SystemError) -> Settings {
    let bytes = try LinuxFiles().read(path, limit: Configuration.maxFileBytes + 1)
    return Configuration(bytes) { BoardProfiles.text(of: $0) }.settings
  }

  /// Settings of the daemon: `show` prints them as `set` commands, which are parsed and applied.
  private static func daemonSettings(_ socket: String?) -> Settings? {
    guard var client = try? ControlClient.connected(to: socket, .text) else { return nil }
    var settings = Settings()
    for group in ["eq", "speaker", "loudness", "output.rate"] {
      guard let lines = try? client.answer(to: "show " + group) else { return nil }
      for line in lines {
        guard case .set(let setting, let value)? = try? Interpreter.parse(line) else { continue }
        try? settings.set(setting, to: value)
      }
    }
    return settings
  }
}
