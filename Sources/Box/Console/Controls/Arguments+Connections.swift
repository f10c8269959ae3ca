// Arguments that say where a control is connected: `gpio gpiochip0 17 pull-up`. Pure; any thread.

import Controls

extension Arguments {
  /// The highest GPIO line number that is accepted.
  static let lastGPIOLine = 1023

  static let buttonDeclaration = declaration(
    "gpio CHIP LINE [OPTION…]|key KEY [DEVICE]|panel",
    [
      Choice("gpio", "a line of a GPIO chip"), Choice("key", "a key of an input device"),
      Choice("panel", "reported on a serial panel"),
    ]
  ) { (name, source, words) throws(ConsoleError) -> ButtonDeclaration in
    switch source {
    case "gpio":
      let chip = try words.text("the chip, such as gpiochip0")
      let offset = try words.line()
      let options = try GPIOOptions(&words, for: .button)
      return ButtonDeclaration(
        name, .gpio(GPIOLine(chip: chip, offset: offset, isActiveLow: options.isActiveLow), options.bias))
    case "key":
      return ButtonDeclaration(name, .key(try words.code("a key, such as playpause", InputCodeNames.key)))
    default: return ButtonDeclaration(name, .panel)
    }
  }

  static let knobDeclaration = declaration(
    "gpio CHIP LINE LINE [OPTION…]|axis AXIS [DEVICE]|panel",
    [
      Choice("gpio", "two lines of a GPIO chip"), Choice("axis", "an axis of an input device"),
      Choice("panel", "reported on a serial panel"),
    ]
  ) { (name, source, words) throws(ConsoleError) -> KnobDeclaration in
    switch source {
    case "gpio":
      let chip = try words.text("the chip, such as gpiochip0")
      let (a, b) = (try words.line(), try words.line())
      let options = try GPIOOptions(&words, for: .knob)
      return KnobDeclaration(
        name,
        .gpio(
          a: GPIOLine(chip: chip, offset: a, isActiveLow: options.isActiveLow),
          b: GPIOLine(chip: chip, offset: b, isActiveLow: options.isActiveLow), options.bias,
          stepsPerDetent: options.stepsPerDetent))
    case "axis":
      return KnobDeclaration(name, .axis(try words.code("an axis, such as dial", InputCodeNames.axis)))
    default: return KnobDeclaration(name, .panel)
    }
  }

  static let lightDeclaration = declaration(
    "gpio CHIP LINE [OPTION…]|sysfs LED [COLOUR]",
    [Choice("gpio", "a line of a GPIO chip"), Choice("sysfs", "a light of /sys/class/leds")]
  ) { (name, source, words) throws(ConsoleError) -> LightDeclaration in
    switch source {
    case "gpio":
      let chip = try words.text("the chip, such as gpiochip0")
      let offset = try words.line()
      let options = try GPIOOptions(&words, for: .light)
      return LightDeclaration(
        name, options.colour, .gpio(GPIOLine(chip: chip, offset: offset, isActiveLow: options.isActiveLow)))
    default:
      let led = try words.text("a folder of /sys/class/leds")
      guard !led.utf8.contains(0x2F), led.utf8.first != 0x2E else {
        throw ConsoleError(.badValue, "'" + led + "' is not the name of a folder in /sys/class/leds")
      }
      return LightDeclaration(name, try GPIOOptions(&words, for: .light).colour, .sysfs(led))
    }
  }

  static let readerDeclaration = declaration(
    "keyboard DEVICE|panel|nfc CONNECTION",
    [
      Choice("keyboard", "an input device that types each tag's number"),
      Choice("panel", "reported on a serial panel"),
      Choice("nfc", "a PN532 on the board's own pins, read by libnfc"),
    ]
  ) { (name, source, words) throws(ConsoleError) -> ReaderDeclaration in
    switch source {
    case "keyboard":
      return ReaderDeclaration(
        name, .keyboard(try words.text("a part of the device's name, such as \"RFID Reader\", or its path")))
    case "nfc": return ReaderDeclaration(name, .nfc(try words.connection()))
    default: return ReaderDeclaration(name, .panel)
    }
  }

