// The interface of an event that a scheduler can wait for. Control thread only, except for the code that
// triggers it.

/// A descriptor that is readable from the event until `clear`. Class-bound, for Embedded Swift.
package protocol EventSource: AnyObject {
  /// The descriptor, for a scheduler.
  var descriptor: Int32 { get }
  /// Clears the event. Call it before handling the event, so that a new one is not lost.
  func clear()
}

extension WakeUp: EventSource {}
extension WallClockChanges: EventSource {}
extension TerminationSignals: EventSource {}
