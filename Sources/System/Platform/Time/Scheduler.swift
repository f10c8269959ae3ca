// Time and waiting as something that is given: the box has a real loop, a recording counts frames, the simulator
// has a clock of its own. Control thread only.

/// Names something that was added to a scheduler.
package struct ScheduleToken: Hashable, Sendable {
  let value: UInt64

  /// A name; unique for as long as its scheduler lives.
  package init(_ value: UInt64) { self.value = value }
}

/// The control thread's clock and its one place to wait. Owners use `DeadlineTimer`, `DescriptorWatch` and
/// `BackOff`, which cancel themselves when they go. Class-bound, for Embedded Swift.
///
/// Handlers are called one at a time on the control thread, never from within a call to the scheduler; a handler
/// may add and remove anything, itself included.
package protocol Scheduler: AnyObject {
  /// Monotonic time in nanoseconds. It never runs backwards.
  var now: UInt64 { get }
  /// Calls `handler` once, `nanoseconds` from now.
  func after(_ nanoseconds: UInt64, _ handler: @escaping () -> Void) -> ScheduleToken
  /// Calls `handler` whenever `descriptor` is readable or closed by its other end, until removed. The caller keeps
  /// owning the descriptor and removes it before closing it.
  func add(readable descriptor: Int32, _ handler: @escaping () -> Void) throws(SystemError) -> ScheduleToken
  /// Calls `handler` whenever `descriptor` takes more bytes, until removed. One that is also waited for as readable
  /// has to be a duplicate.
  func add(writable descriptor: Int32, _ handler: @escaping () -> Void) throws(SystemError) -> ScheduleToken
  /// Calls `handler` whenever a descriptor of /proc tells that it has changed (proc(5)), until removed.
  func add(changing descriptor: Int32, _ handler: @escaping () -> Void) throws(SystemError) -> ScheduleToken
  /// Removes what was added; nothing happens if it is gone already.
  func remove(_ token: ScheduleToken)
  /// Calls the handlers of everything that is due; waits for the first if `waits`.
  func turn(waits: Bool)
}
