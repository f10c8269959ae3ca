// Sources use no thread pool and no async runtime, and no setting passes an environment variable to a
// process. Test threads.

import Foundation
import Testing

/// Constructs that code in `Sources` may not use.
enum ForbiddenWords {
  /// Swift concurrency and Dispatch. Some words are also names of methods and types, so the patterns match
  /// their usage.
  private static let patterns = [
    #"\b(async|await)\s+(let\b|throws\b|\{|\w+[.(])"#, #"\)\s*async\b"#, #"\bactor\s+[A-Z]"#,
    #"\bTask\s*(\.detached\s*)?\{"#,
    #"@(MainActor|globalActor)\b"#, #"\bDispatch(Queue|Group|Semaphore|Source|Time)\b"#,
    #"\bwith(Throwing)?TaskGroup\b"#,
    #"\b(setenv|putenv|unsetenv)\s*\("#,
  ]
  private static let expressions = patterns.map { try! NSRegularExpression(pattern: $0) }

  /// The forbidden constructs in a file.
  static func found(in text: String) -> [String] {
    let code = String(decoding: SwiftText(text).skeleton, as: UTF8.self)
    let whole = NSRange(code.startIndex..., in: code)
    return expressions.flatMap { $0.matches(in: code, range: whole) }.compactMap { match in
      Range(match.range, in: code).map { String(code[$0]) }
    }
  }
}

@Suite struct ThreadRuleTests {
  @Test func sourcesHaveNoAsyncRuntimeAndSetNoVariables() {
    let files = SourceTree.whole.files(in: ["Sources"], ["swift", "h", "c"])
    #expect(files.count > 400)
    #expect(files.flatMap { file in ForbiddenWords.found(in: file.text).map { "\(file.path): \($0)" } } == [])
  }

  @Test(arguments: [
    "func go() async {}", "func go() async throws {}", "await go()", "async let a = go()", "actor Box {",
    "Task { go() }",
    "Task.detached { go() }", "@MainActor func go() {}", "DispatchQueue.main.sync {}",
    "await withTaskGroup(of: Int.self) {}",
    "setenv(name, value, 1)", "try await go()",
  ]) func noticesWhatIsPlanted(code: String) { #expect(!ForbiddenWords.found(in: code + "\n").isEmpty) }

  /// Names that resemble forbidden constructs.
  @Test(arguments: [
    "enum Task: String {", "decoding.await(chunk)", "func await(_ chunk: Frames) {", "// await go()",
    "var task: Task",
  ])
  func passesOverNames(code: String) { #expect(ForbiddenWords.found(in: code + "\n") == []) }
}
