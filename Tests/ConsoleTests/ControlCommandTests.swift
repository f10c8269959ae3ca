// Buttons, knobs, lights and bindings as commands. Test threads.

import Console
import Controls
import PlaybackModel
import Testing

@Suite struct ControlCommandTests {
  private func table(_ lines: [String]) throws -> ControlTable {
    let configuration = Configuration(Array(lines.joined(separator: "\n").utf8))
    try #require(configuration.problems.isEmpty, "\(configuration.problems)")
    return configuration.controls
  }

  /// A binding accepts each state by the name in `status` and by the keyword that `save` writes; a misspelled
  /// state lists all of them.
  @Test(arguments: PlayerState.Kind.allCases) func aBindingTakesTheNamesOfStatus(kind: PlayerState.Kind)
    throws
  {
    let table = try table(["button play gpio gpiochip0 17", "bind play press when \(kind.name) toggle"])
    let line = try #require(table.bindings.bindings.first).line
    #expect(table.bindings.bindings.first?.state == kind)
    let again = try self.table(["button play gpio gpiochip0 17", line])
    #expect(again.bindings == table.bindings, "\(line)")
    let word = line.split(separator: " ")[4]
    #expect(refusal(of: "bind play press when sleeping next")?.contains(word) == true)
  }

  private func refusal(of line: String) -> String? {
    do {
      _ = try Interpreter.parse(line)
      return nil
    } catch {
      return error.sentence
    }
  }

  private static let everything = [
    "panel /dev/ttyUSB0 115200",
    "button play gpio gpiochip0 17",
    "button next gpio pinctrl-bcm2711 27 active-high pull-down",
    "button mute key mute",
    "button red key code-398 \"IR Remote\"",
    "button far panel",
    "knob volume gpio gpiochip0 5 6 no-pull steps-2",
    "knob dial axis dial Rotary",
    "led status gpio gpiochip0 22 red active-low",
    "led status sysfs rgb:status green",
    "led front sysfs ACT",
    "timing all long 1000",
    "timing play gap 400",
    "bind play press toggle",
    "bind play press when failed retry",
    "bind next+play long shutdown",
    "bind play long \"sleep 30\"",
    "bind dial+play right seek +10",
    "bind mute short play \"Kind of Blue\"",
    "bind mute long when preparing-crossfade stop",
  ]

  @Test func linesMakeWhatTheyWereMadeFrom() throws {
    let first = try table(Self.everything)
    let again = try table(first.lines)
    #expect(again == first)
    #expect(first.declarations.knobs.count == 2 && first.declarations.lights.count == 3)
  }

  /// Defaults: lines are active-low with a pull-up resistor; panels use 115200 baud.
  @Test(arguments: [
    ("button play gpio gpiochip0 17", "button play gpio gpiochip0 17 active-low pull-up"),
    ("knob volume gpio gpiochip0 5 6", "knob volume gpio gpiochip0 5 6 pull-up steps-4"),
    ("panel /dev/ttyUSB0", "panel /dev/ttyUSB0 115200"),
    ("reader shelf nfc pn532_uart:/dev/ttyS0", "reader shelf nfc pn532_uart:/dev/ttyS0:115200"),
  ]) func whatIsLeftOutIsTheUsual(short: String, long: String) throws {
    #expect(try table([short]) == table([long]))
  }

  @Test func aProfileIsSavedAsWhatDiffersFromIt() throws {
    let profile = Self.everything.joined(separator: "\n")
    let change = """
      board desk
      unset volume.maximum
      set volume.step 7
      remove far
      button play gpio gpiochip0 18
      unbind play press
      bind play press pause
      timing all long 1200
      bind next press next
      """
    let find: @Sendable (String) -> [UInt8]? = {
      $0 == "desk" ? Array(("set volume.maximum 60\n" + profile).utf8) : nil
    }
    let changed = Configuration(Array(change.utf8), profile: find)
    #expect(changed.problems.isEmpty, "\(changed.problems)")
    let file = changed.base.configuration(changed.settings, changed.controls)
    #expect(file.contains("board desk\n") && !file.contains("knob"))
    let again = Configuration(Array(file.utf8), profile: find)
    #expect(again.problems.isEmpty, "\(again.problems)")
    #expect(again.settings == changed.settings && again.settings.maximumVolume == 100)
    #expect(again.controls.declarations == changed.controls.declarations)
    #expect(Set(again.controls.bindings.bindings) == Set(changed.controls.bindings.bindings))
  }

