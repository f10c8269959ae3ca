// The turns of one knob, alone and with buttons held. Pure value; control thread.

/// Which bindings a knob has and how fast it is turned.
struct KnobFollower {
  /// A turn while buttons are held, or while none need be.
  struct Turn {
    /// Indices of buttons, ascending.
    let held: [Int]
    var left: Trigger?
    var right: Trigger?
  }

  let name: ControlName
  /// Those with the most buttons first: the first whose buttons are down counts.
  private(set) var turns: [Turn] = []
  private var last: (time: UInt64, isRight: Bool)?

  init(name: ControlName) { self.name = name }

  /// - Precondition: triggers come with the most controls first.
  mutating func bind(_ trigger: Trigger, held: [Int]) {
    let index = turns.firstIndex { $0.held == held } ?? turns.endIndex
    if index == turns.endIndex { turns.append(Turn(held: held)) }
    if trigger.gesture == .left { turns[index].left = trigger } else { turns[index].right = trigger }
  }

  /// The steps of some detents, to the right positive, with acceleration.
  mutating func steps(_ detents: Int, at time: UInt64) -> Int {
    guard detents != 0 else { return 0 }
    let isRight = detents > 0
    let count = min(Int(clamping: detents.magnitude), TurnAcceleration.maxDetents)
    var interval: UInt64?
    if let last, last.isRight == isRight, time > last.time {
      interval = (time - last.time) / UInt64(count)
    }
    last = (time, isRight)
    return (isRight ? count : -count) * TurnAcceleration.factor(interval: interval)
  }

  mutating func reset() { last = nil }
}
