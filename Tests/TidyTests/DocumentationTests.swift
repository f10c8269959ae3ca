// Documentation names only files, scripts, commands, options, settings and symbols that exist. Test threads.

import Foundation
import Testing

/// The names that documentation may use.
struct KnownNames {
  let paths: Set<String>
  /// Identifiers of the program and its tests: types, functions, cases.
  let symbols: Set<String>
  /// `swiftlet SUBCOMMAND`.
  let subcommands: Set<String>
  /// Options in the program's help and in the scripts.
  let options: Set<String>
  /// First words of console commands, from the generated reference.
  let commands: Set<String>
  let settings: Set<String>
  /// Folders at the start of a path.
  private static let folders: Set<String> = [
    "Sources", "Tools", "Tests", "Fuzz", "examples", "scripts", "docs", "boards", "packaging", ".ci",
    ".github",
  ]
  /// Foreign names: of other programs, the kernel and Swift.
  let foreign: Set<String>

  init(_ tree: SourceTree) {
    paths = tree.paths
    foreign = Set(tree.list("Tests/TidyTests/Rules/foreign-names.txt"))
    var symbols: Set<String> = []
    for file in tree.files(
      in: ["Sources", "Tools", "Tests", "Fuzz", "examples"], ["swift", "c", "h", "py", "map"])
    where !file.path.hasPrefix("Tests/TidyTests/") {
      symbols.formUnion(SwiftText(file.text).words)
    }
    for name in tree.paths { symbols.formUnion(name.split { $0 == "/" || $0 == "." }.map(String.init)) }
    symbols.formUnion(SwiftText(tree.files.first { $0.path == "Package.swift" }?.text ?? "").words)
    // Plugins are named after their folders.
    for name in symbols.union(["NAME"]).filter({
      tree.paths.contains("Sources/Decoding/Codecs/\($0)") || $0 == "NAME"
    }
    ) {
      symbols.formUnion(["SwiftletCodec" + name, "libSwiftletCodec" + name])
    }
    for name in ["HTTP", "NAME"] { symbols.insert("libSwiftletTransport" + name) }
    self.symbols = symbols
    let program = tree.swift(in: "Sources/Programs/swiftlet").map(\.text).joined()
    subcommands = Self.matches("case \"", program).union(Self.matches(", \"", program))
    let scripts = tree.files.filter {
      $0.path.hasPrefix("scripts/") || $0.path.hasPrefix("boards/emulated/harness/")
        || $0.path.hasPrefix("Tools/")
    }
    var options: Set<String> = []
    for text in [program] + scripts.map(\.text) {
      for word in text.split(whereSeparator: { !($0.isLetter || $0.isNumber || $0 == "-") })
      where word.hasPrefix("--") {
        options.insert(String(word))
      }
    }
    self.options = options
    let reference = tree.files.first { $0.path == "docs/reference/console.md" }?.text ?? ""
    var commands: Set<String> = []
    var settings: Set<String> = []
    for line in reference.split(separator: "\n") {
      if line.hasPrefix("#### `") {
        commands.insert(String(line.dropFirst(6).prefix { $0 != " " && $0 != "`" }))
      } else if line.hasPrefix("- Also ") {
        for (place, part) in line.split(separator: "`").enumerated() where place % 2 == 1 {
          commands.insert(String(part))
        }
      } else if line.hasPrefix("| `") {
        settings.insert(String(line.dropFirst(3).prefix { $0 != "`" }))
      }
    }
    self.commands = commands
    self.settings = settings
  }

  private static func matches(_ begin: String, _ text: String) -> Set<String> {
    Set(text.components(separatedBy: begin).dropFirst().map { String($0.prefix { $0.isLetter }) })
  }

  /// The problem with a path, such as `Sources/Box/Daemon/Box.swift` or `boards/NAME/*`; nil if it is correct
  /// or not a path.
  func problem(path word: String) -> String? {
    let path =
      word.trimmingCharacters(in: CharacterSet(charactersIn: ".,;:/)")).split(separator: "#").first.map(
        String.init) ?? ""
    let parts = path.split(separator: "/").map(String.init)
    guard word.contains("/"), parts.count > 1, let first = parts.first else { return nil }
    let head = word.hasPrefix(".") && !first.hasPrefix(".") ? "." + first : first
    guard Self.folders.contains(head) else { return nil }
    let full = ([head] + parts.dropFirst()).joined(separator: "/")
    // Paths with placeholders are checked up to the first placeholder.
    let given = full.split(separator: "/").map(String.init).prefix { part in
      !part.contains { "*…<>|$".contains($0) }
        && part.range(of: "NAME|ARCH|FILE|TARGET|VERSION|SCENARIO", options: .regularExpression) == nil
    }.joined(separator: "/")
    if paths.contains(given) || paths.contains(given + ".swift") || given == head { return nil }
    return "there is no \(given)"
  }

