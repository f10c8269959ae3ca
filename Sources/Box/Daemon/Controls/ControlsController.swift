// Buttons, knobs and lights of the box: a press is a typed command. Control thread; never waits.

import Console
import Controls
import Flight
import PlaybackModel
import Platform

/// Does what is bound to gestures, and shows the player's state on the lights.
final class ControlsController {
  /// Nanoseconds for which `test buttons` tells what is pressed.
  private static let testTime: UInt64 = 30_000_000_000

  /// Carries out what is bound to a gesture.
  var onCommand: (Command) -> Reply = { _ in .ok() }
  /// Told of tags that come to readers, and go.
  var onTag: (TagInput) -> Void = { _ in }
  /// Told of the live sources when others are declared.
  var onSources: ([SourceDeclaration]) -> Void = { _ in }
  /// The player and the settings that bindings go by.
  var circumstances = Circumstances()
  /// What lights show.
  var indicator: () -> Indicator = { Indicator(.none, .off) }

  /// Recognizes gestures; also asked for the button of a safe start.
  let gestures: GestureController
  /// Buttons, knobs and lights, and what they do.
  private(set) var table: ControlTable
  /// What was pressed before anything could be done with it.
  private var early: [Recognized] = []
  private static let maxEarly = 16
  /// The tag that came before anything could be done with it.
  private var earlyTag: TagInput?
  private let lights: IndicatorLights
  /// Runs while gestures are told instead of done.
  private let testTimer: DeadlineTimer
  private let scheduler: any Scheduler
  private let flight: FlightRecorder
  private let log: Log
  private var subscription: EventSubscription?

  /// What bindings go by.
  struct Circumstances {
    /// The state of the player.
    var state: () -> PlayerState = { .idle(cause: nil, armed: .disarmed) }
    /// Whether the queue ends where a command leads, so that a repetition of it stays with the current track.
    var leadsPastAnEnd: (Command) -> Bool = { _ in false }
    /// How many steps a detent counts at most where it is accelerated.
    var maxSteps: () -> Int = { TurnAcceleration.maxCount }
  }

  /// Opens the controls of a table.
  init(_ table: ControlTable, on machine: any Machine, feed: EventFeed, flight: FlightRecorder, log: Log) {
    self.table = table
    self.flight = flight
    self.log = log
    scheduler = machine.scheduler
    testTimer = DeadlineTimer(scheduler)
    gestures = GestureController(
      table.declarations, bound: table.bindings.triggers, devices: machine.controls, scheduler: scheduler)
    lights = IndicatorLights(table.declarations.lights, devices: machine.controls, scheduler: scheduler)
    subscription = feed.listen { [unowned(unsafe) self] stamped in
      if case .light(let indicator) = stamped.event { lights.show(indicator) }
    }
    gestures.onGesture = { [unowned(unsafe) self] in
      if early.count < Self.maxEarly { early.append($0) }
    }
    gestures.onTag = { [unowned(unsafe) self] in
      if case .lifted = $0 { earlyTag = nil } else { earlyTag = $0 }
    }
  }

  /// Begins to act on gestures, those since power-on included, and lights the lights.
  func start() {
    gestures.onGesture = { [unowned(unsafe) self] in take($0) }
    gestures.onTag = { [unowned(unsafe) self] in take($0) }
    gestures.onNote = { [unowned(unsafe) self] in log.write(.warning, $0) }
    gestures.onInput = { [unowned(unsafe) self] in
      if testTimer.isRunning { log.write(.info, "test: " + $0.input.text) }
    }
    lights.onNote = { [unowned(unsafe) self] in log.write(.warning, $0) }
    for problem in problems { log.write(.error, problem) }
    for warning in table.warnings { log.write(.warning, warning) }
    lights.show(indicator())
    let pressed = early
    early = []
    for gesture in pressed { take(gesture) }
    if let earlyTag { take(earlyTag) }
    earlyTag = nil
  }

  /// Takes the controls of a file that was read after the start, in the place of all others.
  func adopt(_ declared: ControlTable) {
    guard declared.lines != table.lines else { return }
    if !table.lines.isEmpty {
      log.write(
        .warning,
        "The controls of the configuration take the place of those that were declared before it was read.")
    }
    let before = table
    table = declared
    adopt(from: before)
    for problem in problems + table.warnings { log.write(.warning, problem) }
    lights.show(indicator())
  }

  /// Takes the board's own controls and bindings for those of the file, which may be what is wrong. A box without a board
  /// keeps the file's: it has no others.
  func startSafely(_ base: ConfigurationBase) {
    guard base.board != nil else { return }
    let before = table
    table = base.controls
    adopt(from: before)
  }

