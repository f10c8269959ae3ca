// Arbitrary inputs at arbitrary times: nothing gets stuck, and the output is bounded. Test threads.

import Controls
import Testing

@Suite struct DisorderTests {
  private static let buttons = ["a", "b", "c", "d", "k"].map { name($0) }
  private static let candidates: [Trigger] = {
    let sets = [
      ["a"], ["b"], ["c"], ["d"], ["a", "b"], ["b", "c"], ["a", "b", "c"], ["a", "b", "c", "d"], ["c", "d"],
    ]
    let presses = Gesture.allCases.filter { !$0.isTurn }
    let turns = [["k"], ["a", "k"], ["a", "b", "k"]]
    return sets.flatMap { set in presses.compactMap { Trigger(set.map(name), $0) } }
      + turns.flatMap { set in [Gesture.left, .right].compactMap { Trigger(set.map(name), $0) } }
  }()

  @Test(arguments: 0..<4) func nothingGetsStuck(_ part: UInt64) {
    var random = Seeded(seed: patternSeed &+ part)
    for number in 0..<1000 {
      let bound = Set(Self.candidates.shuffled(using: &random).prefix(random.number(1...30)))
      var recognizer = GestureRecognizer(bound: bound) { _ in GestureTiming() }
      let isOrderly = random.chance(1, of: 2)
      var time = milliseconds(100_000)
      var latest = time
      for _ in 0..<random.number(1...60) {
        time =
          isOrderly || random.chance(3, of: 4)
          ? time + milliseconds(random.number(0...400)) : time - milliseconds(300)
        latest = max(latest, time)
        let button = Self.buttons.randomElement(using: &random)!
        let recognized =
          switch random.number(0...9) {
          case 0...3: recognizer.take(TimedInput(.down(button), at: time))
          case 4...6: recognizer.take(TimedInput(.up(button), at: time))
          case 7: recognizer.take(TimedInput(.turn(button, detents: random.number(-3...3)), at: time))
          default: recognizer.advance(to: time)
          }
        #expect(recognized.count <= 40, "seed \(patternSeed), part \(part), number \(number)")
        #expect(recognized.allSatisfy { bound.contains($0.trigger) && $0.count > 0 })
        if isOrderly { #expect(recognized.allSatisfy { $0.time <= time }) }
        #expect(recognizer.deadline ?? .max > time || !isOrderly)
      }
      for button in Self.buttons { _ = recognizer.take(TimedInput(.up(button), at: time)) }
      // Timestamps may have gone back by more than the duration of a gesture.
      _ = recognizer.advance(to: latest + milliseconds(3000))
      #expect(recognizer.deadline == nil, "seed \(patternSeed), part \(part), number \(number)")
      // Afterwards it behaves like a new recognizer.
      let last = latest + milliseconds(10_000)
      var new = GestureRecognizer(bound: bound) { _ in GestureTiming() }
      for input: ControlInput in [
        .down(name("a")), .down(name("c")), .turn(name("k"), detents: 1), .up(name("a")), .up(name("c")),
      ] {
        let input = TimedInput(input, at: last)
        #expect(
          recognizer.take(input) == new.take(input), "seed \(patternSeed), part \(part), number \(number)")
      }
      #expect(recognizer.advance(to: last + milliseconds(3000)) == new.advance(to: last + milliseconds(3000)))
    }
  }
}