  @Test func theCommandLinesBoardComesBeforeTheFiles() {
    let configuration = Configuration(Array("board a\n".utf8), board: "b") {
      Array("set volume.step \($0 == "a" ? 3 : 9)\n".utf8)
    }
    #expect(configuration.settings.volumeStep == 9 && configuration.base.board == "b")
  }

  @Test func aProblemInAProfileSaysWhere() {
    let configuration = Configuration(Array("board a\n".utf8)) { _ in Array("\nbutton x gpio\n".utf8) }
    #expect(configuration.problems.map { $0.sentence }.first?.hasPrefix("the profile of a, line 2: ") == true)
    let unknown = Configuration(Array("board zzz\n".utf8))
    #expect(unknown.problems.first?.sentence.contains("there is no board 'zzz'") == true)
  }

  @Test func theStateChoosesTheBinding() throws {
    let bindings = try table(["bind play press toggle", "bind play press when failed retry"]).bindings
    let play = try #require(ControlName("play").flatMap { Trigger([$0], .press) })
    #expect(bindings.binding(for: play, in: .failed)?.command == .retry)
    #expect(bindings.binding(for: play, in: .playing)?.command == .toggle)
    let release = try #require(Trigger(play.controls, .release))
    #expect(bindings.binding(for: release, in: .playing) == nil)
  }

  @Test func aBindingIsReplacedAndTakenAway() throws {
    let bindings = try table(["bind a press next", "bind a press stop", "bind a long next", "unbind a long"])
      .bindings
    #expect(bindings.bindings.map { $0.line } == ["bind a press stop"])
  }

  @Test func namesWithoutAControlAreTold() throws {
    let table = try table(["button play panel", "bind play+nxet long shutdown"])
    #expect(table.warnings.count == 1 && table.warnings[0].contains("'nxet'"))
  }

  @Test(arguments: [
    ("bind volume press stop", "'volume press' is never reached: 'volume' is a knob"),
    ("bind volume+play long stop", "'volume' is a knob"),
    ("bind play right next", "'play right' is never reached: only a knob turns"),
    ("bind volume+tone left next", "name one knob"),
    ("timing nosuch long 500", "A timing names 'nosuch', but no such button is declared."),
    ("timing volume long 500", "A timing names 'volume', but it is a knob"),
    ("knob twin gpio gpiochip0 18 18", "'knob twin' uses line 18 of gpiochip0 twice"),
  ]) func whatCannotWorkIsTold(line: String, words: String) throws {
    let declared = ["button play panel", "knob volume panel", "knob tone panel"]
    let table = try table(declared + [line])
    #expect(table.warnings.count == 1 && table.warnings[0].contains(words), "\(table.warnings)")
  }

  @Test func possibleBindingsHaveNoWarning() throws {
    let lines = [
      "button play panel", "knob volume panel", "bind volume left volume down", "bind play+volume right next",
    ]
    #expect(try table(lines + ["timing play long 500", "timing all hold 900"]).warnings == [])
  }

  @Test(arguments: [
    (["bind play long stop", "bind play hold next"], 1),
    (["bind play long stop", "bind play hold next", "timing play hold 1600"], 0),
    (["bind play long stop", "bind play hold when failed next", "timing all hold 800"], 1),
    (["bind play long stop", "bind play+next hold next"], 0),
    // The chord's delay is that of its slower button.
    (["bind play+next long stop", "bind play+next hold next", "timing next hold 900"], 0),
    (["bind play+next long stop", "bind play+next hold next", "timing next long 900"], 1),
  ])
  func aLongThatHoldComesBeforeIsTold(lines: [String], count: Int) throws {
    let table = try table(["button play panel", "button next panel"] + lines)
    #expect(table.warnings.count == count, "\(table.warnings)")
    for warning in table.warnings {
      #expect(warning.contains("never reached") && warning.contains(" hold 1"), "\(warning)")
    }
  }

