// Runs small pieces of work of several tasks in turn. Control thread, or a helper process's only thread;
// never blocks.

/// A task with work in small pieces, such as a session with lines to run. Class-bound, for Embedded Swift.
package protocol RoundRobinTask: AnyObject {
  /// Does one piece of work, and adds the task again if there is more.
  func runPiece()
}

/// Runs pieces of several tasks in turn, so that a flood of input delays other tasks and event sources by at
/// most `maxNanoseconds` and one piece.
///
/// Its owner keeps it in a stored property. It retains waiting tasks.
package final class RoundRobin {
  /// Nanoseconds of work per turn of the event loop; the piece that exceeds them is the last of the turn.
  package static let maxNanoseconds: UInt64 = 2_000_000
  /// Pieces per turn of the event loop, for schedulers whose clock does not advance during a turn.
  package static let maxPieces = 64

  private let scheduler: any Scheduler
  private let timer: DeadlineTimer
  private var waiting: [any RoundRobinTask] = []
  private var isRunning = false

  /// Creates an empty queue.
  package init(_ scheduler: any Scheduler) {
    self.scheduler = scheduler
    timer = DeadlineTimer(scheduler)
  }

  /// Schedules a call of the task's `runPiece`, within the current turn of the event loop at the earliest. A
  /// task that is waiting already keeps its place.
  package func add(_ task: any RoundRobinTask) {
    guard !waiting.contains(where: { $0 === task }) else { return }
    waiting.append(task)
    runLater()
  }

  private func runLater() {
    guard !isRunning, !timer.isRunning, !waiting.isEmpty else { return }
    timer.start(after: 0) { [unowned(unsafe) self] in run() }
  }

  private func run() {
    isRunning = true
    let end = scheduler.now &+ Self.maxNanoseconds
    var pieces = 0
    repeat {
      waiting.removeFirst().runPiece()
      pieces += 1
    } while !waiting.isEmpty && pieces < Self.maxPieces && scheduler.now < end
    isRunning = false
    runLater()
  }
}
