// A hundred thousand press patterns on noisy contacts give exactly the intended gestures. Test threads.

import Controls
import Testing

@Suite struct PatternTests {
  static let patterns = 100_000
  static let parts = 10

  @Test(arguments: 0..<parts)
  func badContactsGiveTheIntendedGestures(_ part: Int) {
    let seed = patternSeed &+ UInt64(part) &* 1_000_003
    var hand = Hand(seed: seed)
    var rig = Rig()
    var random = Seeded(seed: ~seed)
    var failures = 0
    for number in 0..<Self.patterns / Self.parts {
      let pattern = hand.next()
      rig.play(
        pattern.events, until: pattern.end, lateness: random.chance(1, of: 2) ? 0 : random.number(0...5000))
      let isRight =
        pattern.isOrdered
        ? rig.gestures == pattern.gestures : rig.gestures.sorted() == pattern.gestures.sorted()
      if isRight, rig.isAtRest { continue }
      failures += 1
      Issue.record(
        """
        SWIFTLET_SEED=\(patternSeed), part \(part), pattern \(number): \(pattern.title) gave \(rig.gestures) \
        \(rig.isAtRest ? "" : "and is not at rest ")instead of \(pattern.gestures)
        \(pattern.events.map { "\($0.time) \($0.line)\($0.isOn ? "+" : "-")\($0.isRead ? "?" : "")" })
        """)
      if failures == 3 { return }
    }
  }
}