  /// A line of the configuration that takes over another control's GPIO line.
  @Test(arguments: [
    ("button next gpio gpiochip0 17", ["button play", "button next"]),
    ("button next gpio gpiochip0 17 active-high", ["button play", "button next"]),
    ("knob volume gpio gpiochip0 17 6", ["button play", "knob volume"]),
    ("knob volume gpio gpiochip0 6 17", ["button play", "knob volume"]),
    ("led status gpio gpiochip0 17", ["button play", "light status"]),
    ("led status gpio gpiochip0 5 green", ["light status (red)", "light status (green)"]),
    ("button play gpio gpiochip0 5", ["button play", "light status (red)"]),
    ("button next gpio gpiochip1 17", []), ("button play gpio gpiochip0 17 active-high", []),
    ("led status gpio gpiochip0 5 red", []),
  ])
  func aLineWithTwoControlsIsTold(line: String, controls: [String]) throws {
    let table = try table(["button play gpio gpiochip0 17", "led status gpio gpiochip0 5 red", line])
    #expect(table.warnings.count == (controls.isEmpty ? 0 : 1), "\(table.warnings)")
    for control in controls {
      #expect(table.warnings.first?.contains("'\(control)'") == true, "\(table.warnings)")
    }
  }

  @Test(arguments: [
    ("bind play pres toggle", "press"), ("bind play press togle", "toggle"),
    ("bind play press", "COMMAND is missing"), ("bind play press format json", "no meaning for a button"),
    ("bind play press bind next press next", "no meaning for a button"),
    ("bind play+play press next", "up to 4"),
    ("bind play press when sleeping next", "is not a state: idle, preparing"),
    ("button 1 gpio gpiochip0 17", "is not a name"), ("button play gpio gpiochip0 x", "a line's number"),
    ("button play gpio gpiochip0 17 pul-up", "pull-up"), ("button play gpio", "the chip"),
    ("button play key playpase", "is not a key"), ("knob v gpio gpiochip0 5", "a line's number"),
    ("led x sysfs ../../etc", "not the name of a folder"), ("timing all long 5", "200 to 10000"),
    ("panel ttyUSB0", "the path of a tty"), ("simulate turn v", "STEPS is missing"),
    ("simulate press play", "is not down"),
  ])
  func mistakesAreExplained(_ line: String, _ hint: String) throws {
    let sentence = try #require(refusal(of: line))
    #expect(sentence.contains(hint), "\(sentence)")
  }

  @Test func thereAreLimits() throws {
    var table = ControlTable()
    #expect(throws: ConsoleError.self) {
      for number in 0...ControlDeclarations.limit {
        let name = try #require(ControlName("b\(number)"))
        try table.apply(.button(ButtonDeclaration(name, .panel)))
      }
    }
    #expect(table.declarations.buttons.count == ControlDeclarations.limit)
  }

  /// A refused declaration leaves the table as it was, and a full one accepts new declarations of its own names.
  @Test(arguments: [("button", "knob"), ("knob", "button")])
  func aRefusedDeclarationChangesNothing(kind: String, other: String) throws {
    let full = try table(
      (0..<ControlDeclarations.limit).map { "\(kind) a\($0) panel" } + ["\(other) x panel"])
    func command(_ line: String) throws -> ControlCommand {
      guard case .controls(let command)? = try Interpreter.parse(line) else {
        throw ConsoleError(.failed, line)
      }
      return command
    }
    var table = full
    #expect(throws: ConsoleError.self) { try table.apply(command("\(kind) x panel")) }
    #expect(table == full)
    try table.apply(command("\(kind) a0 panel"))
    #expect(Set(table.lines) == Set(full.lines))
  }
}
