// Bounded work of several parties, one piece each in turn. Control thread, or a helper process's only thread; never waits.

/// A party with work that can be done in pieces: a session with lines to run, a client with commands. Class-bound, for
/// Embedded Swift.
package protocol RoundRobinTask: AnyObject {
  /// Does one piece of work, and adds the task again if more is left.
  func runPiece()
}

/// Runs pieces of several tasks in turn, so that one flood of input delays neither the other tasks nor the event loop's other
/// sources by more than `maxNanoseconds` and one piece.
///
/// Its owner keeps it in a stored property. It retains the tasks that wait.
package final class RoundRobin {
  /// Nanoseconds of work in one turn of the event loop. The piece that exceeds them is the turn's last.
  package static let maxNanoseconds: UInt64 = 2_000_000
  /// Pieces in one turn of the event loop, for schedulers whose clock stands still within a turn.
  package static let maxPieces = 64

  private let scheduler: any Scheduler
  private let timer: DeadlineTimer
  private var waiting: [any RoundRobinTask] = []
  private var isRunning = false

  /// A queue without tasks.
  package init(_ scheduler: any Scheduler) {
    self.scheduler = scheduler
    timer = DeadlineTimer(scheduler)
  }

  /// Calls `runPiece` on the task when its turn comes, within this turn of the event loop at the earliest. A task that waits
  /// already keeps its place.
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
