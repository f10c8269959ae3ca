// An output that was opened, and the audio loop that runs on it. Control thread only.

import Platform
import Player
import RealtimeAudio

/// An output that was opened, or what stands in for it.
package struct OpenOutput {
  /// The output.
  package let device: any PCMDevice
  /// One line about it, for `status`.
  package let summary: String
  /// Set where this only stands in for an output: why.
  package let missing: String?

  /// An output, with what is to be said of it.
  package init(device: any PCMDevice, summary: String, missing: String? = nil) {
    self.device = device
    self.summary = summary
    self.missing = missing
  }
}

/// Runs an audio loop: a real machine on a real-time thread, a simulated one from its scheduler. Class-bound, for
/// Embedded Swift.
package protocol AudioRunner: AnyObject {
  /// The connection to the loop.
  var link: AudioLink { get }
  /// What the system granted the loop's thread; nil without one.
  var grant: RealtimeGrant? { get }
  /// The loop has reported something that waits in `link`.
  var reportSource: any EventSource { get }
  /// Ends the loop for good. What is queued in the device is lost.
  func stop()
}
