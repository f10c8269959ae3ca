// From edges to gestures. A pure function of what it is given: no clock, no input. Control thread.

/// Recognizes the gestures that somebody bound, and no others: what nobody bound is never waited for.
///
/// Give it every input by `take`, in the order in which they come, and call `advance` when `deadline` has
/// come. Before `advance`, take what is waiting in the input devices: an edge older than a deadline counts
/// as what it was. When a deadline and an edge have the same time, the deadline is first.
///
/// - `press` acts on the down edge, `release` on the up edge. Only if a chord with that button is bound,
///   everything waits until the chord is possible no more: the chord's time, or until the button comes up.
/// - `short` acts on the up edge, unless `double` or `triple` is bound: then when no further tap came for
///   `gap`. `double` likewise waits if `triple` is bound. Two taps where only `triple` and `short` are bound
///   are two shorts.
/// - `long` acts when the button has been down for its time; the press is then no `short`.
/// - `hold` acts after its time (after that of `long` where the button is also held to turn a knob), then after `repeatInterval`, each following wait a tenth shorter, down to
///   `shortestRepeat`. After a `hold` there is neither `long` nor `short`; so to have both a `long` and a
///   `hold`, let `hold` be the longer time. Repeats that a late `advance` missed are left out. A button
///   that is down for `maxHold` after its first `hold` is taken for stuck and repeats no more.
/// - A button held longer than `long` is no `short` if `long` or `hold` is bound. If neither is, it is:
///   a slow press counts where nothing else could be meant.
/// - A chord: its buttons go down within `chord` of each other. It then makes gestures as if it were one
///   button, down when the last is down, up when the first comes up, with the slowest of its buttons'
///   times; its buttons make none of their own until they have come up. A chord waits while a bigger one
///   with the same buttons is possible. A button that has been down for longer takes part in no chord.
/// - A turn counts for the largest bound set of buttons that are down; the plain turn only where none is.
///   Such a set takes both directions, though only one be bound. Its buttons make no `short`, `long` or
///   `hold` any more in this press; `release` they do. Fast turning counts more: `TurnAcceleration`.
/// - Lost edges and disordered time stamps leave nothing stuck. A second down is up and down at once; an up
///   without a down is nothing; a press that ends before it began was short.
///
/// Its state is bounded by what is bound: some numbers a button, chord and knob.
package struct GestureRecognizer: Sendable {
  /// How long a button may repeat `hold`, nanoseconds.
  package static let maxHold: UInt64 = 30_000_000_000

  /// What a button is doing.
  enum Phase {
    case up
    /// Down, and a chord is possible.
    case waiting(since: UInt64)
    /// Down on its own account.
    case single
    /// Down as a part of a chord, by index.
    case chord(Int)
    /// Still down after the chord.
    case left
  }

  struct Button {
    let name: ControlName
    var follower: PressFollower
    var phase = Phase.up
    /// The chords that it is in, by index.
    var chords: [Int] = []
  }

  struct Chord {
    /// By index, ascending.
    let buttons: [Int]
    var follower: PressFollower
  }

  /// Sorted by name.
  var buttons: [Button] = []
  /// The largest first.
  var chords: [Chord] = []
  private var knobs: [KnobFollower] = []

  /// When `advance` wants to be called; nil while only an input can make a gesture.
  package private(set) var deadline: UInt64?

  /// Recognizes what is bound.
  /// - Parameter timing: the times of a button, as `ControlDeclarations.timing(of:)` tells them.
  package init(bound: Set<Trigger>, timing: (ControlName) -> GestureTiming) {
    let triggers = bound.sorted {
      $0.controls.count != $1.controls.count
        ? $0.controls.count > $1.controls.count : $0.controls.lexicographicallyPrecedes($1.controls)
    }
    for name in Set(triggers.flatMap { $0.controls }).sorted() {
      buttons.append(Button(name: name, follower: PressFollower(timing: PressTiming(timing(name)))))
    }
    for trigger in triggers {
      let members = trigger.controls.compactMap { index(of: $0) }
      if trigger.gesture.isTurn {
        bindTurn(trigger, members)
      } else if members.count == 1 {
        buttons[members[0]].follower.bind(trigger)
      } else {
        bindChord(trigger, members, GestureTiming.slowest(of: trigger.controls.map(timing)))
      }
    }
  }

  /// Takes an input; returns the gestures up to its time.
  package mutating func take(_ input: TimedInput) -> [Recognized] {
    let time = input.time
    var gestures = advance(to: time)
    switch input.input {
    case .down(let name):
      guard let index = index(of: name) else { break }
      goUp(index, time, isGuess: true, into: &gestures)
      goDown(index, time)
    case .up(let name):
      guard let index = index(of: name) else { break }
      goUp(index, time, isGuess: false, into: &gestures)
    case .turn(let name, let detents):
      turn(name, detents, time, into: &gestures)
    }
    settleChords(time, into: &gestures)
    findDeadline()
    return gestures
  }

  /// Lets time pass; returns the gestures that this makes.
  package mutating func advance(to now: UInt64) -> [Recognized] {
    var gestures: [Recognized] = []
    while let due = deadline, due <= now {
      for index in buttons.indices where buttons[index].follower.deadline == due {
        buttons[index].follower.fire(due: due, now: now, into: &gestures)
      }
      for index in chords.indices where chords[index].follower.deadline == due {
        chords[index].follower.fire(due: due, now: now, into: &gestures)
      }
      settleChords(due, into: &gestures)
      findDeadline()
    }
    return gestures
  }

  /// Forgets what is going on without a gesture. Buttons that are down are nothing until they go down again.
  package mutating func reset() {
    for index in buttons.indices {
      buttons[index].phase = .up
      buttons[index].follower.reset()
    }
    for index in chords.indices { chords[index].follower.reset() }
    for index in knobs.indices { knobs[index].reset() }
    findDeadline()
  }

  /// Forgets one button's press without a gesture, and the chord that it is in: its device is gone.
  package mutating func forget(_ name: ControlName) {
    guard let index = index(of: name) else { return }
    if case .chord(let chord) = buttons[index].phase {
      chords[chord].follower.reset()
      leave(chord)
    }
    buttons[index].phase = .up
    buttons[index].follower.reset()
    findDeadline()
  }

  private mutating func findDeadline() {
    var earliest = chordDeadline
    for index in buttons.indices { earliest = earlier(earliest, buttons[index].follower.deadline) }
    for index in chords.indices { earliest = earlier(earliest, chords[index].follower.deadline) }
    deadline = earliest
  }

  private func index(of name: ControlName) -> Int? {
    var range = buttons.startIndex..<buttons.endIndex
    while !range.isEmpty {
      let middle = range.lowerBound + range.count / 2
      if buttons[middle].name == name { return middle }
      range =
        buttons[middle].name < name ? middle + 1..<range.upperBound : range.lowerBound..<middle
    }
    return nil
  }

  // MARK: - Binding

  private mutating func bindChord(_ trigger: Trigger, _ members: [Int], _ timing: GestureTiming) {
    if let index = chords.firstIndex(where: { $0.buttons == members }) {
      return chords[index].follower.bind(trigger)
    }
    var chord = Chord(buttons: members, follower: PressFollower(timing: PressTiming(timing)))
    chord.follower.bind(trigger)
    for member in members { buttons[member].chords.append(chords.count) }
    chords.append(chord)
  }

  /// Which of the controls is the knob, the input will tell; each may be.
  private mutating func bindTurn(_ trigger: Trigger, _ members: [Int]) {
    for (name, member) in zip(trigger.controls, members) {
      let held = members.filter { $0 != member }
      for button in held { buttons[button].follower.isHeldForTurns = true }
      if let index = knobs.firstIndex(where: { $0.name == name }) {
        knobs[index].bind(trigger, held: held)
      } else {
        var knob = KnobFollower(name: name)
        knob.bind(trigger, held: held)
        knobs.append(knob)
      }
    }
  }

  // MARK: - Turns

  private mutating func turn(
    _ name: ControlName, _ detents: Int, _ time: UInt64, into gestures: inout [Recognized]
  ) {
    guard let knob = knobs.firstIndex(where: { $0.name == name }) else { return }
    let steps = knobs[knob].steps(detents, at: time)
    guard
      steps != 0,
      let turn = knobs[knob].turns.first(where: { $0.held.allSatisfy { !buttons[$0].isUp } })
    else { return }
    for index in turn.held { useUp(index, time, into: &gestures) }
    guard let trigger = steps < 0 ? turn.left : turn.right else { return }
    gestures.append(
      Recognized(
        trigger, count: abs(steps),
        detents: min(Int(clamping: detents.magnitude), TurnAcceleration.maxDetents),
        at: time))
  }

  private mutating func useUp(_ index: Int, _ time: UInt64, into gestures: inout [Recognized]) {
    if case .waiting = buttons[index].phase { decide(index, time, into: &gestures) }
    switch buttons[index].phase {
    case .single: buttons[index].follower.useUp(time, into: &gestures)
    case .chord(let chord): chords[chord].follower.useUp(time, into: &gestures)
    case .up, .waiting, .left: break
    }
  }
}

extension GestureRecognizer.Button {
  var isUp: Bool { if case .up = phase { true } else { false } }

  /// When it went down, while a chord is possible.
  var waitingSince: UInt64? { if case .waiting(let since) = phase { since } else { nil } }
}
