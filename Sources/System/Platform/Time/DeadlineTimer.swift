// A timer that belongs to somebody: it can be started again, and is cancelled when it goes. Control thread only.

/// Calls an action once, when its time has come. Starting it again replaces the former start.
///
/// Its owner keeps it in a stored property, so the action may capture that owner `unowned(unsafe)`: the timer, and
/// with it the action, goes first.
package final class DeadlineTimer {
  /// When the action is called, on the scheduler's clock; nil while it is not running.
  package private(set) var deadline: UInt64?
  private let scheduler: any Scheduler
  private var token: ScheduleToken?

  /// A timer that does not run yet.
  package init(_ scheduler: any Scheduler) { self.scheduler = scheduler }

  deinit { stop() }

  /// Whether the action is still to be called.
  package var isRunning: Bool { token != nil }

  /// Seconds until the action is called, rounded up; nil while it is not running.
  package var secondsLeft: Int? {
    deadline.map { Self.seconds(until: $0, from: scheduler.now) }
  }

  /// Seconds from one time of a scheduler's clock until another, rounded up; 0 where that has passed.
  package static func seconds(until deadline: UInt64, from now: UInt64) -> Int {
    deadline > now ? Int((deadline - now + 999_999_999) / 1_000_000_000) : 0
  }

  /// Calls `action` once, `nanoseconds` from now, instead of whatever was to be called.
  package func start(after nanoseconds: UInt64, _ action: @escaping () -> Void) {
    stop()
    deadline = scheduler.now &+ nanoseconds
    token = scheduler.after(nanoseconds) { [unowned(unsafe) self] in
      token = nil
      deadline = nil
      action()
    }
  }

  /// As `start(after:)`, at a time of the scheduler's clock; one that has passed means as soon as possible.
  package func start(at time: UInt64, _ action: @escaping () -> Void) {
    let now = scheduler.now
    start(after: time > now ? time - now : 0, action)
  }

  /// Calls nothing.
  package func stop() {
    if let token { scheduler.remove(token) }
    token = nil
    deadline = nil
  }
}
