// Buttons, knobs and lights: turns gestures into the commands bound to them. Control thread; never blocks.

import Console
import Controls
import Flight
import PlaybackModel
import Platform
import Player
import SwiftletEngine

/// Runs the commands bound to gestures, and shows the player's state on the lights.
final class ControlsController {
  /// Nanoseconds that `test buttons` lasts.
  private static let testTime: UInt64 = 30_000_000_000

  /// Light pattern that ends with the next command of a button; nil: none.
  private(set) var startLight: StartLight?

  /// Gesture recognition; also used to check the safe-start button.
  let gestures: GestureController
  /// Declarations of buttons, knobs, lights and live sources, and the bindings.
  private(set) var table: ControlTable
  /// Gestures that arrived before `start`.
  private var early: [Recognized] = []
  private static let maxEarly = 16
  /// Tag that was placed on a reader before `start`.
  private var earlyTag: TagInput?
  private let lights: IndicatorLights
  /// Runs during `test buttons`, while gestures are logged instead of carried out.
  private let testTimer: DeadlineTimer
  private let configuration: ConfigurationStore
  private let outputs: OutputController
  private let tags: TagController
  private let sources: SourceController
  private let commands: CommandEntry
  private let scheduler: any Scheduler
  private let flight: FlightRecorder
  private let log: Log
  private var subscription: EventSubscription?

  /// Opens the declared controls and lights. Gestures are queued until `start`.
  init(
    _ configuration: ConfigurationStore, _ outputs: OutputController, _ tags: TagController,
    _ sources: SourceController, _ commands: CommandEntry, on machine: any Machine, feed: EventFeed,
    flight: FlightRecorder, log: Log
  ) {
    table = configuration.declaredControls
    self.configuration = configuration
    self.outputs = outputs
    self.tags = tags
    self.sources = sources
    self.commands = commands
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

  /// Starts carrying out gestures, including those queued since power-on, and switches the lights on.
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
    lights.show(indicator)
    let pressed = early
    early = []
    for gesture in pressed { take(gesture) }
    if let earlyTag { take(earlyTag) }
    earlyTag = nil
  }

  /// Replaces all controls by those of a configuration file that was read after the start.
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
    lights.show(indicator)
  }

  /// Replaces the file's controls, which may be the fault, by the board's defaults. Without a board profile the file's
  /// controls stay.
  func startSafely(_ base: ConfigurationBase) {
    guard base.board != nil else { return }
    let before = table
    table = base.controls
    adopt(from: before)
  }

  /// Closes controls and lights.
  func end() {
    testTimer.stop()
    gestures.end()
    lights.end()
  }

  /// Ends `test buttons`.
  func stopTest() { testTimer.stop() }

  /// Controls and lights that are declared but cannot be opened, a sentence each.
  var problems: [String] { gestures.problems + lights.problems }

  /// Shows a light pattern until the next command of a button, or until music plays.
  func showUntilPressed(_ light: StartLight) {
    startLight = light
    outputs.noteLight()
  }

  private var state: PlayerState {
    outputs.openedPlayer?.machine.state ?? .idle(cause: nil, armed: .disarmed)
  }

  private var indicator: Indicator { outputs.indicator(of: state) }

  private func take(_ tag: TagInput) {
    if testTimer.isRunning { log.write(.info, "test: " + tag.text) } else { tags.take(tag) }
  }

  private func take(_ gesture: Recognized) {
    guard !testTimer.isRunning else {
      log.write(.info, "test: " + gesture.trigger.text + (gesture.count > 1 ? " × \(gesture.count)" : ""))
      return
    }
    guard let binding = table.bindings.binding(for: gesture.trigger, in: state.kind) else {
      return
    }
    flight.noteGesture(gesture.trigger.gesture.name, count: gesture.count)
    flight.note(binding.command, from: .button)
    let begun = scheduler.now
    startLight?.end()
    for _ in 0..<repetitions(of: gesture, binding.command) {
      if gesture.isRepeated, outputs.player.leadsPastAnEnd(binding.command) { break }
      switch commands.performFromButton(binding.command) {
      case .ok: continue
      case .error(let error):
        flight.noteAnswer(isOK: false, took: scheduler.now - begun)
        log.write(.warning, "\(gesture.trigger.text), \(binding.commandLine): \(error.sentence)")
        return
      }
    }
    flight.noteAnswer(isOK: true, took: scheduler.now - begun)
    log.write(.debug, "\(gesture.trigger.text): \(binding.commandLine)")
  }

  /// How many times a gesture runs its command. Acceleration applies to volume and seek only.
  private func repetitions(of gesture: Recognized, _ command: Command) -> Int {
    command.properties.uses.contains(.acceleration)
      ? gesture.steps(max: configuration.settings.knobAcceleration) : gesture.detents
  }

  // MARK: Commands

  /// Carries out a control command. Changes apply at once; `save` stores them.
  func perform(_ command: ControlCommand) -> Reply {
    switch command {
    case .list: return .ok(Answer(rows: rows))
    case .simulate(let input):
      guard table.isDeclared(input.name) else {
        return .failed("there is no button or knob '\(input.name.text)'; 'controls' lists them")
      }
      gestures.take(TimedInput(input, at: scheduler.now))
      return .ok(state.statusText)
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
    // After a change of bindings, do not report devices that were already missing.
    let isDeclaration = table.declarations != before.declarations
    let present = isDeclaration ? problems : problems.filter { !formerProblems.contains($0) }
    return .ok(Answer("'save' keeps it", rows: (present + warnings).map { Row($0) }))
  }

  private func adopt(from before: ControlTable) {
    if table.sources != before.sources { sources.adopt(table.sources) }
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

  /// Lights each light in turn, each colour separately.
  func testLights() -> Reply {
    let names = table.declarations.lights
    guard !names.isEmpty else {
      return .failed("there are no lights; 'help led' explains how to declare one")
    }
    let present = lights.present
    guard !present.isEmpty else {
      return .failed("none of the lights is there: " + lights.problems.joined(separator: "; "))
    }
    lights.test { [unowned(unsafe) self] in lights.show(indicator) }
    let missing = lights.problems.map { Row("# " + $0, [Field("problem", $0)]) }
    return .ok(
      Answer(
        "each in turn, for half a second",
        rows: present.map { Row($0.text, [Field("light", $0.text)]) } + missing))
  }

  /// Logs gestures for `testTime` instead of carrying them out.
  func testButtons() -> Reply {
    testTimer.start(after: Self.testTime) { [unowned(unsafe) self] in
      log.write(.info, "test: over; buttons are bound again.")
    }
    return .ok("for 30 s, presses are logged and have no other effect")
  }
}
