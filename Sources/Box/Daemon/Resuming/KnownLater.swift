// What waits until one of the box's small files is read. Control thread.

import Platform

/// Actions that begin when something is known, or else after ten seconds.
final class KnownLater {
  /// Told when it took too long, before the actions begin.
  var onTimeout: () -> Void = {}

  private static let timeoutNanoseconds: UInt64 = 10_000_000_000
  private static let maxCount = 16
  private let timer: DeadlineTimer
  private var actions: [() -> Void] = []

  init(_ scheduler: any Scheduler) { timer = DeadlineTimer(scheduler) }

  /// Does something at once, or as soon as it is known; at once, too, where many wait.
  func run(isKnown: Bool, _ action: @escaping () -> Void) {
    guard !isKnown, actions.count < Self.maxCount else { return action() }
    actions.append(action)
    guard !timer.isRunning else { return }
    timer.start(after: Self.timeoutNanoseconds) { [unowned(unsafe) self] in
      onTimeout()
      release()
    }
  }

  /// It is known.
  func release() {
    let actions = actions
    end()
    for action in actions { action() }
  }

  /// Nothing begins any more.
  func end() {
    timer.stop()
    actions = []
  }
}
