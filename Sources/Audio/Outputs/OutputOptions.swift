// What a listener may ask of an output. Values; any thread.

import PlaybackModel
import RealtimeAudio

/// How far ahead to render, as far as the listener decides it.
package enum BufferMode: Sendable, Equatable {
  /// Deep where the device allows it, shallow elsewhere.
  case automatic
  case deep
  case shallow
}

/// What an output is to be. Nil means: as the output does it best.
package struct OutputOptions: Sendable {
  /// Frames a second.
  package var rate: SampleRate
  /// Whether another rate will do where the output does not take this one; `RateOrder` says which.
  package var allowsOtherRates = false
  /// The sample format; without one the widest that the device takes.
  package var format: SampleFormat?
  /// Length of the device's period.
  package var period: Seconds?
  /// Length of the device's buffer.
  package var buffer: Seconds?
  /// How far ahead to queue.
  package var mode: BufferMode

  /// Options with everything but the rate left open.
  package init(rate: SampleRate) {
    self.rate = rate
    mode = .automatic
  }
}

/// Why an output cannot be used.
package struct OutputError: Error, Sendable {
  /// The device or file.
  package let subject: String
  /// What is wrong and what can be done.
  package let reason: String
  /// Whether the device is simply not there or taken, so that another one may do.
  package let isUnavailable: Bool

  /// An output that cannot be used.
  package init(subject: String, reason: String, isUnavailable: Bool) {
    self.subject = subject
    self.reason = reason
    self.isUnavailable = isUnavailable
  }

  /// A sentence that names both.
  package var description: String { "\(subject): \(reason)" }
}
