// Opens the output that the settings name, and says when to look again where it is not there.
// Control thread; opening a card takes some milliseconds.

import Console
import Outputs
import PlaybackModel
import Platform
import RealtimeAudio
import SwiftletEngine

/// Looks for the sound card.
struct OutputFinder {
  /// How long a lost card has to come back as it was before another one in its place will do.
  static let returnNanoseconds: UInt64 = 3_000_000_000

  /// The waits between looks.
  var backOff = BackOff(first: 250_000_000, longest: 5_000_000_000)

  /// The output, or a stand-in that says why it is not there.
  static func open(_ settings: Settings, on machine: any Machine) throws(SystemError) -> OpenOutput {
    do throws(OutputError) {
      return try find(settings, on: machine)
    } catch {
      let rate = settings.outputRate ?? SampleRate(44100)
      return OpenOutput(
        device: try machine.missingOutput(rate: rate), summary: "none: " + error.description,
        missing: error.description)
    }
  }

  /// The output that the settings name.
  static func find(_ settings: Settings, on machine: any Machine) throws(OutputError) -> OpenOutput {
    try OpenOutput.opened(
      at: settings.outputRate ?? SampleRate(44100), isFixed: settings.outputRate != nil
    ) { rate throws(OutputError) in
      try machine.openOutput(settings.outputDevice, options(settings, at: rate))
    }
  }

  private static func options(_ settings: Settings, at rate: SampleRate) -> OutputOptions {
    var options = OutputOptions(rate: rate)
    options.format = SampleFormat.allCases.first { $0.name == settings.outputFormat }
    options.period = settings.outputPeriod
    options.buffer = settings.outputBuffer
    options.mode =
      switch settings.outputMode {
      case "deep": .deep
      case "shallow": .shallow
      default: .automatic
      }
    return options
  }
}
