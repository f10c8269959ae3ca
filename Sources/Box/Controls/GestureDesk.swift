// From edges to gestures: the box's buttons and knobs, whatever they are connected to. Control thread; never waits.

import Console
import Controls
import Platform

/// Listens to the declared controls and tells the gestures that somebody bound.
final class GestureDesk {
  /// A gesture that was bound; how many steps, for a knob.
  var onGesture: (Recognized) -> Void = { _ in }
  /// Every change of a control, before it means anything.
  var onInput: (TimedInput) -> Void = { _ in }
  /// A sentence for the log.
  var onNote: (String) -> Void = { _ in }

  private let devices: any ControlDevices
  private let scheduler: any Scheduler
  private var inputs: ControlInputs
  private var recognizer: GestureRecognizer
  private let timer: DeadlineTimer
  /// Inputs that may be reporting just now, and are let go a little later.
  private var former: [ControlInputs] = []
  private let farewell: DeadlineTimer

  /// Opens what is declared; what is not there is looked for.
  init(_ table: ControlTable, devices: any ControlDevices, scheduler: any Scheduler) {
    self.devices = devices
    self.scheduler = scheduler
    timer = DeadlineTimer(scheduler)
    farewell = DeadlineTimer(scheduler)
    inputs = ControlInputs(table.declarations, devices: devices, scheduler: scheduler)
    recognizer = Self.makeRecognizer(table)
    connect()
  }

  /// What is not there now, a sentence each.
  var problems: [String] { inputs.problems }

  /// Whether a button is down.
  func isDown(_ name: ControlName) -> Bool { inputs.isDown(name) }

  /// Takes over a change of bindings or timings; gestures that are under way are forgotten.
  func adoptBindings(_ table: ControlTable) {
    recognizer = Self.makeRecognizer(table)
    wait()
  }

  /// Takes over a change of what is connected.
  func adoptControls(_ table: ControlTable) {
    inputs.end()
    former.append(inputs)
    farewell.start(after: 0) { [unowned(unsafe) self] in former = [] }
    inputs = ControlInputs(table.declarations, devices: devices, scheduler: scheduler)
    connect()
    adoptBindings(table)
  }

  /// As if a control had reported something.
  func take(_ input: TimedInput) {
    onInput(input)
    let gestures = recognizer.take(input)
    wait()
    for gesture in gestures { onGesture(gesture) }
  }

  /// Listens no more.
  func end() {
    timer.stop()
    inputs.end()
  }

  private func connect() {
    inputs.onInput = { [unowned(unsafe) self] in take($0) }
    inputs.onNote = { [unowned(unsafe) self] in onNote($0) }
  }

  private func wait() {
    timer.stop()
    guard let deadline = recognizer.deadline else { return }
    timer.start(at: deadline) { [unowned(unsafe) self] in
      let gestures = recognizer.advance(to: max(deadline, scheduler.now))
      wait()
      for gesture in gestures { onGesture(gesture) }
    }
  }

  private static func makeRecognizer(_ table: ControlTable) -> GestureRecognizer {
    GestureRecognizer(bound: table.bindings.triggers, timing: table.declarations.timing)
  }
}
