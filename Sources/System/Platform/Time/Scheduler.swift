// The interface for time and waiting, implemented by the real event loop, offline rendering and the
// simulator. Control thread only.

/// Identifies a timer or watch of a scheduler.
package struct ScheduleToken: Hashable, Sendable {
  let value: UInt64

  /// Creates a token; its number must be unique within the scheduler.
  package init(_ value: UInt64) { self.value = value }
}

/// The control thread's clock and its only way to wait. Owners use `DeadlineTimer` and `DescriptorWatch`,
/// which cancel themselves on release. Class-bound, for Embedded Swift.
///
/// Handlers are called one at a time on the control thread, never from within a call to the scheduler. A
/// handler may add and remove anything, including itself.
package protocol Scheduler: AnyObject {
  /// Monotonic time in nanoseconds.
  var now: UInt64 { get }
  /// Calls `handler` once after a number of nanoseconds.
  func after(_ nanoseconds: UInt64, _ handler: @escaping () -> Void) -> ScheduleToken
  /// Calls `handler` whenever `descriptor` is readable or closed by the peer, until removed. The caller keeps
  /// ownership of the descriptor and must remove it before closing it.
  func add(readable descriptor: Int32, _ handler: @escaping () -> Void) throws(SystemError) -> ScheduleToken
  /// Calls `handler` whenever `descriptor` is writable, until removed. To watch a descriptor for reading as
  /// well, add a duplicate.
  func add(writable descriptor: Int32, _ handler: @escaping () -> Void) throws(SystemError) -> ScheduleToken
  /// Calls `handler` whenever a descriptor of /proc reports a change (proc(5)), until removed.
  func add(changing descriptor: Int32, _ handler: @escaping () -> Void) throws(SystemError) -> ScheduleToken
  /// Removes a timer or watch; no effect if it has been removed already.
  func remove(_ token: ScheduleToken)
  /// Calls the handlers of all due events; blocks until the first if `waits`.
  func turn(waits: Bool)
}
