// Declarations of a box's buttons, knobs, lights, panels and tag readers. Pure values; any thread.

/// A line of a GPIO chip, as addressed through the Linux GPIO character device.
package struct GPIOLine: Hashable, Sendable {
  /// A device such as `gpiochip0`, or a chip's label such as `pinctrl-bcm2835`.
  package let chip: String
  /// The line's number on the chip.
  package let offset: Int
  /// Whether a low level means pressed or lit.
  package let isActiveLow: Bool

  /// Creates a line.
  package init(chip: String, offset: Int, isActiveLow: Bool) {
    self.chip = chip
    self.offset = offset
    self.isActiveLow = isActiveLow
  }
}

/// The GPIO chip's internal pull resistor on an input.
package enum Bias: UInt8, Hashable, Sendable, CaseIterable {
  case pullUp, pullDown, none
}

/// An evdev event code (linux/input-event-codes.h), optionally limited to one device.
package struct InputCode: Hashable, Sendable {
  /// The EV_KEY or EV_REL code.
  package let code: UInt16
  /// The device's path, its name or a part of its name; nil: any device.
  package let device: String?

  /// Creates a code.
  package init(code: UInt16, device: String?) {
    self.code = code
    self.device = device
  }
}

/// A button and its connection.
package struct ButtonDeclaration: Hashable, Sendable {
  /// The connection of a button.
  package enum Source: Hashable, Sendable {
    case gpio(GPIOLine, Bias)
    case key(InputCode)
    /// A microcontroller on a serial line, which reports the button by name.
    case panel
  }

  /// The button's name.
  package let name: ControlName
  /// The connection.
  package let source: Source

  /// Creates a declaration.
  package init(_ name: ControlName, _ source: Source) {
    self.name = name
    self.source = source
  }
}

/// A rotary encoder and its connection.
package struct KnobDeclaration: Hashable, Sendable {
  /// The connection of a rotary encoder.
  package enum Source: Hashable, Sendable {
    /// Two lines in quadrature; `stepsPerDetent` is 1, 2 or 4.
    case gpio(a: GPIOLine, b: GPIOLine, Bias, stepsPerDetent: Int)
    /// A relative axis of an input device.
    case axis(InputCode)
    /// A microcontroller on a serial line, which reports the knob by name.
    case panel
  }

  /// The knob's name.
  package let name: ControlName
  /// The connection.
  package let source: Source

  /// Creates a declaration.
  package init(_ name: ControlName, _ source: Source) {
    self.name = name
    self.source = source
  }
}

/// A light, or one colour channel of it.
package struct LightDeclaration: Hashable, Sendable {
  /// The colour of a light.
  package enum Colour: UInt8, Hashable, Sendable, CaseIterable {
    /// A single light of any colour, which shows every pattern.
    case any
    case red, green, blue
  }

  /// The connection of a light.
  package enum Sink: Hashable, Sendable {
    case gpio(GPIOLine)
    /// A folder of /sys/class/leds.
    case sysfs(String)
  }

  /// The light's name.
  package let name: ControlName
  /// The light's colour.
  package let colour: Colour
  /// The connection.
  package let sink: Sink

  /// Creates a declaration.
  package init(_ name: ControlName, _ colour: Colour, _ sink: Sink) {
    self.name = name
    self.colour = colour
    self.sink = sink
  }

  /// The name and the colour, such as `status-r (red)`.
  package var text: String {
    switch colour {
    case .any: name.text
    case .red: name.text + " (red)"
    case .green: name.text + " (green)"
    case .blue: name.text + " (blue)"
    }
  }
}

/// A panel: a serial line on which a microcontroller reports buttons, knobs and tags.
package struct PanelDeclaration: Hashable, Sendable {
  /// The path of the tty.
  package let path: String
  /// The speed, in baud.
  package let baud: Int

  /// Creates a declaration.
  package init(path: String, baud: Int) {
    self.path = path
    self.baud = baud
  }
}

/// All control declarations of a box. Each list is in the order of declaration.
package struct ControlDeclarations: Hashable, Sendable {
  /// The most buttons, knobs, lights, panels and readers, each.
  package static let limit = 32

  /// Buttons.
  package var buttons: [ButtonDeclaration] = []
  /// Rotary encoders and wheels.
  package var knobs: [KnobDeclaration] = []
  /// Lights. Lights of one name and different colours are mixed.
  package var lights: [LightDeclaration] = []
  /// Microcontrollers on serial lines.
  package var panels: [PanelDeclaration] = []
  /// Readers of RFID tags.
  package var readers: [ReaderDeclaration] = []
  /// The gesture times of buttons that differ from `timing`.
  package var timings: [ControlName: GestureTiming] = [:]
  /// The gesture times of buttons without an entry in `timings`.
  package var timing = GestureTiming()

  /// Creates empty declarations.
  package init() {}

  /// The GPIO lines of all controls, in the order of declaration. Each comes with the control that uses it, such as
  /// `button play`.
  package var gpioLines: [(control: String, line: GPIOLine)] {
    var lines: [(control: String, line: GPIOLine)] = []
    for button in buttons {
      if case .gpio(let line, _) = button.source { lines.append(("button " + button.name.text, line)) }
    }
    for knob in knobs {
      if case .gpio(let a, let b, _, _) = knob.source {
        lines.append(("knob " + knob.name.text, a))
        lines.append(("knob " + knob.name.text, b))
      }
    }
    for light in lights {
      if case .gpio(let line) = light.sink { lines.append(("light " + light.text, line)) }
    }
    return lines
  }

  /// The gesture times of a button.
  package func timing(of name: ControlName) -> GestureTiming { timings[name] ?? timing }
}
