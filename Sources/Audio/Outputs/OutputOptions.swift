// The user's options for an output, and its errors. Plain values; any thread.

import PlaybackModel
import RealtimeAudio

/// How far ahead to render, as set by the user.
package enum BufferMode: Sendable, Equatable {
  /// Deep if the device allows it, shallow otherwise.
  case automatic
  case deep
  case shallow
}

/// Parameters of an output. Nil lets the output choose.
package struct OutputOptions: Sendable {
  /// Sample rate in Hz.
  package var rate: SampleRate
  /// Whether another rate may be used if the output lacks this one; `RateOrder` lists the candidates.
  package var allowsOtherRates = false
  /// The sample format; nil for the widest that the device supports.
  package var format: SampleFormat?
  /// Length of the device's period.
  package var period: Seconds?
  /// Length of the device's buffer.
  package var buffer: Seconds?
  /// How far ahead to queue.
  package var mode: BufferMode

  /// Options that leave everything except the rate to the output.
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
  /// Whether the device is missing or busy, so that another device may be tried.
  package let isUnavailable: Bool

  /// An error of the output `subject`.
  package init(subject: String, reason: String, isUnavailable: Bool) {
    self.subject = subject
    self.reason = reason
    self.isUnavailable = isUnavailable
  }

  /// `SUBJECT: REASON`.
  package var description: String { "\(subject): \(reason)" }
}
