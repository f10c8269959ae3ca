// The simulator's clock, moved on by a test: the time passes when there is nothing left to do. One thread.

@testable import Simulator

extension SimulatedScheduler {
  /// Calls what is due, or lets time pass until something is.
  private func step() {
    turn(waits: false)
    if let due, due > now { advance(to: due) }
  }

  /// Lets so much time pass.
  func run(seconds: Double) {
    var isOver = false
    let token = after(UInt64(seconds * 1e9)) { isOver = true }
    while !isOver { step() }
    remove(token)
  }

  /// Lets time pass until something holds, an hour at most.
  func run(until condition: () -> Bool) -> Bool {
    var isOver = false
    let token = after(3600_000_000_000) { isOver = true }
    while !isOver, !condition() { step() }
    remove(token)
    return condition()
  }
}
