// Recognizes gestures from button and knob inputs. Pure: no clock and no I/O. Control thread.

/// Recognizes bound gestures only, so that an unbound gesture never causes a delay.
///
/// Pass every input to `take` in the order of arrival, and call `advance` when `deadline` is reached. Before
/// `advance`, read pending events of the input devices: an edge with a time before the deadline is then
/// processed first. If a deadline and an edge have the same time, the deadline is processed first.
///
/// - `press` acts on the down edge, `release` on the up edge. If a chord with the button is bound, both wait
///   until the chord is ruled out: until its time limit, or until the button comes up.
/// - `short` acts on the up edge. If `double` or `triple` is bound, it acts once `gap` has passed without a
///   further tap. `double` waits in the same way if `triple` is bound. Two taps are two shorts if only
///   `triple` and `short` are bound.
/// - `long` acts when the button has been down for its time; the press is then no `short`.
/// - `hold` acts after its time (or that of `long`, if longer, for a button held to turn a knob), then after
///   `repeatInterval`, with each following wait a tenth shorter, down to `shortestRepeat`. There is neither
///   `long` nor `short` after a `hold`, so if both are bound, `hold` must have the longer time. Repeats
///   missed by a late `advance` are skipped. A button still down `maxHold` after its first `hold` counts as
///   stuck and stops repeating.
/// - A press longer than the time of `long` is no `short` if `long` or `hold` is bound. Otherwise it is,
///   because a slow press can mean nothing different.
/// - A chord's buttons go down within `chord` of each other. The chord then acts like one button, with the
///   slowest times of its buttons: down when its last button goes down, up when its first comes up. Its
///   buttons make no gestures of their own until they have come up. A chord waits while a larger chord that
///   contains it is possible. A button that has been down for longer than `chord` joins no chord.
/// - A turn belongs to the largest bound set of buttons that are down; the plain turn applies if there is
///   none. Such a set captures both directions, even if only one is bound. Its buttons make no `short`,
///   `long` or `hold` in this press, but they do make `release`. Fast turns count more: see
///   `TurnAcceleration`.
/// - Lost edges and unordered time stamps leave no button stuck. A second down counts as an up and a down; an
///   up without a down is ignored; a press that ends before it began counts as short.
///
/// The state is bounded by the bindings: a few numbers per button, chord and knob.
package struct GestureRecognizer: Sendable {
  /// The longest time for which a button repeats `hold`, in nanoseconds.
  package static let maxHold: UInt64 = 30_000_000_000

  /// The state of a button.
  enum Phase {
    case up
    /// Down, and a chord is still possible.
    case waiting(since: UInt64)
    /// Down, acting alone.
    case single
    /// Down as part of a chord, given by its index.
    case chord(Int)
    /// Still down after its chord has ended.
    case left
  }

  struct Button {
    let name: ControlName
    var follower: PressFollower
    var phase = Phase.up
    /// Indices of the chords that contain it.
    var chords: [Int] = []
  }

  struct Chord {
    /// Indices, ascending.
    let buttons: [Int]
    var follower: PressFollower
  }

  /// Sorted by name.
  var buttons: [Button] = []
  /// Sorted by size, largest first.
  var chords: [Chord] = []
  private var knobs: [KnobFollower] = []

  /// The time at which to call `advance`; nil while no gesture is pending.
  package private(set) var deadline: UInt64?

  /// Creates a recognizer for the bound triggers.
  ///
  /// - Parameters:
  ///   - bound: The bound triggers.
  ///   - timing: Returns the times of a button, as `ControlDeclarations.timing(of:)` does.
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

  /// Processes an input.
  ///
  /// - Returns: The gestures up to the input's time.
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

  /// Processes the passage of time.
  ///
  /// - Parameter now: The current time, in nanoseconds.
  /// - Returns: The gestures that became due.
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

  /// Drops all gestures in progress. Buttons that are down are ignored until they go down again.
  package mutating func reset() {
    for index in buttons.indices {
      buttons[index].phase = .up
      buttons[index].follower.reset()
    }
    for index in chords.indices { chords[index].follower.reset() }
    for index in knobs.indices { knobs[index].reset() }
    findDeadline()
  }

  /// Drops a button's press, and the chord it is part of, because its device has been removed.
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

  /// Registers the trigger for each control, because any of them may be the knob; the inputs decide.
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

  /// The time at which the button went down, if it is still waiting for a chord.
  var waitingSince: UInt64? { if case .waiting(let since) = phase { since } else { nil } }
}
