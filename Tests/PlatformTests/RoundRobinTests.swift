// Round-robin scheduling of bounded work: the amount per turn of the event loop, and the order. Test threads.

import Platform
import Testing

/// A task with a number of pieces, each of which advances the clock.
private final class Flood: RoundRobinTask {
  private(set) var left: Int
  private let turns: RoundRobin
  private let onPiece: () -> Void

  init(_ pieces: Int, _ turns: RoundRobin, onPiece: @escaping () -> Void) {
    left = pieces
    self.turns = turns
    self.onPiece = onPiece
    turns.add(self)
  }

  func runPiece() {
    left -= 1
    onPiece()
    if left > 0 { turns.add(self) }
  }
}

@Suite struct RoundRobinTests {
  /// A button press waits at most for the work of one turn, whatever the number of tasks and the cost of a
  /// piece.
  @Test(arguments: [1, 3, 10], [50_000, 300_000, 700_000, 5_000_000] as [UInt64])
  func aTurnHoldsTwoMillisecondsAndOnePiece(floods: Int, cost: UInt64) {
    let clock = HandClock()
    let turns = RoundRobin(clock)
    var longest: UInt64 = 0
    let tasks = (0..<floods).map { _ in Flood(40, turns) { clock.pass(cost, fires: false) } }
    while tasks.contains(where: { $0.left > 0 }) {
      let begin = clock.now
      clock.turn(waits: false)
      longest = max(longest, clock.now - begin)
      let left = tasks.map(\.left)
      #expect(left.max()! - left.min()! <= 1, "a task was left behind: \(left)")
    }
    #expect(longest <= RoundRobin.maxNanoseconds + cost)
    #expect(longest >= min(RoundRobin.maxNanoseconds, cost), "no work was done")
    #expect(clock.timerCount == 0, "a queue without tasks sets no timer")
  }

  /// A simulated clock does not advance while handlers run.
  @Test func aTurnHoldsABoundedNumberOfPieces() {
    let clock = HandClock()
    let turns = RoundRobin(clock)
    var done = 0
    let task = Flood(10 * RoundRobin.maxPieces, turns) { done += 1 }
    for turn in 1...10 {
      clock.turn(waits: false)
      #expect(done == turn * RoundRobin.maxPieces)
    }
    withExtendedLifetime(task) {}
  }

  @Test func aTaskThatIsAddedTwiceRunsOnce() {
    let clock = HandClock()
    let turns = RoundRobin(clock)
    var done = 0
    let task = Flood(1, turns) { done += 1 }
    turns.add(task)
    clock.turn(waits: false)
    clock.turn(waits: false)
    #expect(done == 1)
  }
}
