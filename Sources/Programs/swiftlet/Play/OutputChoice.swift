// Picks and opens the output of `swiftlet play`. Main thread, before anything plays.

import Decoding
import Outputs
import PlaybackModel
import Platform
import SwiftletEngine

/// An open output and what there is to say about it.
struct OutputChoice {
  let opened: OpenOutput
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
  static func open(_ options: PlayOptions, _ early: OpenedWorker?) throws(OutputError) -> OutputChoice {
    var output = OutputOptions(rate: options.rate ?? early?.info.playableRate ?? SampleRate(44100))
    // A card that does not know the track's rate is opened at one that it knows; the worker resamples.
    output.allowsOtherRates = options.rate == nil
    output.format = options.format
    output.mode = options.mode
    output.buffer = options.buffer
    output.period = options.period
    if let path = options.output {
      return OutputChoice(opened: try .recording(path, output), notice: nil, early: early)
    }
    do throws(OutputError) {
      return OutputChoice(
        opened: try .device(options.device ?? "default", output), notice: nil, early: early)
    } catch {
      guard error.isUnavailable, options.device == nil else { throw error }
      guard options.hasEnd else {
        throw OutputError(
          subject: options.device ?? "default",
          reason: "\(error.reason); there is no recording instead, because what repeats has no end",
          isUnavailable: true)
      }
      let path = standIn
      return OutputChoice(
        opened: try .recording(path, output),
        notice: "No sound card (\(error.description)). Recording to \(path) instead.", early: early)
    }
  }

  /// Starts the first track's worker where it decides about the rate, and does meanwhile what opening a card begins with.
  static func startEarly(_ firstTrack: String?, _ options: PlayOptions) -> OpenedWorker? {
    guard options.rate == nil, let path = firstTrack else { return nil }
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
