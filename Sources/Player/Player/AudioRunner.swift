// Whatever runs an audio loop on an output. Control thread only.

import Platform
import RealtimeAudio

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

extension AudioHost: AudioRunner {
  package var reportSource: any EventSource { reports }
}
