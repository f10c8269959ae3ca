// Inputs on fake devices, with their reports. Test threads.

import Controls
import Platform
import Testing

/// Running inputs.
final class InputBench {
  let loop: EventLoop
  let devices: FakeDevices
  let inputs: ControlInputs
  private(set) var reports: [TimedInput] = []
  private(set) var notes: [String] = []

  var changes: [ControlInput] { reports.map(\.input) }

  init(
    _ declarations: ControlDeclarations, _ devices: FakeDevices = FakeDevices(),
    real: (any ControlDevices)? = nil
  ) throws {
    loop = try EventLoop()
    self.devices = devices
    inputs = ControlInputs(declarations, devices: real ?? devices, scheduler: loop)
    inputs.onInput = { [unowned self] in reports.append($0) }
    inputs.onNote = { [unowned self] in notes.append($0) }
  }

  deinit { inputs.end() }

  /// Waits until a condition holds.
  func wait(
    for what: Comment, sourceLocation: SourceLocation = #_sourceLocation, until isTrue: () -> Bool
  ) {
    var isLate = false
    let guardian = loop.after(20_000_000_000) { isLate = true }
    while !isTrue(), !isLate { loop.turn(waits: true) }
    loop.remove(guardian)
    #expect(isTrue(), what, sourceLocation: sourceLocation)
  }

  /// Handles all pending events.
  func settle() {
    for _ in 0..<4 { loop.turn(waits: false) }
  }

  /// Whether no event occurs for some milliseconds.
  func isIdle(milliseconds: UInt64) -> Bool {
    var isOver = false
    _ = loop.after(milliseconds * 1_000_000) { isOver = true }
    loop.turn(waits: true)
    return isOver
  }
}

extension ControlDeclarations {
  mutating func button(
    _ text: String, line: Int, chip: String = "gpiochip0", activeLow: Bool = true, bias: Bias = .pullUp
  ) {
    buttons.append(
      ButtonDeclaration(
        name(text), .gpio(GPIOLine(chip: chip, offset: line, isActiveLow: activeLow), bias)))
  }

  mutating func knob(_ text: String, a: Int, b: Int, steps: Int = 4) {
    knobs.append(
      KnobDeclaration(
        name(text),
        .gpio(
          a: GPIOLine(chip: "gpiochip0", offset: a, isActiveLow: true),
          b: GPIOLine(chip: "gpiochip0", offset: b, isActiveLow: true), .pullUp, stepsPerDetent: steps)))
  }
}
