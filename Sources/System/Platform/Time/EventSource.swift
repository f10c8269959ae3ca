// Something that happens now and then and that a scheduler can wait for. Control thread only, but for what causes it.

/// Readable from when it has happened until it is cleared. Class-bound, for Embedded Swift.
package protocol EventSource: AnyObject {
  /// For a scheduler.
  var descriptor: Int32 { get }
  /// Takes it back; the next time is told of again. Clear before you look at what has happened.
  func clear()
}

extension WakeUp: EventSource {}
extension WallClockChanges: EventSource {}
extension TerminationSignals: EventSource {}
