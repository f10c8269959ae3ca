// Queue of actions that wait for a state file to be loaded. Control thread.

import Platform

/// Runs queued actions on `release`, or after ten seconds.
final class KnownLater {
  /// Called after the timeout, before the actions run.
  var onTimeout: () -> Void = {}

  private static let timeoutNanoseconds: UInt64 = 10_000_000_000
  private static let maxCount = 16
  private let timer: DeadlineTimer
  private var actions: [() -> Void] = []

  init(_ scheduler: any Scheduler) { timer = DeadlineTimer(scheduler) }

  /// Runs an action at once if `isKnown` or if too many are waiting; otherwise queues it.
  func run(isKnown: Bool, _ action: @escaping () -> Void) {
    guard !isKnown, actions.count < Self.maxCount else { return action() }
    actions.append(action)
    guard !timer.isRunning else { return }
    timer.start(after: Self.timeoutNanoseconds) { [unowned(unsafe) self] in
      onTimeout()
      release()
    }
  }

  /// Runs the queued actions; call when the file is loaded.
  func release() {
    let actions = actions
    end()
    for action in actions { action() }
  }

  /// Drops the queued actions.
  func end() {
    timer.stop()
    actions = []
  }
}
