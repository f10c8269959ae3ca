// Arguments of the commands about buttons, knobs, lights and readers. Pure; any thread.

import Controls
import PlaybackModel

extension Arguments {
  static let controlName = Argument<ControlName>(
    "NAME", "a name of small letters, digits and dashes"
  ) { ControlName($0) }

  /// A button's name; nil for `all`.
  static let controlNameOrAll = Argument<ControlName?>(
    "NAME|all", "a button's name, or all", [.words([Choice("all", "all that have no times of their own")])]
  ) { word in
    if Spelling.small(word) == "all" { return .some(nil) }
    return ControlName(word).map { .some($0) }
  }

  /// Control names joined by `+`: `next+prev`.
  static let controlNames = Argument<[ControlName]>(
    "CONTROLS", "a control's name, or up to 4 with + between them"
  ) { word in
    var names: [ControlName] = []
    for part in word.utf8.split(separator: 0x2B, omittingEmptySubsequences: false) {
      guard let name = ControlName(String(decoding: part, as: UTF8.self)), !names.contains(name) else {
        return nil
      }
      names.append(name)
    }
    return names.isEmpty || names.count > Trigger.maxControls ? nil : names
  }

  static let gesture = oneOf(Gesture.allCases.map { (Choice($0.name, $0.explanation), $0) })

  static let timingKey = oneOf(
    GestureTiming.Key.allCases.map {
      (
        Choice(
          $0.name, String($0.range.lowerBound) + " to " + String($0.range.upperBound) + " ms"),
        $0
      )
    })

  static let tty = Argument<String>("TTY", "the path of a tty, such as /dev/ttyUSB0") {
    $0.utf8.first == 0x2F && $0.utf8.count <= SettingKind.maxPathLength ? $0 : nil
  }

  static let boardName = Argument<String>("NAME", "a board's name, such as raspberry-pi-4") {
    ControlName($0)?.text
  }

  static let milliseconds = Argument<Int>("MS", "a number of milliseconds") {
    SettingKind.integer($0, unit: "ms")
  }

  private static let panelBauds = [9600, 19200, 38400, 57600, 115200]

  static let baud = Argument<Int>(
    "BAUD", SettingKind.joined(panelBauds.map { String($0) }), [.words(panelBauds.map { Choice(String($0)) })]
  ) { word in
    SettingKind.integer(word, unit: "").flatMap { panelBauds.contains($0) ? $0 : nil }
  }

  static let bindingShapes = [
    controlNames.shapes[0], gesture.shapes[0],
    ArgumentShape(
      name: "[when STATE] COMMAND", wanted: "a command, such as toggle or \"sleep 30\"",
      sources: [.words([Choice("when", "only in one state")])], isRepeated: true),
  ]

  /// A binding: controls, a gesture, optionally a state, and the command as the rest of the line or one
  /// quoted word.
  static let binding = Argument<Binding>(bindingShapes) {
    (cursor: inout WordCursor) throws(ConsoleError) -> Binding in
    let column = cursor.next?.column
    let controls = try controlNames.read(&cursor)
    let gesture = try gesture.read(&cursor)
    guard let trigger = Trigger(controls, gesture) else {
      throw ConsoleError(.badValue, "these controls cannot be used together", column: column)
    }
    var state: PlayerState.Kind?
    if let word = cursor.next, Spelling.small(word.text) == "when" {
      _ = try cursor.take(bindingShapes[2])
      state = try bindingState.read(&cursor)
    }
    let first = try cursor.take(bindingShapes[2])
    let words = [first] + cursor.takeRest()
    let line = CommandLineText.line(of: words.map { $0.text })
    return Binding(
      trigger: trigger, state: state,
      command: try boundCommand(words.count == 1 ? first.text : line, column: first.column), commandLine: line
    )
  }

  /// A state as a binding spells it, or as `status` prints it.
  private static let bindingState = Argument<PlayerState.Kind>(
    "STATE", "a state: " + SettingKind.joined(BindingState.all.map { $0.word }),
    [.words(BindingState.all.map { Choice($0.word) })]
  ) { word in
    let small = Spelling.small(word)
    return BindingState.all.first { $0.word == small || Spelling.small($0.kind.name) == small }?.kind
  }

  /// Parses a command for a button: any command that needs no session and does not change the controls.
  ///
  /// - Throws: The parser's error, or `badValue` for an empty or unsuitable command; errors refer to
  ///   `column`.
  static func boundCommand(_ line: String, column: Int) throws(ConsoleError) -> Command {
    let command: Command?
    do throws(ConsoleError) {
      command = try Interpreter.parse(line)
    } catch {
      throw ConsoleError(error.kind, "the command '" + line + "': " + error.sentence, column: column)
    }
    guard let command else { throw ConsoleError(.badValue, "there is no command to bind", column: column) }
    guard command.properties.uses.contains(.binding) else {
      throw ConsoleError(.badValue, "'" + line + "' has no meaning for a button", column: column)
    }
    return command
  }

  /// A simulated input: `down NAME`, `up NAME` or `turn NAME STEPS`.
  static let simulatedInput: Argument<ControlInput> = {
    let verb = oneOf([
      (Choice("down", "a button goes down"), 0), (Choice("up", "a button comes up"), 1),
      (Choice("turn", "a knob turns"), 2),
    ])
    let steps = Argument<Int>("STEPS", "a number of steps such as +1 or -3") { word in
      let digits = word.utf8.first == 0x2B ? String(decoding: word.utf8.dropFirst(), as: UTF8.self) : word
      return SettingKind.integer(digits, unit: "").flatMap { $0 >= -100 && $0 <= 100 && $0 != 0 ? $0 : nil }
    }
    return Argument<ControlInput>(verb.shapes + controlName.shapes + steps.optional.shapes) {
      (cursor: inout WordCursor) throws(ConsoleError) -> ControlInput in
      let kind = try verb.read(&cursor)
      let name = try controlName.read(&cursor)
      switch kind {
      case 0: return .down(name)
      case 1: return .up(name)
      default: return .turn(name, detents: try steps.read(&cursor))
      }
    }
  }()
}
