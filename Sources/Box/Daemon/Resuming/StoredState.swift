// Whether a change is on the storage. Control thread; never waits.

import Console
import Platform

/// What has become of a change that is to be stored.
enum StoreOutcome {
  case stored
  case failed(SystemError)
  /// The storage has not answered in time.
  case late(path: String)

  /// The answer to who has made the change: an acknowledged change is stored.
  func applied(to reply: Reply) -> Reply {
    switch self {
    case .stored: reply
    case .failed(let error):
      .failed(
        "not saved: " + error.description
          + "; it counts until the power goes. Writing is tried again, and the log says when it fails for another reason"
      )
    case .late(let path):
      .failed(
        "not saved yet: the storage of " + path
          + " does not answer; check that it is plugged in properly. It counts until the power goes")
    }
  }
}

/// A file of the box's state whose writing can be waited for. Class-bound, for Embedded Swift.
protocol StoredState: AnyObject {
  /// Told when it cannot be written, and when it was written again.
  var trouble: StoreTrouble? { get set }
  /// Calls `then` once: when all changes so far are on the storage, when they cannot be written, or after a bounded time.
  func whenStored(_ then: @escaping (StoreOutcome) -> Void)
}

/// Those that wait for one file.
final class StoreWaiters {
  /// Nanoseconds after which an answer is given all the same.
  static let timeout: UInt64 = 2_000_000_000

  private final class Waiter {
    var then: ((StoreOutcome) -> Void)?
    let timer: DeadlineTimer

    init(_ scheduler: any Scheduler, _ then: @escaping (StoreOutcome) -> Void) {
      self.then = then
      timer = DeadlineTimer(scheduler)
    }

    func finish(_ outcome: StoreOutcome) {
      timer.stop()
      let then = then
      self.then = nil
      then?(outcome)
    }
  }

  private let scheduler: any Scheduler
  private var waiters: [Waiter] = []

  init(_ scheduler: any Scheduler) { self.scheduler = scheduler }

  /// Waits, but no longer than `timeout`.
  func add(path: String, _ then: @escaping (StoreOutcome) -> Void) {
    let waiter = Waiter(scheduler, then)
    waiters.removeAll { $0.then == nil }
    waiters.append(waiter)
    waiter.timer.start(after: Self.timeout) { [unowned(unsafe) waiter] in waiter.finish(.late(path: path)) }
  }

  /// All that wait are answered.
  func finish(_ outcome: StoreOutcome) {
    let finished = waiters
    waiters = []
    for waiter in finished { waiter.finish(outcome) }
  }
}
