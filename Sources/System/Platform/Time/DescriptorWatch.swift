// A descriptor that somebody waits for, for as long as the watch is kept. Control thread only.

/// Calls a handler while a descriptor is ready, and ceases when it goes. Keep it beside the descriptor, and let it go
/// first. As with `DeadlineTimer`, the handler may capture the watch's owner `unowned(unsafe)`.
package final class DescriptorWatch {
  private let scheduler: any Scheduler
  private let token: ScheduleToken

  /// Calls `handler` whenever `descriptor` is readable or closed by its other end.
  package init(
    _ scheduler: any Scheduler, readable descriptor: Int32, _ handler: @escaping () -> Void
  ) throws(SystemError) {
    self.scheduler = scheduler
    token = try scheduler.add(readable: descriptor, handler)
  }

  /// Calls `handler` whenever `descriptor` takes more bytes.
  package init(
    _ scheduler: any Scheduler, writable descriptor: Int32, _ handler: @escaping () -> Void
  ) throws(SystemError) {
    self.scheduler = scheduler
    token = try scheduler.add(writable: descriptor, handler)
  }

  /// Calls `handler` whenever a descriptor of /proc tells that it has changed.
  package init(
    _ scheduler: any Scheduler, changing descriptor: Int32, _ handler: @escaping () -> Void
  ) throws(SystemError) {
    self.scheduler = scheduler
    token = try scheduler.add(changing: descriptor, handler)
  }

  deinit { scheduler.remove(token) }
}
