// What a listener may ask of an output. Values; any thread.

import PlaybackModel
import RealtimeAudio

/// How far ahead to render, as far as the listener decides it.
public enum BufferMode: Sendable, Equatable {
  /// Deep where the device allows it, shallow elsewhere.
  case automatic
  case deep
  case shallow
}

/// What an output is to be. Nil means: as the output does it best.
public struct OutputOptions: Sendable {
  /// Frames a second.
  public var rate: SampleRate
  /// The sample format; without one the widest that the device takes.
  public var format: SampleFormat?
  /// Length of the device's period.
  public var period: Seconds?
  /// Length of the device's buffer.
  public var buffer: Seconds?
  /// How far ahead to queue.
  public var mode: BufferMode

  /// Options with everything but the rate left open.
  public init(rate: SampleRate) {
    self.rate = rate
    mode = .automatic
  }
}

/// Why an output cannot be used.
public struct OutputError: Error, Sendable {
  /// The device or file.
  public let subject: String
  /// What is wrong and what can be done.
  public let reason: String
  /// Whether the device is simply not there or taken, so that another one may do.
  public let isUnavailable: Bool

  /// An output that cannot be used.
  public init(subject: String, reason: String, isUnavailable: Bool) {
    self.subject = subject
    self.reason = reason
    self.isUnavailable = isUnavailable
  }

  /// A sentence that names both.
  public var description: String { "\(subject): \(reason)" }
}
