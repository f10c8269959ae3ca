// Which controls a box has and where they are connected. Pure values; any thread.

/// A GPIO line as the character device names it.
package struct GPIOLine: Hashable, Sendable {
  /// A device such as `gpiochip0`, or a chip's label such as `pinctrl-bcm2835`.
  package let chip: String
  /// The line's number on the chip.
  package let offset: Int
  /// Whether low means pressed or lit.
  package let isActiveLow: Bool

  /// A line of a chip.
  package init(chip: String, offset: Int, isActiveLow: Bool) {
    self.chip = chip
    self.offset = offset
    self.isActiveLow = isActiveLow
  }
}

/// The resistor that the chip itself puts on an input.
package enum Bias: UInt8, Hashable, Sendable, CaseIterable {
  case pullUp, pullDown, none
}

/// A code of an input device, by evdev (linux/input-event-codes.h).
package struct InputCode: Hashable, Sendable {
  /// EV_KEY's or EV_REL's code.
  package let code: UInt16
  /// A device's name or a part of it, or its path; nil: any device.
  package let device: String?

  /// A code of a device.
  package init(code: UInt16, device: String?) {
    self.code = code
    self.device = device
  }
}

/// A button and where it is.
package struct ButtonDeclaration: Hashable, Sendable {
  /// Where a button can be.
  package enum Source: Hashable, Sendable {
    case gpio(GPIOLine, Bias)
    case key(InputCode)
    /// A microcontroller on a serial line reports it by name.
    case panel
  }

  /// Its name.
  package let name: ControlName
  /// Where it is.
  package let source: Source

  /// A button somewhere.
  package init(_ name: ControlName, _ source: Source) {
    self.name = name
    self.source = source
  }
}

/// A knob that turns without end, and where it is.
package struct KnobDeclaration: Hashable, Sendable {
  /// Where a knob can be.
  package enum Source: Hashable, Sendable {
    /// Two lines in quadrature; `stepsPerDetent` is 1, 2 or 4.
    case gpio(a: GPIOLine, b: GPIOLine, Bias, stepsPerDetent: Int)
    /// A relative axis of an input device.
    case axis(InputCode)
    /// A microcontroller on a serial line reports it by name.
    case panel
  }

  /// Its name.
  package let name: ControlName
  /// Where it is.
  package let source: Source

  /// A knob somewhere.
  package init(_ name: ControlName, _ source: Source) {
    self.name = name
    self.source = source
  }
}

/// A light, or one colour of it.
package struct LightDeclaration: Hashable, Sendable {
  /// What the light looks like.
  package enum Colour: UInt8, Hashable, Sendable, CaseIterable {
    /// One colour, whichever: it shows every pattern.
    case any
    case red, green, blue
  }

  /// Where a light can be.
  package enum Sink: Hashable, Sendable {
    case gpio(GPIOLine)
    /// A folder of /sys/class/leds.
    case sysfs(String)
  }

  /// Its name.
  package let name: ControlName
  /// Its colour.
  package let colour: Colour
  /// Where it is.
  package let sink: Sink

  /// A light somewhere.
  package init(_ name: ControlName, _ colour: Colour, _ sink: Sink) {
    self.name = name
    self.colour = colour
    self.sink = sink
  }

  /// Its name and its colour, such as `status-r (red)`.
  package var text: String {
    switch colour {
    case .any: name.text
    case .red: name.text + " (red)"
    case .green: name.text + " (green)"
    case .blue: name.text + " (blue)"
    }
  }
}

/// A serial line on which a microcontroller reports buttons and knobs.
package struct PanelDeclaration: Hashable, Sendable {
  /// The tty.
  package let path: String
  /// Its speed.
  package let baud: Int

  /// A panel on a tty.
  package init(path: String, baud: Int) {
    self.path = path
    self.baud = baud
  }
}

/// All controls of a box.
package struct ControlDeclarations: Hashable, Sendable {
  /// The most buttons, knobs, lights, panels and readers, each.
  package static let limit = 32

  /// In the order of declaration, as all lists here.
  package var buttons: [ButtonDeclaration] = []
  /// Rotary encoders and wheels.
  package var knobs: [KnobDeclaration] = []
  /// Lights; several of one name mix their colours.
  package var lights: [LightDeclaration] = []
  /// Microcontrollers on serial lines.
  package var panels: [PanelDeclaration] = []
  /// Readers of tags.
  package var readers: [ReaderDeclaration] = []
  /// The times of buttons that differ from `timing`.
  package var timings: [ControlName: GestureTiming] = [:]
  /// The times of all other buttons.
  package var timing = GestureTiming()

  /// None.
  package init() {}

  /// The times of a button.
  package func timing(of name: ControlName) -> GestureTiming { timings[name] ?? timing }
}
