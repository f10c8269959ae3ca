// Turns the inputs of a box's buttons and knobs into gestures. Control thread; never blocks.

import Platform

/// Opens the declared controls, recognizes gestures, and reports those that are bound.
package final class GestureController {
  /// Called with each bound gesture; for a knob, with the number of steps.
  package var onGesture: (Recognized) -> Void = { _ in }
  /// Called with every input, before gesture recognition.
  package var onInput: (TimedInput) -> Void = { _ in }
  /// Called when a tag is placed on a reader or removed.
  package var onTag: (TagInput) -> Void = { _ in }
  /// Called with a sentence for the log.
  package var onNote: (String) -> Void = { _ in }

  private let scheduler: any Scheduler
  private var inputs: ControlInputs
  private var recognizer: GestureRecognizer
  private let timer: DeadlineTimer
  /// Replaced inputs that may be executing a callback; they are released on the next turn of the event loop.
  private var former: [ControlInputs] = []
  private let farewell: DeadlineTimer

  /// Opens the declared controls, and retries the missing ones.
  ///
  /// - Parameters:
  ///   - declarations: Buttons, knobs, readers and panels, with their timings.
  ///   - triggers: The bound gestures; only these are recognized.
  ///   - devices: The machine's devices.
  ///   - scheduler: The clock and event loop.
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

  /// One sentence for each missing control.
  package var problems: [String] { inputs.problems }

  /// Whether a button is down.
  package func isDown(_ name: ControlName) -> Bool { inputs.isDown(name) }

  /// Applies changed bindings or timings. Gestures in progress are dropped.
  package func rebind(_ triggers: Set<Trigger>, in declarations: ControlDeclarations) {
    recognizer = Self.recognizer(of: triggers, in: declarations)
    wait()
  }

  /// Applies changed declarations: closes all devices and opens them again.
  package func adopt(_ declarations: ControlDeclarations, bound triggers: Set<Trigger>) {
    inputs.end()
    former.append(inputs)
    farewell.start(after: 0) { [unowned(unsafe) self] in former = [] }
    inputs = ControlInputs(declarations, after: inputs)
    connect()
    rebind(triggers, in: declarations)
  }

  /// Processes an input as if a control had reported it.
  package func take(_ input: TimedInput) {
    onInput(input)
    let gestures = recognizer.take(input)
    wait()
    for gesture in gestures { onGesture(gesture) }
  }

  /// Closes all devices. The controller cannot be used again.
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
