// The simulator's clock, moved on by a test: the time passes when there is nothing left to do. One thread.

@testable import Simulator

extension SimulatedScheduler {
  /// Calls what is due; then, unless that was enough, lets time pass until something is.
  private func step(until isEnough: () -> Bool) {
    turn(waits: false)
    if !isEnough(), let due, due > now { advance(to: due) }
  }

  /// Lets so much time pass.
  func run(seconds: Double) {
    var isOver = false
    let token = after(UInt64(seconds * 1e9)) { isOver = true }
    while !isOver { step { isOver } }
    remove(token)
  }

  /// Lets time pass until something holds, an hour at most.
  func run(until condition: () -> Bool) -> Bool {
    var isOver = false
    let token = after(3600_000_000_000) { isOver = true }
    // Asked once a step: it may take what it looks at.
    var holds = condition()
    while !isOver, !holds {
      step {
        holds = condition()
        return isOver || holds
      }
    }
    remove(token)
    return holds
  }
}
