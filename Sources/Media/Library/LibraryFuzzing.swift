// Entries for a coverage-guided fuzzer. Not used by a box.

import Platform

/// Feeds arbitrary bytes to what reads questions, and to what reads the answers of the index's processes.
package enum LibraryFuzzing {
  private static let verbs: [LibraryVerb] = [.find, .search, .list, .count, .summary, .faults, .files]

  /// Reads the first byte as a verb and the lines behind it as its words, and asks an index that holds nothing. Traps where a question
  /// that was understood is none to SQLite.
  package static func question(_ bytes: [UInt8]) {
    _ = LibraryAnswer(bytes)
    _ = LibraryUpdateReport(bytes)
    guard let first = bytes.first else { return }
    let words = bytes.dropFirst().split(separator: 0x0A, omittingEmptySubsequences: false).map {
      String(decoding: $0.filter { $0 != 0 }, as: UTF8.self)
    }
    _ = LibraryTask(words[...])
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