  /// Listens no more.
  func end() {
    testTimer.stop()
    gestures.end()
    lights.end()
  }

  /// Acts on gestures, but tests nothing any more.
  func stopTest() { testTimer.stop() }

  /// Controls and lights that are declared and not there, a sentence each.
  var problems: [String] { gestures.problems + lights.problems }

  private func take(_ tag: TagInput) {
    if testTimer.isRunning { log.write(.info, "test: " + tag.text) } else { onTag(tag) }
  }

  private func take(_ gesture: Recognized) {
    guard !testTimer.isRunning else {
      log.write(.info, "test: " + gesture.trigger.text + (gesture.count > 1 ? " × \(gesture.count)" : ""))
      return
    }
    guard let binding = table.bindings.binding(for: gesture.trigger, in: circumstances.state().kind) else {
      return
    }
    flight.noteGesture(gesture.trigger.gesture.name, count: gesture.count)
    flight.note(binding.command, from: .button)
    for _ in 0..<repetitions(of: gesture, binding.command) {
      if gesture.isRepeated, circumstances.leadsPastAnEnd(binding.command) { break }
      switch onCommand(binding.command) {
      case .ok: continue
      case .error(let error):
        log.write(.warning, "\(gesture.trigger.text), \(binding.commandLine): \(error.sentence)")
        return
      }
    }
    log.write(.debug, "\(gesture.trigger.text): \(binding.commandLine)")
  }

  /// How often a gesture gives its command. Fast turning counts more where it leads along a scale.
  private func repetitions(of gesture: Recognized, _ command: Command) -> Int {
    switch command {
    case .volume, .seek: gesture.steps(max: circumstances.maxSteps())
    default: gesture.detents
    }
  }

  // MARK: Commands

  /// Changes controls or bindings at once; `save` keeps them.
  func perform(_ command: ControlCommand) -> Reply {
    switch command {
    case .list: return .ok(Answer(rows: rows))
    case .simulate(let input):
      guard table.isDeclared(input.name) else {
        return .failed("there is no button or knob '\(input.name.text)'; 'controls' lists them")
      }
      gestures.take(TimedInput(input, at: scheduler.now))
      return .ok(circumstances.state().statusText)
    case .source(_, let change) where change.runsProgram:
      return .failed(
        "what runs a program is taken from the configuration file only: write the line there, and start the daemon anew"
      )
    default: break
    }
    let before = table
    let formerProblems = problems
    do throws(ConsoleError) {
      try table.apply(command)
    } catch {
      return .error(error)
    }
    adopt(from: before)
    let known = before.warnings
    let warnings = table.warnings.filter { !known.contains($0) }
    // A binding says nothing about lights and buttons that were missing before.
    let isDeclaration = table.declarations != before.declarations
    let present = isDeclaration ? problems : problems.filter { !formerProblems.contains($0) }
    return .ok(Answer("'save' keeps it", rows: (present + warnings).map { Row($0) }))
  }

  private func adopt(from before: ControlTable) {
    if table.sources != before.sources { onSources(table.sources) }
    let declarations = table.declarations
    if declarations.lights != before.declarations.lights { lights.adopt(declarations.lights) }
    var listened = before.declarations
    listened.lights = declarations.lights
    if declarations != listened {
      gestures.adopt(declarations, bound: table.bindings.triggers)
    } else if table.bindings != before.bindings {
      gestures.rebind(table.bindings.triggers, in: declarations)
    }
  }

  private var rows: [Row] {
    var rows = table.lines.map { Row($0, [Field("command", $0)]) }
    rows += (problems + table.warnings).map { Row("# " + $0, [Field("problem", $0)]) }
    return rows.isEmpty ? [Row("# no controls; 'help button' explains how to declare one")] : rows
  }

  /// Lights each light in turn, each colour by itself.
  func testLights() -> Reply {
    let names = table.declarations.lights
    guard !names.isEmpty else {
      return .failed("there are no lights; 'help led' explains how to declare one")
    }
    let present = lights.present
    guard !present.isEmpty else {
      return .failed("none of the lights is there: " + lights.problems.joined(separator: "; "))
    }
    lights.test { [unowned(unsafe) self] in lights.show(indicator()) }
    let missing = lights.problems.map { Row("# " + $0, [Field("problem", $0)]) }
    return .ok(
      Answer(
        "each in turn, for half a second",
        rows: present.map { Row($0.text, [Field("light", $0.text)]) } + missing))
  }

  /// Tells for a while what is pressed, and does nothing else with it.
  func testButtons() -> Reply {
    testTimer.start(after: Self.testTime) { [unowned(unsafe) self] in
      log.write(.info, "test: over; buttons are bound again.")
    }
    return .ok("for 30 s, presses are logged and do nothing else")
  }
}
