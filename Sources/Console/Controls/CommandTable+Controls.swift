// The table of commands: buttons, knobs, lights and boards. Pure; any thread.

import Controls

extension CommandTable {
  static let controls: [CommandDeclaration] = [
    CommandDeclaration(
      "bind", Arguments.binding, .controls, "Makes a gesture give a command.",
      "Several controls with + are pressed together; a knob with buttons is turned while they are held. 'when' "
        + "makes it for one state only; the others keep the binding without it.",
      examples: [
        "bind play press toggle", "bind play long \"sleep 30\"", "bind next+prev long shutdown",
        "bind play press when failed retry", "bind knob right volume up", "bind knob+play right seek +10",
      ]
    ) { .controls(.bind($0)) },
    CommandDeclaration(
      "unbind", Arguments.controlNames, Arguments.gesture.optional, .controls,
      "Takes bindings away: of one gesture, or all of these controls.",
      examples: ["unbind play long", "unbind next+prev"]
    ) { .controls(.unbind($0, $1)) },
    CommandDeclaration(
      "button", Arguments.buttonDeclaration, .controls, "Declares a button and where it is connected.",
      "A GPIO button is active-low with a pull-up unless told otherwise (active-high, pull-down, no-pull). "
        + "A key is named as the kernel does, without KEY_; DEVICE is a part of its name, or its path.",
      examples: [
        "button play gpio gpiochip0 17", "button next gpio gpiochip0 27 active-high pull-down",
        "button mute key mute", "button play panel",
      ]
    ) { .controls(.button($0)) },
    CommandDeclaration(
      "knob", Arguments.knobDeclaration, .controls, "Declares a rotary encoder and where it is connected.",
      "The lines A and B, in the order in which turning right makes them change. steps-1, steps-2 or steps-4 "
        + "are the encoder's changes a detent (4 unless told otherwise).",
      examples: ["knob volume gpio gpiochip0 5 6", "knob volume axis dial", "knob volume panel"]
    ) { .controls(.knob($0)) },
    CommandDeclaration(
      "led", Arguments.lightDeclaration, .controls, "Declares a light, or one colour of it.",
      "It shows what the box is doing. With a red, green or blue of the same name its colours are mixed.",
      examples: [
        "led status gpio gpiochip0 22", "led status sysfs rgb:status green", "led front sysfs ACT",
      ]
    ) { .controls(.light($0)) },
    CommandDeclaration(
      "panel", Arguments.tty, Arguments.baud.optional, .controls,
      "Listens to a microcontroller that reports buttons on a tty.",
      "It sends lines: down NAME, up NAME, turn NAME +1. 115200 baud unless told otherwise.",
      examples: ["panel /dev/ttyUSB0", "panel /dev/ttyACM0 9600"]
    ) { .controls(.panel(PanelDeclaration(path: $0, baud: $1 ?? 115200))) },
    CommandDeclaration(
      "timing", Arguments.controlNameOrAll, Arguments.timingKey, Arguments.milliseconds, .controls,
      "Sets how long is long, of one button or of all.",
      "Each time has its range: 'timing' names it where a number is out of it.",
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
      "remove", Arguments.controlName, .controls, "Forgets a button, a knob or a light.",
      examples: ["remove play"]
    ) { .controls(.remove($0)) },
    CommandDeclaration(
      "board", Arguments.boardName, .controls,
      "Begins with a board's profile: its sound card, buttons and lights.",
      "In a configuration file, as the first line; 'swiftlet boards' lists what there is. The same as "
        + "'swiftlet run --board NAME'.",
      examples: ["board raspberry-pi-4"]
    ) { .board($0) },
    CommandDeclaration(
      "controls", .controls(.list), .controls, "Lists controls, where they are, and what is bound."),
    CommandDeclaration(
      "simulate", Arguments.simulatedInput, .controls, "Does as if a control had been used.",
      "For trying bindings out without the hardware.",
      examples: ["simulate down play", "simulate up play", "simulate turn knob +1"]
    ) { .controls(.simulate($0)) },
  ]
}
