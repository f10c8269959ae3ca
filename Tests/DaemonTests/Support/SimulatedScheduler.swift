// The simulator's clock driven by a test: time advances when no work is left. One thread.

@testable import Simulator

extension SimulatedScheduler {
  /// Runs the work that is due; unless `isEnough`, then advances the clock to the next timer.
  private func step(until isEnough: () -> Bool) {
    turn(waits: false)
    if !isEnough(), let due, due > now { advance(to: due) }
  }

  /// Advances the clock.
  func run(seconds: Double) {
    var isOver = false
    let token = after(UInt64(seconds * 1e9)) { isOver = true }
    while !isOver { step { isOver } }
    remove(token)
  }

  /// Advances the clock until a condition holds, at most one hour.
  func run(until condition: () -> Bool) -> Bool {
    var isOver = false
    let token = after(3600_000_000_000) { isOver = true }
    // Evaluated once per step, because the condition may consume what it reads.
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
