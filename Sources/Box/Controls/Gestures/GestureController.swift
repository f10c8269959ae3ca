// From edges to gestures: a box's buttons and knobs, whatever they are connected to. Control thread; never waits.

import Platform

/// Listens to the declared controls and reports the gestures that are bound.
package final class GestureController {
  /// Called with each bound gesture; for a knob, with the number of steps.
  package var onGesture: (Recognized) -> Void = { _ in }
  /// Called with every change of a control, before it is recognized as anything.
  package var onInput: (TimedInput) -> Void = { _ in }
  /// Called when a tag has come to a reader, or has gone.
  package var onTag: (TagInput) -> Void = { _ in }
  /// Called with a sentence for the log.
  package var onNote: (String) -> Void = { _ in }

  private let scheduler: any Scheduler
  private var inputs: ControlInputs
  private var recognizer: GestureRecognizer
  private let timer: DeadlineTimer
  /// Inputs that may be reporting just now, and are let go a little later.
  private var former: [ControlInputs] = []
  private let farewell: DeadlineTimer

  /// Opens the declared controls and looks again for those that are missing.
  ///
  /// - Parameters:
  ///   - declarations: Buttons, knobs and panels, with their timings.
  ///   - triggers: The gestures that are bound: only these are told apart.
  package init(
    _ declarations: ControlDeclarations, bound triggers: Set<Trigger>, devices: any ControlDevices,
    scheduler: any Scheduler
  ) {
    self.scheduler = scheduler
    timer = DeadlineTimer(scheduler)
    farewell = DeadlineTimer(scheduler)
    inputs = ControlInputs(declarations, devices: devices, scheduler: scheduler)
    recognizer = Self.recognizer(of: triggers, in: declarations)
    connect()
  }

  /// The controls that are missing now, a sentence each.
  package var problems: [String] { inputs.problems }

  /// Whether a button is down.
  package func isDown(_ name: ControlName) -> Bool { inputs.isDown(name) }

  /// Takes over a change of bindings or timings; gestures that are under way are forgotten.
  package func rebind(_ triggers: Set<Trigger>, in declarations: ControlDeclarations) {
    recognizer = Self.recognizer(of: triggers, in: declarations)
    wait()
  }

  /// Takes over a change of what is connected: opens everything again.
  package func adopt(_ declarations: ControlDeclarations, bound triggers: Set<Trigger>) {
    inputs.end()
    former.append(inputs)
    farewell.start(after: 0) { [unowned(unsafe) self] in former = [] }
    inputs = ControlInputs(declarations, after: inputs)
    connect()
    rebind(triggers, in: declarations)
  }

  /// Takes an input as if a control had reported it.
  package func take(_ input: TimedInput) {
    onInput(input)
    let gestures = recognizer.take(input)
    wait()
    for gesture in gestures { onGesture(gesture) }
  }

  /// Stops listening, for good.
  package func end() {
    timer.stop()
    inputs.end()
  }

  private func connect() {
    inputs.onInput = { [unowned(unsafe) self] in take($0) }
    inputs.onTag = { [unowned(unsafe) self] in onTag($0) }
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

  private static func recognizer(
    of triggers: Set<Trigger>, in declarations: ControlDeclarations
  ) -> GestureRecognizer {
    GestureRecognizer(bound: triggers, timing: declarations.timing(of:))
  }
}
