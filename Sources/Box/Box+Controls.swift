// Buttons, knobs and lights of the box: a press is a typed command. Control thread; never waits.

import Console
import Controls
import PlaybackModel
import Platform
import Player

extension Box {
  /// How long `test buttons` tells what is pressed.
  static let buttonTestTime: UInt64 = 30_000_000_000

  /// Listens to the controls and lights the lights.
  func openControls() {
    desk.onGesture = { [unowned(unsafe) self] in take($0) }
    desk.onNote = { [unowned(unsafe) self] in log.write(.warning, $0) }
    desk.onInput = { [unowned(unsafe) self] in
      if buttonTest.isRunning { log.write(.info, "test: " + $0.input.text) }
    }
    lights.onNote = { [unowned(unsafe) self] in log.write(.warning, $0) }
    for problem in controlProblems { log.write(.error, problem) }
    for doubt in controls.doubts { log.write(.warning, doubt) }
    if isSafeStart {
      log.write(
        .warning,
        "The button '\(savedSettings.safeButton?.text ?? "")' was held at power-on: a safe start, with defaults and "
          + "nothing remembered. 'save' would keep these settings; a restart brings the former back.")
    }
    showState()
  }

  /// Does what is bound to a gesture, in the state in which it comes.
  private func take(_ gesture: Recognized) {
    guard !buttonTest.isRunning else {
      log.write(.info, "test: " + gesture.trigger.text + (gesture.count > 1 ? " × \(gesture.count)" : ""))
      return
    }
    let state = player.machine.state.kind
    guard let binding = controls.bindings.binding(for: gesture.trigger, in: state) else { return }
    record(gesture, binding)
    for _ in 0..<gesture.count {
      switch perform(binding.command) {
      case .ok: continue
      case .error(let error):
        log.write(.warning, "\(gesture.trigger.text), \(binding.commandLine): \(error.sentence)")
        return
      }
    }
    log.write(.debug, "\(gesture.trigger.text): \(binding.commandLine)")
  }

  /// Shows on the lights what the player is doing.
  func showState() { lights.show(player.machine.state.indicator) }

  /// Controls and lights that are declared and not there, a sentence each.
  var controlProblems: [String] { desk.problems + lights.problems }

  // MARK: Commands

  /// Changes controls or bindings at once; `save` keeps them.
  func control(_ command: ControlCommand) -> Reply {
    switch command {
    case .list: return .ok(Answer(rows: controlRows))
    case .simulate(let input):
      guard controls.isDeclared(input.name) else {
        return .failed("there is no button or knob '\(input.name.text)'; 'controls' lists them")
      }
      desk.take(TimedInput(input, at: scheduler.now))
      return .ok(player.machine.state.statusText)
    default: break
    }
    let before = controls
    do throws(ConsoleError) {
      try controls.apply(command)
    } catch {
      return .error(error)
    }
    if controls.declarations.lights != before.declarations.lights {
      lights.adopt(controls.declarations.lights)
    }
    var listened = before.declarations
    listened.lights = controls.declarations.lights
    if controls.declarations != listened {
      desk.adoptControls(controls)
    } else if controls.bindings != before.bindings {
      desk.adoptBindings(controls)
    }
    let known = before.doubts
    let doubts = controls.doubts.filter { !known.contains($0) }
    return .ok(Answer("'save' keeps it", rows: (controlProblems + doubts).map { Row($0) }))
  }

  private var controlRows: [Row] {
    var rows = controls.lines.map { Row($0, [Field("command", $0)]) }
    rows += (controlProblems + controls.doubts).map { Row("# " + $0, [Field("problem", $0)]) }
    return rows.isEmpty ? [Row("# no controls; 'help button' tells how to declare one")] : rows
  }

  // MARK: Tests

  /// Lights each light in turn, each colour by itself.
  func testLights() -> Reply {
    let names = controls.declarations.lights
    guard !names.isEmpty else { return .failed("there are no lights; 'help led' tells how to declare one") }
    lights.test { [unowned(unsafe) self] in showState() }
    return .ok(
      Answer("each in turn, for half a second", rows: names.map { Row($0.text, [Field("light", $0.text)]) }))
  }

  /// Tells for a while what is pressed, and does nothing else with it.
  func testButtons() -> Reply {
    buttonTest.start(after: Self.buttonTestTime) { [unowned(unsafe) self] in
      log.write(.info, "test: over; buttons do again what is bound to them.")
    }
    return .ok("for 30 s what is pressed is told in the log and does nothing else")
  }
}