  /// The problem with a command line of this project; nil if it is correct or another program's.
  func problem(commandLine line: String) -> String? {
    var words = line.split(separator: "#", omittingEmptySubsequences: false)[0].split(separator: " ").map(
      String.init)
    if ["sudo", "bash", "$", "exec", "python3"].contains(words.first ?? "") { words.removeFirst() }
    guard let program = words.first else { return nil }
    if program.hasPrefix("scripts/") {
      if let problem = problem(path: program) { return problem }
      if line.contains("scripts/test ") || line.contains("scripts/tidy ") { return nil }
      return words.dropFirst().first { $0.hasPrefix("--") && !options.contains($0) }.map {
        "no script has an option \($0)"
      }
    }
    guard program == "swiftlet" || program.hasSuffix("/swiftlet"), words.count > 1 else { return nil }
    let subcommand = words[1]
    if subcommand.first.map({ $0.isUppercase || "…[<-".contains($0) }) == true { return nil }
    guard subcommands.contains(subcommand) else { return "swiftlet has no command '\(subcommand)'" }
    if let option = words.dropFirst(2).first(where: { $0.hasPrefix("--") }).map({ $0.prefix { $0 != "=" } }),
      !options.contains(String(option).trimmingCharacters(in: CharacterSet(charactersIn: "]).,")))
    {
      return "swiftlet has no option \(option)"
    }
    guard subcommand == "ctl" else { return nil }
    let rest = words.dropFirst(words.dropFirst(2).first == "--socket" ? 4 : 2)
    return problem(console: rest.joined(separator: " "))
  }

  /// The problem with a console line; nil if it is correct.
  func problem(console line: String) -> String? {
    let words = line.split(separator: " ").map {
      $0.trimmingCharacters(in: CharacterSet(charactersIn: "\"',;:.)"))
    }
    guard let verb = words.first, !verb.isEmpty, verb.allSatisfy({ $0.isLowercase || $0 == "-" }),
      !verb.hasPrefix("-")
    else { return nil }
    guard commands.contains(verb) else { return "the console has no command '\(verb)'" }
    guard ["set", "unset", "cycle", "show"].contains(verb), words.count > 1 else { return nil }
    return problem(setting: words[1])
  }

  /// The problem with a setting's key; nil if it is correct or not a key.
  func problem(setting word: String) -> String? {
    let halves = word.split(separator: ".", omittingEmptySubsequences: false)
    guard halves.count == 2,
      halves.allSatisfy({ !$0.isEmpty && $0.allSatisfy { $0.isLowercase || $0 == "-" } })
    else { return nil }
    let groups = Set(settings.map { $0.prefix { $0 != "." } })
    guard groups.contains(halves[0]), !settings.contains(word), !foreign.contains(word) else { return nil }
    return "there is no setting \(word)"
  }

  /// The problem with a symbol, such as `AudioLoop` or `Mixer.restore(to:)`; nil if it is correct or not a
  /// symbol.
  func problem(symbol word: String) -> String? {
    let name = word.prefix { $0 != "(" }
    guard name.first?.isLetter == true,
      name.allSatisfy({ $0.isLetter || $0.isNumber || $0 == "." || $0 == "_" })
    else { return nil }
    let parts = name.split(separator: ".").map(String.init)
    // Only words with an inner capital or a dot are checked, because a single word is ambiguous.
    func isCamel(_ part: String) -> Bool {
      part.dropFirst().contains { $0.isUppercase } && part.contains { $0.isLowercase }
    }
    guard parts.contains(where: isCamel), !parts.contains(where: foreign.contains) else { return nil }
    return parts.first { isCamel($0) && !symbols.contains($0) }.map { "nothing is called \($0)" }
  }

  /// The problems of a page.
  func violations(_ page: SourceFile, anchors: (String) -> Set<String>?) -> [String] {
    let folder =
      page.path.contains("/") ? page.path.split(separator: "/").dropLast().joined(separator: "/") : ""
    let markdown = MarkdownPage(page.text)
    var violations: [String] = []
    func note(_ line: Int, _ problem: String?) {
      if let problem { violations.append("\(page.path):\(line): \(problem)") }
    }
    for link in markdown.links where !link.target.contains(":") {
      let target = Self.resolved(link.target, from: folder)
      let full = link.target.isEmpty ? page.path : target
      if !paths.contains(full) {
        note(link.line, "the link leads to \(full), which does not exist")
      } else if !link.anchor.isEmpty, anchors(full)?.contains(link.anchor) == false {
        note(link.line, "\(full) has no heading #\(link.anchor)")
      }
    }
    for code in markdown.code where !code.text.isEmpty {
      if code.fence == nil || ["sh", "fence"].contains(code.fence) {
        note(code.line, problem(commandLine: code.text))
      }
      for word in code.text.split(separator: " ") { note(code.line, problem(path: String(word))) }
      if code.fence == nil {
        note(code.line, problem(setting: code.text))
        note(code.line, problem(symbol: code.text))
      }
    }
    return violations
  }

