// The profiles in boards/ parse without errors, and their pages match them. Test threads.

import Console
import Controls
import Foundation
import Testing

/// A folder in boards/.
struct BoardFolder: CustomTestStringConvertible, Sendable {
  static let all: [BoardFolder] = {
    let boards = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../boards")
      .standardizedFileURL
    let names = (try? FileManager.default.contentsOfDirectory(atPath: boards.path)) ?? []
    return names.sorted().map { BoardFolder(name: $0, folder: boards.appending(path: $0)) }
      .filter { FileManager.default.fileExists(atPath: $0.folder.appending(path: "profile").path) }
  }()

  let name: String
  let folder: URL
  var testDescription: String { name }

  func configuration() throws -> Configuration {
    Configuration([UInt8](try Data(contentsOf: folder.appending(path: "profile"))))
  }

  /// The cells of the README's wiring table, without its header and rule.
  func table() throws -> [[String]] {
    let page = try String(contentsOf: folder.appending(path: "README.md"), encoding: .utf8)
    let begin = try #require(page.range(of: "<!-- The table is written"))
    let end = try #require(page.range(of: "<!-- End of the table. -->"))
    return page[begin.upperBound..<end.lowerBound].split(separator: "\n").filter { $0.hasPrefix("|") }
      .dropFirst(2)
      .map { row in
        row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      }
  }
}

/// A GPIO line and its label for the user: `play`, `volume` A, `status` red.
struct ProfileLine: Hashable {
  let control: String
  let line: String

  static func all(_ controls: ControlTable) -> [ProfileLine] {
    let declarations = controls.declarations
    var lines: [ProfileLine] = []
    for button in declarations.buttons {
      if case .gpio(let line, _) = button.source { lines.append(ProfileLine(button.name, "", line)) }
    }
    for knob in declarations.knobs {
      guard case .gpio(let a, let b, _, _) = knob.source else { continue }
      lines += [ProfileLine(knob.name, " A", a), ProfileLine(knob.name, " B", b)]
    }
    for light in declarations.lights {
      guard case .gpio(let line) = light.sink else { continue }
      lines.append(ProfileLine(light.name, light.colour == .any ? "" : " \(light.colour)", line))
    }
    return lines
  }

  init(control: String, line: String) {
    self.control = control
    self.line = line
  }

  private init(_ name: ControlName, _ part: String, _ line: GPIOLine) {
    self.init(control: "`\(name.text)`\(part)", line: "`\(line.chip)` \(line.offset)")
  }
}

@Suite struct BoardProfileTests {
  @Test func thereAreBoards() {
    let names = Set(BoardFolder.all.map(\.name))
    #expect(
      names.isSuperset(of: [
        "raspberry-pi-zero-2w", "raspberry-pi-3", "raspberry-pi-4", "raspberry-pi-5", "orange-pi-zero-3",
        "generic-linux", "emulated", "sim",
      ]))
    for name in names { #expect(ControlName(name) != nil, "'board \(name)' could not name it") }
  }

  @Test(arguments: BoardFolder.all) func profileHasNoMistake(board: BoardFolder) throws {
    let profile = try board.configuration()
    #expect(profile.problems.map(\.sentence) == [])
    #expect(profile.commands.isEmpty, "a profile sets and declares; it does nothing")
    #expect(profile.controls.warnings == [])
    let declarations = profile.controls.declarations
    let bound = Set(profile.controls.bindings.triggers.flatMap(\.controls))
    for name in declarations.buttons.map(\.name) + declarations.knobs.map(\.name) {
      #expect(bound.contains(name), "nothing is bound to \(name.text)")
    }
    #expect(!declarations.lights.isEmpty)
    // Saving the profile's controls and reading them back gives the same controls.
    let again = Configuration(Array(profile.controls.lines.joined(separator: "\n").utf8))
    #expect(again.controls == profile.controls && again.problems.isEmpty)
  }

  @Test(arguments: BoardFolder.all) func noLineIsUsedTwice(board: BoardFolder) throws {
    let lines = ProfileLine.all(try board.configuration().controls).map(\.line)
    #expect(Set(lines).count == lines.count)
  }

  @Test(arguments: BoardFolder.all) func pageNamesTheLines(board: BoardFolder) throws {
    let controls = try board.configuration().controls
    let table = try board.table()
    guard FileManager.default.fileExists(atPath: board.folder.appending(path: "wiring.svg").path),
      !ProfileLine.all(controls).isEmpty
    else {
      // A board without a GPIO header has no wiring diagram; its table lists the declarations as typed.
      var declared: [String] = []
      for line in controls.lines {
        let words = line.split(separator: " ", maxSplits: 2)
        if ["button", "knob", "led"].contains(words[0]) { declared.append(String(words[1])) }
      }
      #expect(table.map { $0[0].split(separator: "`").first.map(String.init) } == declared)
      for row in table {
        let name = try #require(row[0].split(separator: "`").first)
        let where_ = row[1].replacing("`", with: "")
        #expect(
          try ["button", "knob", "led"].contains { kind in
            try board.profileLines().contains("\(kind) \(name) \(where_)")
          }, "\(name) is not at \(where_)")
      }
      return
    }
    let rows = table.map { ProfileLine(control: $0[0], line: $0[3] + " " + $0[4]) }
    #expect(rows.count == Set(rows).count && Set(rows) == Set(ProfileLine.all(controls)))
    let pins = table.map { $0[1] }
    #expect(Set(pins).count == pins.count)
  }

  /// All boards have the same usual bindings. The emulated board's bindings are tested elsewhere.
  @Test(arguments: BoardFolder.all.filter { $0.name != "emulated" })
  func bindsTheUsual(board: BoardFolder) throws {
    let lines = Set(try board.configuration().controls.bindings.bindings.map(\.line))
    let usual = [
      "bind play press toggle", "bind mode long \"sleep 30\"",
      "bind next short next", "bind next hold seek +10", "bind prev short previous",
      "bind prev hold seek -10", "bind next+prev long shutdown", "bind volume left volume down",
      "bind volume right volume up", "bind next+volume left seek -30", "bind next+volume right seek +30",
    ]
    let written = Configuration(
      Array(
        ([
          "button play panel", "button next panel", "button prev panel", "button mode panel",
          "knob volume panel",
        ] + usual)
        .joined(separator: "\n").utf8))
    for line in written.controls.bindings.bindings.map(\.line) { #expect(lines.contains(line)) }
    #expect(written.controls.bindings.bindings.count == usual.count)
  }
}

extension BoardFolder {
  /// The lines of the profile.
  func profileLines() throws -> [String] {
    try String(contentsOf: folder.appending(path: "profile"), encoding: .utf8)
      .split(separator: "\n").map(String.init)
  }
}
