// Fuzz target: console lines, terminal input and configuration files. The first byte of an input selects which.

import Console
import Fuzzing
import Glibc

@main struct FuzzConsole {
  static func main() {
    exit(
      runFuzzer { data, size in
        FuzzConsole.run(input(data, size))
        return 0
      })
  }

  static func run(_ bytes: [UInt8]) {
    let rest = bytes.dropFirst()
    switch bytes.first {
    case 0x6C: line(Array(rest))
    case 0x63: configuration(Array(rest))
    case 0x6B: card(Array(rest))
    case 0x70: typing(rest, .plain)
    case 0x64: typing(rest, .dumb)
    default: typing(rest, .ansi)
    }
  }

  /// Parses and completes a line.
  static func line(_ line: [UInt8]) {
    do throws(ConsoleError) {
      _ = try Interpreter.parse(line)
    } catch {
      check(error)
      if let column = error.column { precondition(column >= 1 && column <= line.count + 1) }
    }
    check(completion(line), of: line)
  }

  /// Parses a configuration and checks that saving and parsing it again changes nothing.
  static func configuration(_ file: [UInt8]) {
    let read = Configuration(file)
    precondition(read.problems.count + read.commands.count <= Configuration.maxLines + 1)
    for problem in read.problems { check(problem.error) }
    let saved = Configuration(Array(read.base.configuration(read.settings, read.controls).utf8))
    precondition(saved.problems.isEmpty && saved.commands.isEmpty)
    precondition(saved.settings.differences(from: read.settings).isEmpty)
    precondition(saved.controls.lines == read.controls.lines)
  }

  /// Merges an SD card's file, its former version and the box's file, separated by lines of `---`, and checks that
  /// merging again changes nothing.
  static func card(_ files: [UInt8]) {
    var parts: [[UInt8]] = [[]]
    for line in files.split(separator: 0x0A, omittingEmptySubsequences: false) {
      if line.elementsEqual("---".utf8), parts.count < 3 {
        parts.append([])
      } else {
        parts[parts.count - 1] += Array(line) + [0x0A]
      }
    }
    while parts.count < 3 { parts.append([]) }
    let profile: @Sendable (String) -> [UInt8]? = { $0 == "test" ? Array("button play panel\n".utf8) : nil }
    do throws(ConsoleError) {
      let once = try CardConfiguration(card: parts[0], former: parts[1], box: parts[2], profile: profile)
      for problem in once.problems { check(problem.error) }
      precondition(once.file.count <= max(Configuration.maxFileBytes, parts[2].count))
      precondition(!CardConfiguration.report(once.problems, name: "swiftlet.conf").isEmpty)
      let twice = try CardConfiguration(card: parts[0], former: parts[1], box: once.file, profile: profile)
      precondition(twice.file == once.file && twice.problems == once.problems)
    } catch {
      check(error)
    }
  }

  /// Feeds terminal input to a line editor, interleaved with log lines.
  static func typing(_ bytes: ArraySlice<UInt8>, _ mode: LineEditor.Mode) {
    var editor = LineEditor(mode: mode, width: 20 + Int(bytes.first ?? 0))
    _ = editor.prompt()
    var rest = bytes
    while !rest.isEmpty {
      let before = rest.count
      let (echo, event) = editor.feed(&rest, complete: completion)
      // Bound on the echo: one key may at most redraw the line and list completions.
      precondition(echo.count <= (before - rest.count) * 16_384)
      switch event {
      case .line(let typed)?: line(typed)
      case .refused(let error)?: check(error)
      case .endOfInput?: editor.discard()
      case nil: precondition(rest.isEmpty)
      }
      precondition(editor.prompt().count <= 4096)
      precondition(editor.printAbove([0x2A, 0x0A]).count <= 8192)
    }
  }

  static func completion(_ line: [UInt8]) -> Completion {
    Completion(of: line) { _ in ["Jazz/", "Jazz/Kind of Blue.flac", "#1's \"best\"\\.mp3", "J\u{F6}rg"] }
  }

  static func check(_ completion: Completion, of line: [UInt8]) {
    precondition(completion.start >= 0 && completion.start <= line.count)
    precondition(completion.candidates.count <= Completion.maxCandidates + 200)
  }

  /// Checks that an error is one printable line of bounded length, as text and as JSON.
  static func check(_ error: ConsoleError) {
    precondition(!error.sentence.isEmpty)
    for format in [ReplyFormat.text, .json] {
      let bytes = Reply.error(error).rendered(format)
      precondition(bytes.count <= 8192 && !bytes.dropLast().contains { $0 < 0x20 })
    }
  }
}
