// Watches a descriptor until released. Control thread only.

/// Calls a handler while a descriptor is ready. Keep it next to the descriptor and release it first. The
/// handler may capture the watch's owner `unowned(unsafe)`, as with `DeadlineTimer`.
package final class DescriptorWatch {
  private let scheduler: any Scheduler
  private let token: ScheduleToken

  /// Calls `handler` whenever `descriptor` is readable or closed by the peer.
  package init(
    _ scheduler: any Scheduler, readable descriptor: Int32, _ handler: @escaping () -> Void
  ) throws(SystemError) {
    self.scheduler = scheduler
    token = try scheduler.add(readable: descriptor, handler)
  }

  /// Calls `handler` whenever `descriptor` is writable.
  package init(
    _ scheduler: any Scheduler, writable descriptor: Int32, _ handler: @escaping () -> Void
  ) throws(SystemError) {
    self.scheduler = scheduler
    token = try scheduler.add(writable: descriptor, handler)
  }

  /// Calls `handler` whenever a descriptor of /proc reports a change.
  package init(
    _ scheduler: any Scheduler, changing descriptor: Int32, _ handler: @escaping () -> Void
  ) throws(SystemError) {
    self.scheduler = scheduler
    token = try scheduler.add(changing: descriptor, handler)
  }

  deinit { scheduler.remove(token) }
}
