// Opens the output that the settings name, and waits for it with growing patience where it is not there.
// Control thread; opening a card takes some milliseconds.

import Console
import Outputs
import PlaybackModel
import Platform
import RealtimeAudio

/// Looks for the sound card.
struct OutputFinder {
  static let firstWait: UInt64 = 250_000_000
  /// How long a lost card has to come back as it was before another one in its place will do.
  static let patience: UInt64 = 3_000_000_000
  static let longestWait: UInt64 = 5_000_000_000

  /// Nanoseconds until the next look.
  private(set) var wait = OutputFinder.firstWait

  /// The wait before the next look; each is twice as long as the one before, up to 5 s.
  mutating func nextWait() -> UInt64 {
    defer { wait = min(wait * 2, Self.longestWait) }
    return wait
  }

  /// The output, or a stand-in that says why it is not there.
  static func open(_ settings: Settings) throws(SystemError) -> OpenOutput {
    do throws(OutputError) {
      return try find(settings)
    } catch {
      let rate = settings.outputRate ?? SampleRate(44100)
      return OpenOutput(
        device: try MissingDevice(rate: rate), summary: "none: " + error.description,
        missing: error.description)
    }
  }

  /// The output that the settings name.
  static func find(_ settings: Settings) throws(OutputError) -> OpenOutput {
    var refusal: OutputError?
    for rate in settings.outputRate.map({ [$0] }) ?? [44100, 48000, 96000].map(SampleRate.init) {
      do throws(OutputError) {
        return try open(settings, at: rate)
      } catch {
        // A card that is not there takes no other rate either.
        guard !error.isUnavailable else { throw error }
        refusal = refusal ?? error
      }
    }
    guard let refusal else { preconditionFailure("there is at least one rate to try") }
    throw refusal
  }

  private static func open(_ settings: Settings, at rate: SampleRate) throws(OutputError) -> OpenOutput {
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
    if settings.outputDevice == "null" {
      let device = try NullDevice(options: options)
      return OpenOutput(
        device: device, summary: "null output: \(rate.hertz) Hz, \(device.format.name)", missing: nil)
    }
    let device = try ALSADevice(name: settings.outputDevice, options: options)
    return OpenOutput(device: device, summary: device.summary, missing: nil)
  }
}
