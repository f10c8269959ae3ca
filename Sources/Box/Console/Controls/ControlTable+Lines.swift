// Formats controls and bindings as the commands that create them. Pure; control thread.

import Controls

extension ControlTable {
  /// The commands that create these controls in an empty table.
  package var lines: [String] { lines(from: ControlTable()) }

  /// The commands that turn a board profile's controls into these.
  ///
  /// - Parameter base: The profile's controls.
  package func lines(from base: ControlTable) -> [String] {
    let (mine, theirs) = (declarations, base.declarations)
    var lines: [String] = []
    let names = Self.names(mine) + sources.map { $0.name }
    for name in Self.names(theirs) + base.sources.map({ $0.name }) where !names.contains(name) {
      lines.append("remove " + name.text)
    }
    for panel in mine.panels where !theirs.panels.contains(panel) { lines.append(Self.line(panel)) }
    for button in mine.buttons where !theirs.buttons.contains(button) { lines.append(Self.line(button)) }
    for knob in mine.knobs where !theirs.knobs.contains(knob) { lines.append(Self.line(knob)) }
    for reader in mine.readers where !theirs.readers.contains(reader) { lines.append(Self.line(reader)) }
    for source in sources {
      lines += source.lines(from: base.sources.first { $0.name == source.name })
    }
    for light in mine.lights where !theirs.lights.contains(light) { lines.append(Self.line(light)) }
    lines += Self.timingLines("all", mine.timing, theirs.timing)
    for (name, timing) in mine.timings.sorted(by: { $0.key < $1.key }) {
      lines += Self.timingLines(name.text, timing, theirs.timings[name] ?? mine.timing)
    }
    let gone = base.bindings.bindings.filter { old in
      !bindings.bindings.contains { $0.isSameCase(as: old) }
    }
    for binding in gone { lines.append("unbind " + binding.trigger.text) }
    // `unbind` removes the gesture in all states, so the bindings that remain are written after it.
    let unbound = Set(gone.map { $0.trigger })
    for binding in bindings.bindings
    where unbound.contains(binding.trigger) || !base.bindings.bindings.contains(binding) {
      lines.append(binding.line)
    }
    return lines
  }

  private static func names(_ declarations: ControlDeclarations) -> [ControlName] {
    declarations.buttons.map { $0.name } + declarations.knobs.map { $0.name }
      + declarations.lights.map { $0.name } + declarations.readers.map { $0.name }
  }

  private static func timingLines(_ name: String, _ timing: GestureTiming, _ base: GestureTiming) -> [String]
  {
    GestureTiming.Key.allCases.filter { timing[$0] != base[$0] }.map {
      "timing " + name + " " + $0.name + " " + String(timing[$0])
    }
  }

  static func line(_ button: ButtonDeclaration) -> String {
    "button " + button.name.text
      + {
        switch button.source {
        case .gpio(let line, let bias):
          " gpio " + CommandLineText.quoted(line.chip) + " " + String(line.offset) + words(line, bias)
        case .key(let code): " key " + InputCodeNames.keyName(code.code) + device(code)
        case .panel: " panel"
        }
      }()
  }

  static func line(_ knob: KnobDeclaration) -> String {
    "knob " + knob.name.text
      + {
        switch knob.source {
        case .gpio(let a, let b, let bias, let steps):
          " gpio " + CommandLineText.quoted(a.chip) + " " + String(a.offset) + " " + String(b.offset)
            + words(a, bias) + " steps-" + String(steps)
        case .axis(let code): " axis " + InputCodeNames.axisName(code.code) + device(code)
        case .panel: " panel"
        }
      }()
  }

  static func line(_ light: LightDeclaration) -> String {
    "led " + light.name.text
      + {
        switch light.sink {
        case .gpio(let line):
          " gpio " + CommandLineText.quoted(line.chip) + " " + String(line.offset)
            + (light.colour == .any ? "" : " " + light.colour.word) + (line.isActiveLow ? " active-low" : "")
        case .sysfs(let name):
          " sysfs " + CommandLineText.quoted(name) + (light.colour == .any ? "" : " " + light.colour.word)
        }
      }()
  }

  static func line(_ panel: PanelDeclaration) -> String {
    "panel " + CommandLineText.quoted(panel.path) + " " + String(panel.baud)
  }

  static func line(_ reader: ReaderDeclaration) -> String {
    switch reader.source {
    case .keyboard(let device): "reader " + reader.name.text + " keyboard " + CommandLineText.quoted(device)
    case .panel: "reader " + reader.name.text + " panel"
    case .nfc(let connection):
      "reader " + reader.name.text + " nfc " + CommandLineText.quoted(connection.text)
    }
  }

  private static func device(_ code: InputCode) -> String {
    code.device.map { " " + CommandLineText.quoted($0) } ?? ""
  }

  private static func words(_ line: GPIOLine, _ bias: Bias) -> String {
    (line.isActiveLow ? "" : " active-high") + (bias == .pullUp ? "" : " " + bias.word)
  }
}

extension Bias {
  /// The word in `button` and `knob` commands.
  var word: String {
    switch self {
    case .pullUp: "pull-up"
    case .pullDown: "pull-down"
    case .none: "no-pull"
    }
  }
}

extension LightDeclaration.Colour {
  /// The word in `led` commands.
  var word: String {
    switch self {
    case .any: "any"
    case .red: "red"
    case .green: "green"
    case .blue: "blue"
    }
  }
}
