// A restartable one-shot timer that is cancelled on release. Control thread only.

/// Calls an action once at a deadline. Starting it again replaces the previous deadline and action.
///
/// The owner keeps it in a stored property, so the action may capture the owner `unowned(unsafe)`: the timer
/// is released, and the action cancelled, before the owner is gone.
package final class DeadlineTimer {
  /// The time of the action on the scheduler's clock; nil while the timer is not running.
  package private(set) var deadline: UInt64?
  private let scheduler: any Scheduler
  private var token: ScheduleToken?

  /// Creates a stopped timer.
  package init(_ scheduler: any Scheduler) { self.scheduler = scheduler }

  deinit { stop() }

  /// Whether the action is pending.
  package var isRunning: Bool { token != nil }

  /// Seconds until the action, rounded up; nil while the timer is not running.
  package var secondsLeft: Int? {
    deadline.map { Self.seconds(until: $0, from: scheduler.now) }
  }

  /// Seconds between two times of a scheduler's clock, rounded up; 0 if `deadline` has passed.
  package static func seconds(until deadline: UInt64, from now: UInt64) -> Int {
    deadline > now ? Int((deadline - now + 999_999_999) / 1_000_000_000) : 0
  }

  /// Calls `action` once after a number of nanoseconds, replacing a pending action.
  package func start(after nanoseconds: UInt64, _ action: @escaping () -> Void) {
    stop()
    deadline = scheduler.now &+ nanoseconds
    token = scheduler.after(nanoseconds) { [unowned(unsafe) self] in
      token = nil
      deadline = nil
      action()
    }
  }

  /// Calls `action` once at a time of the scheduler's clock, or as soon as possible if that has passed.
  package func start(at time: UInt64, _ action: @escaping () -> Void) {
    let now = scheduler.now
    start(after: time > now ? time - now : 0, action)
  }

  /// Cancels the pending action.
  package func stop() {
    if let token { scheduler.remove(token) }
    token = nil
    deadline = nil
  }
}
