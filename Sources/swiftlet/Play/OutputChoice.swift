// Picks and opens the output of `swiftlet play`. Main thread, before anything plays.

import Decoding
import Outputs
import PlaybackModel
import Platform
import RealtimeAudio

/// An open output and what there is to say about it.
struct OutputChoice {
  let device: any PCMDevice
  /// Set where the device is a file, which wants to be finished.
  var recording: WAVFile?
  let summary: String
  /// Set where a recording stands in for a sound card that is not there.
  let notice: String?
  /// The first track's worker, which has told the rate and decodes on.
  let early: OpenedWorker?

  /// Where a recording goes if there is no sound card: a name that nothing has yet.
  private static var standIn: String {
    var name = "swiftlet.wav"
    for number in 2..<1000 where isTaken(name) || isTaken(name + WAVFile.partialEnding) {
      name = "swiftlet-\(number).wav"
    }
    return name
  }

  private static func isTaken(_ path: String) -> Bool { (try? FileStatus.of(path)) != nil }

  /// Opens what the options ask for; without a sound card a recording, unless one was asked for by name.
  static func open(_ options: PlayOptions, firstTrack: String?) throws(OutputError) -> OutputChoice {
    let early = options.rate == nil ? firstTrack.flatMap { startEarly($0, options) } : nil
    var output = OutputOptions(rate: options.rate ?? early?.info.playableRate ?? SampleRate(44100))
    output.format = options.format
    output.mode = options.mode
    output.buffer = options.buffer
    output.period = options.period
    if let path = options.output {
      return try recording(path, output, notice: nil, early)
    }
    if options.device == "null" {
      let device = try NullDevice(options: output)
      return OutputChoice(
        device: device, summary: "null output: \(device.rate.hertz) Hz, \(device.format.name)", notice: nil,
        early: early)
    }
    let name = options.device ?? "default"
    do throws(OutputError) {
      let device = try openCard(name, output, mayChangeRate: options.rate == nil)
      return OutputChoice(device: device, summary: device.summary, notice: nil, early: early)
    } catch {
      guard error.isUnavailable, options.device == nil else { throw error }
      guard options.hasEnd else {
        throw OutputError(
          subject: name,
          reason: "\(error.reason); there is no recording instead, because what repeats has no end",
          isUnavailable: true)
      }
      let path = standIn
      return try recording(
        path, output, notice: "No sound card (\(error.description)). Recording to \(path) instead.", early)
    }
  }

  private static func recording(
    _ path: String, _ options: OutputOptions, notice: String?, _ early: OpenedWorker?
  ) throws(OutputError) -> OutputChoice {
    let file = try WAVFile(path: path, options: options)
    return OutputChoice(
      device: file, recording: file,
      summary: "WAV file \(path): \(file.rate.hertz) Hz, \(file.format.name)", notice: notice, early: early)
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

  /// Starts the first track's worker, and does meanwhile what opening a card begins with.
  private static func startEarly(_ path: String, _ options: PlayOptions) -> OpenedWorker? {
    do throws(WorkerFailure) {
      let worker = try EarlyWorker(path)
      if options.output == nil, options.device != "null" { ALSADevice.prepareLibrary() }
      return try worker.opened()
    } catch {
      // The player will meet the same failure, and can tell it.
      return nil
    }
  }
}
