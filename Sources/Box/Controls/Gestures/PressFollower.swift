// The gestures of one button, or of one chord as if it were a button. Pure value; control thread.

/// A timing in nanoseconds, within the ranges of `GestureTiming`.
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

/// Follows a button from its first down until nothing more can come of it.
struct PressFollower {
  /// What a press does while it lasts.
  private struct Press {
    let began: UInt64
    /// Whether it has been a long or a hold, or held a button for a knob: it is no short any more.
    var isSpent = false
    var longDue: UInt64?
    var holdDue: UInt64?
    var holdWait: UInt64
  }

  let timing: PressTiming
  /// Whether it is held while a knob is turned: then a hold comes no earlier than a long, which leaves time to turn.
  var isHeldForTurns = false
  /// By `Gesture.rawValue`; nil where nothing is bound.
  private var triggers = [Trigger?](repeating: nil, count: Gesture.allCases.count)
  private var press: Press?
  /// Shorts that may become a double or a triple.
  private var taps = 0
  private var gapEnds: UInt64?

  init(timing: PressTiming) { self.timing = timing }

  mutating func bind(_ trigger: Trigger) { triggers[Int(trigger.gesture.rawValue)] = trigger }

  /// When `fire` wants to be called.
  var deadline: UInt64? { earlier(gapEnds, earlier(press?.longDue, press?.holdDue)) }

  /// A finger is on it again, though it may yet become part of a chord: what waited for a next tap waits on.
  mutating func touch() { gapEnds = nil }

  /// It goes down.
  /// - Parameters:
  ///   - began: when it went down; `now` may be later, if a chord was possible.
  mutating func down(began: UInt64, now: UInt64, into gestures: inout [Recognized]) {
    touch()
    emit(.press, now, &gestures)
    press = Press(
      began: began,
      longDue: isBound(.long) ? began.advanced(timing.long) : nil,
      holdDue: isBound(.hold) ? began.advanced(firstHold) : nil,
      holdWait: max(timing.repeatInterval, timing.shortestRepeat))
  }

  /// It comes up; if it was not down, nothing happens.
  /// - Parameter isGuess: whether the edge was lost and `now` is only when that was noticed.
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

  /// Does what is due at `due`, its deadline; `now` may be later.
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

  /// The press has served for something else: no short and no long any more, nor a hold.
  mutating func useUp(_ now: UInt64, into gestures: inout [Recognized]) {
    spend(now, into: &gestures)
    press?.longDue = nil
    press?.holdDue = nil
  }

  /// No more taps will follow: those that were count now.
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

  /// Forgets what it followed.
  mutating func reset() {
    press = nil
    taps = 0
    gapEnds = nil
  }

  private var firstHold: UInt64 { isHeldForTurns ? max(timing.hold, timing.long) : timing.hold }

  private var mostTaps: Int { isBound(.triple) ? 3 : isBound(.double) ? 2 : 1 }

  private func isBound(_ gesture: Gesture) -> Bool { triggers[Int(gesture.rawValue)] != nil }

  /// The taps before this press stand for themselves, and it is none.
  private mutating func spend(_ now: UInt64, into gestures: inout [Recognized]) {
    press?.isSpent = true
    flush(now, into: &gestures)
  }

  private func emit(_ gesture: Gesture, _ time: UInt64, _ gestures: inout [Recognized]) {
    guard let trigger = triggers[Int(gesture.rawValue)] else { return }
    gestures.append(Recognized(trigger, at: time))
  }
}

/// The earlier of two times, of which either may not be.
func earlier(_ a: UInt64?, _ b: UInt64?) -> UInt64? {
  guard let a else { return b }
  guard let b else { return a }
  return min(a, b)
}

extension UInt64 {
  /// A time and a duration; a time stamp may be any number.
  func advanced(_ duration: UInt64) -> UInt64 {
    let (sum, isTooMuch) = addingReportingOverflow(duration)
    return isTooMuch ? .max : sum
  }

  /// The time from `start` to this; 0 if this is the earlier.
  func since(_ start: UInt64) -> UInt64 { self > start ? self - start : 0 }
}