  /// Makes an argument of a control's name, a connection kind, and that kind's arguments.
  private static func declaration<Value: Sendable>(
    _ usage: String, _ kinds: [Choice],
    make: @escaping @Sendable (ControlName, String, inout WordCursor) throws(ConsoleError) -> Value
  ) -> Argument<Value> {
    let kind = oneOf(kinds.map { ($0, $0.name) })
    let rest = ArgumentShape(name: usage, wanted: kind.shapes[0].wanted, sources: kind.shapes[0].sources)
    return Argument<Value>(controlName.shapes + [rest]) {
      (cursor: inout WordCursor) throws(ConsoleError) -> Value in
      let name = try controlName.read(&cursor)
      return try make(name, try kind.read(&cursor), &cursor)
    }
  }
}

/// Options after a GPIO line, in any order.
struct GPIOOptions {
  enum Control { case button, knob, light }

  var isActiveLow: Bool
  var bias = Bias.pullUp
  var colour = LightDeclaration.Colour.any
  var stepsPerDetent = 4

  /// Reads all remaining words.
  init(_ cursor: inout WordCursor, for control: Control) throws(ConsoleError) {
    isActiveLow = control != .light
    for word in cursor.takeRest() {
      switch (Spelling.small(word.text), control) {
      case ("active-low", _): isActiveLow = true
      case ("active-high", _): isActiveLow = false
      case ("pull-up", .button), ("pull-up", .knob): bias = .pullUp
      case ("pull-down", .button), ("pull-down", .knob): bias = .pullDown
      case ("no-pull", .button), ("no-pull", .knob): bias = .none
      case ("steps-1", .knob): stepsPerDetent = 1
      case ("steps-2", .knob): stepsPerDetent = 2
      case ("steps-4", .knob): stepsPerDetent = 4
      case ("red", .light): colour = .red
      case ("green", .light): colour = .green
      case ("blue", .light): colour = .blue
      case ("any", .light): colour = .any
      default:
        throw ConsoleError(
          .badValue,
          "'" + word.text + "' is not " + SettingKind.joined(Self.words(for: control))
            + Spelling.hint(word.text, among: Self.words(for: control)), column: word.column)
      }
    }
  }

  static func words(for control: Control) -> [String] {
    switch control {
    case .button: ["active-low", "active-high", "pull-up", "pull-down", "no-pull"]
    case .knob:
      ["active-low", "active-high", "pull-up", "pull-down", "no-pull", "steps-1", "steps-2", "steps-4"]
    case .light: ["active-low", "active-high", "red", "green", "blue", "any"]
    }
  }
}

extension WordCursor {
  fileprivate mutating func text(_ wanted: String) throws(ConsoleError) -> String {
    let word = try take(ArgumentShape(name: "CHIP", wanted: wanted, sources: []))
    guard !word.text.utf8.isEmpty, word.text.utf8.count <= 64 else {
      throw ConsoleError(.badValue, "'" + word.text + "' is not " + wanted, column: word.column)
    }
    return word.text
  }

  fileprivate mutating func connection() throws(ConsoleError) -> NFCConnection {
    let word = try take(
      ArgumentShape(
        name: "CONNECTION", wanted: "how the PN532 is connected, such as " + NFCConnection.Bus.uart.example,
        sources: []))
    do throws(NFCConnection.Malformed) {
      return try NFCConnection(word.text)
    } catch {
      throw ConsoleError(.badValue, error.sentence, column: word.column)
    }
  }

  fileprivate mutating func line() throws(ConsoleError) -> Int {
    let wanted = "a line's number from 0 to " + String(Arguments.lastGPIOLine)
    let word = try take(ArgumentShape(name: "LINE", wanted: wanted, sources: []))
    guard let number = SettingKind.integer(word.text, unit: ""), number >= 0,
      number <= Arguments.lastGPIOLine
    else { throw ConsoleError(.badValue, "'" + word.text + "' is not " + wanted, column: word.column) }
    return number
  }

  fileprivate mutating func code(
    _ wanted: String, _ read: (String) -> UInt16?
  ) throws(ConsoleError) -> InputCode {
    let word = try take(ArgumentShape(name: "CODE", wanted: wanted + " or code-N", sources: []))
    guard let code = read(word.text) else {
      throw ConsoleError(
        .badValue, "'" + word.text + "' is not " + wanted + " or code-N", column: word.column)
    }
    return InputCode(code: code, device: isAtEnd ? nil : try text("a device's name or path"))
  }
}
