// A button or knob on GPIO lines, and the line settings to request for it. Pure values; control thread.

import Platform

/// A control on lines of one GPIO chip.
struct LineControl: Hashable {
  enum Kind: Hashable {
    case button
    /// A rotary encoder on two lines in quadrature.
    case knob(stepsPerDetent: Int)
  }

  let name: ControlName
  let kind: Kind
  /// One line for a button, two for a knob.
  let lines: [GPIOLine]
  let bias: Bias
  /// The time that a level must be stable to count, in milliseconds.
  let debounce: Int
  /// Whether to request debouncing from the kernel. Its resolution is a timer tick of up to 10 ms, too coarse
  /// for a knob that is turned fast.
  let wantsKernelDebounce: Bool

  init(_ button: ButtonDeclaration, _ line: GPIOLine, _ bias: Bias, debounce: Int) {
    name = button.name
    kind = .button
    lines = [line]
    self.bias = bias
    self.debounce = debounce
    wantsKernelDebounce = debounce > 0
  }

  init(_ knob: KnobDeclaration, a: GPIOLine, b: GPIOLine, _ bias: Bias, stepsPerDetent: Int) {
    name = knob.name
    kind = .knob(stepsPerDetent: stepsPerDetent)
    lines = [a, b]
    self.bias = bias
    debounce = QuadratureDecoder.debounce(stepsPerDetent: stepsPerDetent)
    wantsKernelDebounce = stepsPerDetent == 1
  }

  var subject: String { (kind == .button ? "button " : "knob ") + name.text }
}

/// The features to request from a GPIO driver; some drivers refuse debouncing or bias.
struct LineAbilities: Hashable {
  var debounces: Bool
  var hasBias: Bool

  /// The combinations to try, from the most to the fewest features.
  static let ladder = [
    LineAbilities(debounces: true, hasBias: true), LineAbilities(debounces: false, hasBias: true),
    LineAbilities(debounces: true, hasBias: false), LineAbilities(debounces: false, hasBias: false),
  ]

  func kernelDebounces(_ control: LineControl) -> Bool { debounces && control.wantsKernelDebounce }

  func settings(_ control: LineControl) -> [GPIOLineSettings] {
    control.lines.map { line in
      var flags: GPIOLineFlags = line.isActiveLow ? [.input, .activeLow] : .input
      if hasBias {
        switch control.bias {
        case .pullUp: flags.insert(.pullUp)
        case .pullDown: flags.insert(.pullDown)
        case .none: flags.insert(.noPull)
        }
      }
      return GPIOLineSettings(
        offset: line.offset, flags: flags, debounce: kernelDebounces(control) ? control.debounce * 1000 : 0)
    }
  }
}
