// Picks and opens the output of `swiftlet play`. Main thread, before anything plays.

import Decoding
import Outputs
import PlaybackModel
import Platform
import RealtimeAudio

/// An open output and what there is to say about it.
struct OutputChoice {
  let device: any PCMDevice
  let summary: String
  /// Set where a recording stands in for a sound card that is not there.
  let notice: String?

  /// Where a recording goes if there is no sound card.
  static let standIn = "swiftlet.wav"

  /// Opens what the options ask for; without a sound card a recording, unless one was asked for by name.
  static func open(_ options: PlayOptions, firstTrack: String?) throws(OutputError) -> OutputChoice {
    let wanted = options.rate ?? firstTrack.flatMap(nativeRate) ?? SampleRate(44100)
    var output = OutputOptions(rate: wanted)
    output.format = options.format
    output.mode = options.mode
    output.buffer = options.buffer
    output.period = options.period
    if let path = options.output {
      return try recording(path, output, notice: nil)
    }
    if options.device == "null" {
      let device = try NullDevice(options: output)
      return OutputChoice(
        device: device, summary: "null output: \(device.rate.hertz) Hz, \(device.format.name)", notice: nil)
    }
    let name = options.device ?? "default"
    do throws(OutputError) {
      let device = try openCard(name, output, mayChangeRate: options.rate == nil)
      return OutputChoice(device: device, summary: device.summary, notice: nil)
    } catch {
      guard error.isUnavailable, options.device == nil else { throw error }
      return try recording(
        standIn, output, notice: "No sound card (\(error.description)). Recording to \(standIn) instead.")
    }
  }

  private static func recording(
    _ path: String, _ options: OutputOptions, notice: String?
  ) throws(OutputError) -> OutputChoice {
    let file = try WAVFile(path: path, options: options)
    return OutputChoice(
      device: file, summary: "WAV file \(path): \(file.rate.hertz) Hz, \(file.format.name)", notice: notice)
  }

  /// A card that does not know the track's rate is opened at one that it knows; the worker resamples.
  private static func openCard(
    _ name: String, _ options: OutputOptions, mayChangeRate: Bool
  ) throws(OutputError) -> ALSADevice {
    do throws(OutputError) {
      return try ALSADevice(name: name, options: options)
    } catch {
      guard mayChangeRate, !error.isUnavailable else { throw error }
      for rate in [48000, 44100, 96000] where rate != options.rate.hertz {
        var other = options
        other.rate = SampleRate(rate)
        if let device = try? ALSADevice(name: name, options: other) { return device }
      }
      throw error
    }
  }

  private static func nativeRate(of path: String) -> SampleRate? {
    guard let info = try? Inspection.probe(path) else { return nil }
    // Opus has no rate of its own but 48 kHz; rates beyond what cards take are halved into their range.
    var rate = info.sourceRate
    while rate > 192_000 { rate /= 2 }
    return rate >= 8000 ? SampleRate(rate) : nil
  }
}
