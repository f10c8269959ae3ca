// Opens the output of `swiftlet play`: a sound card, or a recording if there is none. Main thread, before playback
// starts.

import Decoding
import Outputs
import PlaybackModel
import Platform
import SwiftletEngine

/// An open output with a message for the user.
struct OutputChoice {
  let opened: OpenOutput
  /// Whether it is a recording, which ends at --limit.
  let isRecording: Bool
  /// Message that a recording replaces the missing sound card; nil otherwise.
  let notice: String?
  /// Worker of the first track, opened to learn its sample rate; it continues decoding.
  let early: OpenedWorker?

  /// Unused file name for a recording that replaces a missing sound card.
  private static var standIn: String {
    var name = "swiftlet.wav"
    for number in 2..<1000 where isTaken(name) || isTaken(name + WAVFile.partialEnding) {
      name = "swiftlet-\(number).wav"
    }
    return name
  }

  private static func isTaken(_ path: String) -> Bool { (try? FileStatus.of(path)) != nil }

  /// Opens the output given by the options. Without a sound card it records instead, unless a device was named.
  ///
  /// - Parameters:
  ///   - options: Command-line options.
  ///   - early: Worker of the first track, which determines the rate.
  /// - Throws: `OutputError` if no output can be opened.
  static func open(_ options: PlayOptions, _ early: OpenedWorker?) throws(OutputError) -> OutputChoice {
    var output = OutputOptions(rate: options.rate ?? early?.info.playableRate ?? SampleRate(44100))
    // If the card does not support the track's rate, open it at a supported one; the worker resamples.
    output.allowsOtherRates = options.rate == nil
    output.format = options.format
    output.mode = options.mode
    output.buffer = options.buffer
    output.period = options.period
    if let path = options.output {
      return OutputChoice(opened: try .recording(path, output), isRecording: true, notice: nil, early: early)
    }
    do throws(OutputError) {
      return OutputChoice(
        opened: try .device(options.device ?? "default", output), isRecording: false, notice: nil,
        early: early)
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
        opened: try .recording(path, output), isRecording: true,
        notice: "No sound card (\(error.description)). Recording to \(path) instead.", early: early)
    }
  }

  /// Starts the worker of the first track if its sample rate determines the output's, and prepares ALSA in parallel.
  ///
  /// - Returns: The worker; nil if it is not needed or has failed.
  static func startEarly(_ firstTrack: String?, _ options: PlayOptions) -> OpenedWorker? {
    guard options.rate == nil, let path = firstTrack else { return nil }
    do throws(WorkerFailure) {
      let worker = try EarlyWorker(path)
      if options.output == nil, options.device != "null" { ALSADevice.prepareLibrary() }
      return try worker.opened()
    } catch {
      // The player will encounter and report the same error.
      return nil
    }
  }
}
