// Which controls a box has and where they are connected. Pure values; any thread.

/// A GPIO line as the character device names it.
public struct GPIOLine: Hashable, Sendable {
  /// A device such as `gpiochip0`, or a chip's label such as `pinctrl-bcm2835`.
  public let chip: String
  /// The line's number on the chip.
  public let offset: Int
  /// Whether low means pressed or lit.
  public let isActiveLow: Bool

  /// A line of a chip.
  public init(chip: String, offset: Int, isActiveLow: Bool) {
    self.chip = chip
    self.offset = offset
    self.isActiveLow = isActiveLow
  }
}

/// The resistor that the chip itself puts on an input.
public enum Bias: UInt8, Hashable, Sendable, CaseIterable {
  case pullUp, pullDown, none
}

/// A code of an input device, by evdev (linux/input-event-codes.h).
public struct InputCode: Hashable, Sendable {
  /// EV_KEY's or EV_REL's code.
  public let code: UInt16
  /// A device's name or a part of it, or its path; nil: any device.
  public let device: String?

  /// A code of a device.
  public init(code: UInt16, device: String?) {
    self.code = code
    self.device = device
  }
}

/// A button and where it is.
public struct ButtonDeclaration: Hashable, Sendable {
  /// Where a button can be.
  public enum Source: Hashable, Sendable {
    case gpio(GPIOLine, Bias)
    case key(InputCode)
    /// A microcontroller on a serial line reports it by name.
    case panel
  }

  /// Its name.
  public let name: ControlName
  /// Where it is.
  public let source: Source

  /// A button somewhere.
  public init(_ name: ControlName, _ source: Source) {
    self.name = name
    self.source = source
  }
}

/// A knob that turns without end, and where it is.
public struct KnobDeclaration: Hashable, Sendable {
  /// Where a knob can be.
  public enum Source: Hashable, Sendable {
    /// Two lines in quadrature; `stepsPerDetent` is 1, 2 or 4.
    case gpio(a: GPIOLine, b: GPIOLine, Bias, stepsPerDetent: Int)
    /// A relative axis of an input device.
    case axis(InputCode)
    /// A microcontroller on a serial line reports it by name.
    case panel
  }

  /// Its name.
  public let name: ControlName
  /// Where it is.
  public let source: Source

  /// A knob somewhere.
  public init(_ name: ControlName, _ source: Source) {
    self.name = name
    self.source = source
  }
}

/// A light, or one colour of it.
public struct LightDeclaration: Hashable, Sendable {
  /// What the light looks like.
  public enum Colour: UInt8, Hashable, Sendable, CaseIterable {
    /// One colour, whichever: it shows every pattern.
    case any
    case red, green, blue
  }

  /// Where a light can be.
  public enum Sink: Hashable, Sendable {
    case gpio(GPIOLine)
    /// A folder of /sys/class/leds.
    case sysfs(String)
  }

  /// Its name.
  public let name: ControlName
  /// Its colour.
  public let colour: Colour
  /// Where it is.
  public let sink: Sink

  /// A light somewhere.
  public init(_ name: ControlName, _ colour: Colour, _ sink: Sink) {
    self.name = name
    self.colour = colour
    self.sink = sink
  }

  /// Its name and its colour, such as `status-r (red)`.
  public var text: String {
    switch colour {
    case .any: name.text
    case .red: name.text + " (red)"
    case .green: name.text + " (green)"
    case .blue: name.text + " (blue)"
    }
  }
}

/// A serial line on which a microcontroller reports buttons and knobs.
public struct PanelDeclaration: Hashable, Sendable {
  /// The tty.
  public let path: String
  /// Its speed.
  public let baud: Int

  /// A panel on a tty.
  public init(path: String, baud: Int) {
    self.path = path
    self.baud = baud
  }
}

/// All controls of a box.
public struct ControlDeclarations: Hashable, Sendable {
  /// The most buttons, knobs, lights and panels, each.
  public static let limit = 32

  /// In the order of declaration, as all lists here.
  public var buttons: [ButtonDeclaration] = []
  /// Rotary encoders and wheels.
  public var knobs: [KnobDeclaration] = []
  /// Lights; several of one name mix their colours.
  public var lights: [LightDeclaration] = []
  /// Microcontrollers on serial lines.
  public var panels: [PanelDeclaration] = []
  /// The times of buttons that differ from `timing`.
  public var timings: [ControlName: GestureTiming] = [:]
  /// The times of all other buttons.
  public var timing = GestureTiming()

  /// None.
  public init() {}

  /// The times of a button.
  public func timing(of name: ControlName) -> GestureTiming { timings[name] ?? timing }
}
