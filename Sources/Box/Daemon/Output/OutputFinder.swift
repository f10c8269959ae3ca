// Opens the configured output device, and holds the retry delays for a missing one. Control thread; opening a card
// takes some milliseconds.

import Console
import Outputs
import PlaybackModel
import Platform
import RealtimeAudio
import SwiftletEngine

/// Opens outputs and schedules retries.
struct OutputFinder {
  /// Nanoseconds that a lost card has to reappear before a different one may replace it.
  static let returnNanoseconds: UInt64 = 3_000_000_000

  /// Backoff of searches for an output that was never present.
  var backOff = BackOff(first: 250_000_000, longest: 5_000_000_000)
  /// Backoff of searches for a replacement of a lost output.
  var replacementBackOff = BackOff(first: returnNanoseconds, longest: 5_000_000_000)
  /// Settings used by a start without the configuration; nil if the configuration was loaded in time.
  var lateSettings: Settings?

  /// Opens the configured output, or a placeholder with the reason.
  static func open(_ settings: Settings, on machine: any Machine) throws(SystemError) -> OpenOutput {
    do throws(OutputError) {
      return try machine.openOutput(settings.outputDevice, options(settings))
    } catch {
      return try standIn(settings, error.description, on: machine)
    }
  }

  /// Placeholder for a missing output.
  ///
  /// - Parameters:
  ///   - settings: Supply the sample rate.
  ///   - reason: Why the output is missing.
  ///   - machine: Creates the device.
  /// - Returns: An output that plays nothing.
  /// - Throws: `SystemError` if it cannot be created.
  static func standIn(
    _ settings: Settings, _ reason: String, on machine: any Machine
  ) throws(SystemError) -> OpenOutput {
    let rate = settings.outputRate ?? SampleRate(44100)
    return OpenOutput(
      device: try machine.missingOutput(rate: rate), summary: "none: " + reason, missing: reason)
  }

  /// Output options from the settings.
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

/// One search for an output; releasing it cancels the callback.
final class OutputSearch {
  private final class Listener {
    var tell: ((OpenOutput?) -> Void)?
  }

  private let listener = Listener()

  /// Starts opening the configured output.
  ///
  /// - Parameters:
  ///   - settings: Name and options of the output.
  ///   - machine: Opens the output.
  ///   - then: Receives the output, or nil on failure; may be called before this returns.
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
  /// Whether the setting selects the output device or how it is opened.
  var isOfOutput: Bool {
    switch self {
    case .outputDevice, .outputRate, .outputFormat, .outputMode, .outputPeriod, .outputBuffer: true
    default: false
    }
  }
}