  private static func resolved(_ target: String, from folder: String) -> String {
    var parts = folder.split(separator: "/").map(String.init)
    for part in target.split(separator: "/").map(String.init) {
      if part == ".." { _ = parts.popLast() } else if part != "." { parts.append(part) }
    }
    return parts.joined(separator: "/")
  }
}

@Suite struct DocumentationTests {
  private let tree = SourceTree.whole

  @Test func pagesNameWhatExists() {
    let names = KnownNames(tree)
    #expect(names.commands.count > 30 && names.settings.count > 40 && names.subcommands.count > 8)
    var anchors: [String: Set<String>] = [:]
    for page in tree.pages { anchors[page.path] = MarkdownPage(page.text).anchors }
    // The change log may name what no longer exists.
    for page in tree.pages where page.path != "CHANGELOG.md" {
      #expect(names.violations(page) { anchors[$0] } == [])
    }
  }

  /// Lists in documentation must also be complete.
  @Test func listsAreComplete() {
    func text(_ path: String) -> String { tree.files.first { $0.path == path }?.text ?? "" }
    let scripts = tree.paths.filter { $0.hasPrefix("scripts/") && $0 != "scripts/README.md" }.map {
      $0.dropFirst(8)
    }
    #expect(scripts.filter { !text("scripts/README.md").contains("`\($0)`") } == [])
    let decisions = tree.paths.filter { $0.hasPrefix("docs/decisions/0") }.map { $0.dropFirst(15) }
    #expect(decisions.filter { !text("docs/decisions/README.md").contains("(\($0))") } == [])
    for list in tree.files where list.path.hasPrefix("Tests/Mutations/") {
      let names = list.lines.filter { $0.hasPrefix("== ") }.map { $0.dropFirst(3) }
      #expect(
        names.filter { !text("docs/developing/mutations.md").contains("\n| \($0) | ") } == [],
        "`scripts/check-mutations --table > docs/developing/mutations.md` writes it again")
    }
    let modules = tree.paths.filter { path in
      path.hasPrefix("Sources/") && path.split(separator: "/").count == 3 && !path.hasSuffix("/C")
        && !path.contains(".")
    }.compactMap { $0.split(separator: "/").last }
    #expect(modules.filter { !text("Sources/README.md").contains("`\($0)`") } == [])
  }

  /// Comments and scripts name files, too.
  @Test func commentsNameFilesThatExist() {
    let names = KnownNames(tree)
    var violations: [String] = []
    for file in tree.files where ["swift", "c", "h", "py", ""].contains(file.ending) {
      guard !file.path.hasPrefix("Tests/TidyTests/"), !file.path.hasSuffix(".md") else { continue }
      for (number, line) in file.lines.enumerated() {
        let trimmed = line.drop { $0 == " " }
        guard trimmed.hasPrefix("//") || trimmed.hasPrefix("#") else { continue }
        for word in trimmed.split(whereSeparator: { " `'\"(),;".contains($0) }) where word.contains("/") {
          // A comment may name a folder of the running system or of a test's temporary directory.
          guard let problem = names.problem(path: String(word)), !names.foreign.contains(String(word)) else {
            continue
          }
          violations.append("\(file.path):\(number + 1): \(problem)")
        }
      }
    }
    #expect(violations == [])
  }

  @Test func noticesWhatIsPlanted() {
    let names = KnownNames(tree)
    func violations(_ text: String) -> [String] {
      names.violations(SourceFile(path: "docs/reference/planted.md", text: text)) { _ in ["bars"] }
    }
    #expect(
      violations(
        "[a](bench.md#bars) [b](../../README.md) `scripts/test --filter A` `fade.length` `AudioLoop`")
        == [])
    for wrong in [
      "[a](nowhere.md)", "[a](bench.md#nowhere)", "`Sources/Gone.swift`", "`scripts/gone`", "`fade.gone`",
      "`GoneType.thing`",
      "`Mixer.goneAway(to:)`", "`swiftlet gone`", "`swiftlet ctl gone`", "`swiftlet ctl set fade.gone 5`",
      "`swiftlet play --gone a`", "```sh\nscripts/gone\n```",
    ] {
      #expect(violations(wrong).count >= 1, "\(wrong)")
    }
  }
}
