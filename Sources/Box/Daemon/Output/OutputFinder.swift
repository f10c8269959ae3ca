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

  /// The waits between looks for an output that has not been there yet.
  var backOff = BackOff(first: 250_000_000, longest: 5_000_000_000)
  /// The waits between looks for another one in place of one that is lost.
  var replacementBackOff = BackOff(first: returnNanoseconds, longest: 5_000_000_000)
  /// The settings that a start went by which did not know the configuration; nil after another start.
  var lateSettings: Settings?

  /// The output, or a stand-in that says why it is not there.
  static func open(_ settings: Settings, on machine: any Machine) throws(SystemError) -> OpenOutput {
    do throws(OutputError) {
      return try machine.openOutput(settings.outputDevice, options(settings))
    } catch {
      return try standIn(settings, error.description, on: machine)
    }
  }

  /// What stands in for an output that is not there, and says why.
  static func standIn(
    _ settings: Settings, _ reason: String, on machine: any Machine
  ) throws(SystemError) -> OpenOutput {
    let rate = settings.outputRate ?? SampleRate(44100)
    return OpenOutput(
      device: try machine.missingOutput(rate: rate), summary: "none: " + reason, missing: reason)
  }

  /// What the settings ask of the output.
  static func options(_ settings: Settings) -> OutputOptions {
    var options = OutputOptions(rate: settings.outputRate ?? SampleRate(44100))
    options.allowsOtherRates = settings.outputRate == nil
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

/// One look for an output, which tells nobody any more once it is let go of.
final class OutputSearch {
  private final class Listener {
    var tell: ((OpenOutput?) -> Void)?
  }

  private let listener = Listener()

  /// Looks for what the settings name. `then` may be called before this returns, or long after.
  func begin(_ settings: Settings, on machine: any Machine, then: @escaping (OpenOutput?) -> Void) {
    listener.tell = then
    machine.openOutput(settings.outputDevice, OutputFinder.options(settings)) { [listener] in
      let tell = listener.tell
      listener.tell = nil
      tell?($0)
    }
  }

  deinit { listener.tell = nil }
}

extension Setting {
  /// Whether it says which output is opened, and how.
  var isOfOutput: Bool {
    switch self {
    case .outputDevice, .outputRate, .outputFormat, .outputMode, .outputPeriod, .outputBuffer: true
    default: false
    }
  }
}
