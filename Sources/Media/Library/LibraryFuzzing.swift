// Entry points for a coverage-guided fuzzer. Not used in production.

import Platform

/// Feeds arbitrary bytes to the parsers of index queries and of the answers of index processes.
package enum LibraryFuzzing {
  private static let verbs: [LibraryVerb] = [.find, .search, .list, .count, .summary, .faults, .files]

  /// Parses the first byte as a verb and the following lines as arguments, and queries an empty index. Traps if SQLite
  /// rejects a query that was parsed.
  package static func question(_ bytes: [UInt8]) {
    _ = LibraryAnswer(bytes)
    _ = LibraryUpdateReport(bytes)
    guard let first = bytes.first else { return }
    let words = bytes.dropFirst().split(separator: 0x0A, omittingEmptySubsequences: false).map {
      String(decoding: $0.filter { $0 != 0 }, as: UTF8.self)
    }
    _ = LibraryRequest(words[...])
    _ = LibraryUpdateTask(words[...])
    let verb = verbs[Int(first) % verbs.count]
    guard let question = try? LibraryQuestion(verb, words) else { return }
    do throws(LibraryFault) {
      let index = try LibraryIndex.openOrMake(":memory:")
      let answer = try index.answer(to: question, within: ["/music", "/media/a b"])
      precondition(LibraryAnswer(answer.bytes) == answer, "an answer is read as it was written")
    } catch {
      preconditionFailure("a question that was understood is none to SQLite")
    }
  }
}
