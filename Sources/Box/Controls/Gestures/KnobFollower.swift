// Counts the turns of one knob and finds the binding for the buttons held. Pure value; control thread.

/// The bindings of a knob, and its speed.
struct KnobFollower {
  /// The bindings of turns while a certain set of buttons is held; the set may be empty.
  struct Turn {
    /// Indices of the held buttons, ascending.
    let held: [Int]
    var left: Trigger?
    var right: Trigger?
  }

  let name: ControlName
  /// Sorted by the number of buttons, largest first; the first whose buttons are down applies.
  private(set) var turns: [Turn] = []
  private var last: (time: UInt64, isRight: Bool)?

  init(name: ControlName) { self.name = name }

  /// Adds a trigger.
  ///
  /// - Precondition: Triggers are added in descending order of their number of controls.
  mutating func bind(_ trigger: Trigger, held: [Int]) {
    let index = turns.firstIndex { $0.held == held } ?? turns.endIndex
    if index == turns.endIndex { turns.append(Turn(held: held)) }
    if trigger.gesture == .left { turns[index].left = trigger } else { turns[index].right = trigger }
  }

  /// Converts detents to steps, with acceleration; positive is to the right.
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
