// Declarations of the commands about buttons, knobs, lights, readers and boards. Pure; any thread.

import Controls

extension CommandTable {
  static let controls: [CommandDeclaration] = [
    CommandDeclaration(
      "bind", Arguments.binding, .controls, "Binds a gesture to a command.",
      "Controls joined with + are pressed together; a knob with buttons is turned while they are held. 'when' "
        + "limits a binding to one state; in other states the binding without 'when' applies.",
      examples: [
        "bind play press toggle", "bind play long \"sleep 30\"", "bind next+prev long shutdown",
        "bind play press when failed retry", "bind knob right volume up", "bind knob+play right seek +10",
      ]
    ) { .controls(.bind($0)) },
    CommandDeclaration(
      "unbind", Arguments.controlNames, Arguments.gesture.optional, .controls,
      "Removes the binding of a gesture, or all bindings of these controls.",
      examples: ["unbind play long", "unbind next+prev"]
    ) { .controls(.unbind($0, $1)) },
    CommandDeclaration(
      "button", Arguments.buttonDeclaration, .controls, "Declares a button and where it is connected.",
      "A GPIO button is active-low with a pull-up by default (or active-high, pull-down, no-pull). "
        + "Keys have the kernel's names, without KEY_; DEVICE is a part of the device's name, or its path.",
      examples: [
        "button play gpio gpiochip0 17", "button next gpio gpiochip0 27 active-high pull-down",
        "button mute key mute", "button play panel",
      ]
    ) { .controls(.button($0)) },
    CommandDeclaration(
      "knob", Arguments.knobDeclaration, .controls, "Declares a rotary encoder and where it is connected.",
      "Name the lines in the order in which turning right changes them. steps-1, steps-2 or steps-4 is the "
        + "number of changes per detent (default: 4).",
      examples: ["knob volume gpio gpiochip0 5 6", "knob volume axis dial", "knob volume panel"]
    ) { .controls(.knob($0)) },
    CommandDeclaration(
      "led", Arguments.lightDeclaration, .controls, "Declares a light, or one colour of it.",
      "It shows what the box is doing. Lights of one name, in red, green and blue, mix their colours.",
      examples: [
        "led status gpio gpiochip0 22", "led status sysfs rgb:status green", "led front sysfs ACT",
      ]
    ) { .controls(.light($0)) },
    CommandDeclaration(
      "panel", Arguments.tty, Arguments.baud.optional, .controls,
      "Listens to a microcontroller that reports buttons on a tty.",
      "It sends lines: down NAME, up NAME, turn NAME +1, tag NAME ID. The default is 115200 baud.",
      examples: ["panel /dev/ttyUSB0", "panel /dev/ttyACM0 9600"]
    ) { .controls(.panel(PanelDeclaration(path: $0, baud: $1 ?? 115200))) },
    CommandDeclaration(
      "reader", Arguments.readerDeclaration, .controls, "Declares a reader of RFID tags.",
      "Most USB readers are keyboards: DEVICE is a part of the name that the kernel gives them ('cat /proc/bus/input/devices'), or "
        + "the device's path. What a reader types goes nowhere else then. A panel reports tags by the lines tag NAME ID and untag "
        + "NAME. A PN532 on the board's own pins is read by libnfc, and CONNECTION is libnfc's: pn532_uart:TTY[:BAUD], "
        + "pn532_i2c:DEVICE or pn532_spi:DEVICE[:HERTZ]. 'tag' says what tags do.",
      examples: [
        "reader door keyboard \"RFID Reader\"", "reader shelf panel",
        "reader shelf nfc pn532_uart:/dev/ttyS0:115200",
        "reader shelf nfc pn532_i2c:/dev/i2c-1",
      ]
    ) { .controls(.reader($0)) },
    CommandDeclaration(
      "timing", Arguments.controlNameOrAll, Arguments.timingKey, Arguments.milliseconds, .controls,
      "Sets the times of gestures, for one button or for all.",
      "A number outside the range of a time is refused with that range.",
      examples: ["timing all long 1000", "timing play gap 400", "timing next debounce 30"]
    ) { (name, key, milliseconds) throws(ConsoleError) -> Command in
      guard key.range.contains(milliseconds) else {
        throw ConsoleError(
          .badValue,
          key.name + " is from " + String(key.range.lowerBound) + " to " + String(key.range.upperBound)
            + " ms")
      }
      return .controls(.timing(name, key, milliseconds: milliseconds))
    },
    CommandDeclaration(
      "remove", Arguments.controlName, .controls, "Removes a button, a knob, a light or a reader.",
      examples: ["remove play"]
    ) { .controls(.remove($0)) },
    CommandDeclaration(
      "board", Arguments.boardName, .controls,
      "Loads a board's profile: its sound card, buttons and lights.",
      "Allowed once in a configuration file, wherever it stands: the profile applies before the other lines. "
        + "'swiftlet boards' lists the boards. The same as 'swiftlet run --board NAME'.",
      examples: ["board raspberry-pi-4"]
    ) { .board($0) },
    CommandDeclaration(
      "controls", .controls(.list), .controls, "Lists controls, their connections and their bindings."),
    CommandDeclaration(
      "simulate", Arguments.simulatedInput, .controls, "Simulates the use of a control.",
      "Tests bindings without hardware.",
      examples: ["simulate down play", "simulate up play", "simulate turn knob +1"]
    ) { .controls(.simulate($0)) },
  ]
}
