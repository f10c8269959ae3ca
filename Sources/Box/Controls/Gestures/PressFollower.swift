// Follows the presses of one button, or of one chord that acts like a button, and emits its gestures. Pure
// value; control thread.

/// Gesture times in nanoseconds, clamped to the ranges of `GestureTiming`.
struct PressTiming {
  var long, gap, hold, repeatInterval, shortestRepeat, chord: UInt64

  init(_ timing: GestureTiming) {
    func nanoseconds(_ key: GestureTiming.Key) -> UInt64 {
      UInt64(min(max(timing[key], key.range.lowerBound), key.range.upperBound)) * 1_000_000
    }
    long = nanoseconds(.long)
    gap = nanoseconds(.gap)
    hold = nanoseconds(.hold)
    repeatInterval = nanoseconds(.repeatInterval)
    shortestRepeat = nanoseconds(.shortestRepeat)
    chord = nanoseconds(.chord)
  }
}

/// Follows a button from the first down edge until no further gesture is possible.
struct PressFollower {
  /// The state of a press in progress.
  private struct Press {
    let began: UInt64
    /// Whether the press has made a `long` or `hold`, or held the button for a knob, and so can be no
    /// `short`.
    var isSpent = false
    var longDue: UInt64?
    var holdDue: UInt64?
    var holdWait: UInt64
  }

  let timing: PressTiming
  /// Whether the button is held to turn a knob. A hold then comes no earlier than a long, which leaves time
  /// to turn.
  var isHeldForTurns = false
  /// Indexed by `Gesture.rawValue`; nil for unbound gestures.
  private var triggers = [Trigger?](repeating: nil, count: Gesture.allCases.count)
  private var press: Press?
  /// Shorts that may become a double or a triple.
  private var taps = 0
  private var gapEnds: UInt64?

  init(timing: PressTiming) { self.timing = timing }

  mutating func bind(_ trigger: Trigger) { triggers[Int(trigger.gesture.rawValue)] = trigger }

  /// The time at which to call `fire`.
  var deadline: UInt64? { earlier(gapEnds, earlier(press?.longDue, press?.holdDue)) }

  /// Keeps earlier taps pending while the button is down and may still join a chord.
  mutating func touch() { gapEnds = nil }

  /// Handles the down edge.
  ///
  /// - Parameters:
  ///   - began: The time of the edge; earlier than `now` if a chord was possible.
  ///   - now: The current time.
  ///   - gestures: Receives the gestures.
  mutating func down(began: UInt64, now: UInt64, into gestures: inout [Recognized]) {
    touch()
    emit(.press, now, &gestures)
    press = Press(
      began: began,
      longDue: isBound(.long) ? began.advanced(timing.long) : nil,
      holdDue: isBound(.hold) ? began.advanced(firstHold) : nil,
      holdWait: max(timing.repeatInterval, timing.shortestRepeat))
  }

  /// Handles the up edge; ignored if the button is not down.
  ///
  /// - Parameters:
  ///   - now: The time of the edge.
  ///   - isGuess: Whether the edge was lost, so that `now` is only the time at which this was detected.
  ///   - gestures: Receives the gestures.
  mutating func up(_ now: UInt64, isGuess: Bool, into gestures: inout [Recognized]) {
    guard let press else { return }
    self.press = nil
    emit(.release, now, &gestures)
    let isLate = now.since(press.began) >= timing.long
    if !press.isSpent, !isLate || !(isBound(.long) || isBound(.hold)) {
      taps += 1
      if taps == mostTaps { return flush(now, into: &gestures) }
    }
    guard taps > 0 else { return }
    if isGuess, isLate { return flush(now, into: &gestures) }
    gapEnds = now.advanced(timing.gap)
  }

  /// Emits the gesture that is due at `due`, a deadline of this button; `now` may be later.
  mutating func fire(due: UInt64, now: UInt64, into gestures: inout [Recognized]) {
    if gapEnds == due { return flush(due, into: &gestures) }
    if press?.longDue == due {
      spend(due, into: &gestures)
      press?.longDue = nil
      return emit(.long, due, &gestures)
    }
    guard let held = press, held.holdDue == due else { return }
    spend(due, into: &gestures)
    emit(.hold, due, &gestures)
    press?.longDue = nil
    var next = due.advanced(held.holdWait)
    if next <= now { next = now.advanced(held.holdWait) }
    let isStuck = next.since(held.began) > firstHold + GestureRecognizer.maxHold
    press?.holdDue = isStuck || next <= now ? nil : next
    press?.holdWait = max(held.holdWait / 10 * 9, timing.shortestRepeat)
  }

  /// Uses the press for a turn of a knob, so that it makes no short, long or hold.
  mutating func useUp(_ now: UInt64, into gestures: inout [Recognized]) {
    spend(now, into: &gestures)
    press?.longDue = nil
    press?.holdDue = nil
  }

  /// Emits the pending taps; no more will follow.
  mutating func flush(_ now: UInt64, into gestures: inout [Recognized]) {
    let taps = taps
    self.taps = 0
    gapEnds = nil
    switch taps {
    case 3: emit(.triple, now, &gestures)
    case 2 where isBound(.double): emit(.double, now, &gestures)
    default: for _ in 0..<taps { emit(.short, now, &gestures) }
    }
  }

  /// Drops all state.
  mutating func reset() {
    press = nil
    taps = 0
    gapEnds = nil
  }

  private var firstHold: UInt64 { isHeldForTurns ? max(timing.hold, timing.long) : timing.hold }

  private var mostTaps: Int { isBound(.triple) ? 3 : isBound(.double) ? 2 : 1 }

  private func isBound(_ gesture: Gesture) -> Bool { triggers[Int(gesture.rawValue)] != nil }

  /// Marks the press as used and emits the taps before it.
  private mutating func spend(_ now: UInt64, into gestures: inout [Recognized]) {
    press?.isSpent = true
    flush(now, into: &gestures)
  }

  private func emit(_ gesture: Gesture, _ time: UInt64, _ gestures: inout [Recognized]) {
    guard let trigger = triggers[Int(gesture.rawValue)] else { return }
    gestures.append(Recognized(trigger, at: time))
  }
}

/// The earlier of two optional times.
func earlier(_ a: UInt64?, _ b: UInt64?) -> UInt64? {
  guard let a else { return b }
  guard let b else { return a }
  return min(a, b)
}

extension UInt64 {
  /// Adds a duration, saturating at the maximum, because time stamps may be arbitrary.
  func advanced(_ duration: UInt64) -> UInt64 {
    let (sum, isTooMuch) = addingReportingOverflow(duration)
    return isTooMuch ? .max : sum
  }

  /// The time from `start` to this; 0 if `start` is later.
  func since(_ start: UInt64) -> UInt64 { self > start ? self - start : 0 }
}
