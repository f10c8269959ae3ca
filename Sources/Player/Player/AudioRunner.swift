// The interface of an audio loop's runner, implemented by the real-time thread and by the simulator. Control thread
// only.

import Platform
import RealtimeAudio

/// Runs an audio loop: `AudioHost` on a real-time thread, the simulator from its scheduler. Class-bound for Embedded
/// Swift.
package protocol AudioRunner: AnyObject {
  /// The connection to the loop.
  var link: AudioLink { get }
  /// The priority and memory locking that the system granted to the loop's thread; nil without a thread.
  var grant: RealtimeGrant? { get }
  /// Signals that reports of the loop wait in `link`.
  var reportSource: any EventSource { get }
  /// Ends the loop. Frames queued in the device are lost.
  func stop()
}

extension AudioHost: AudioRunner {
  package var reportSource: any EventSource { reports }
}
