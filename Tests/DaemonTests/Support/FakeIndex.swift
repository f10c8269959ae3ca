// An index of music that answers what a test wants. Test threads, and those of background workers.

import Platform
import Synchronization

@testable import Daemon
@testable import Library

/// An index that notes what is done with it.
final class FakeIndex: MusicIndex {
  struct State {
    var updates: [String] = []
    var questions: [String] = []
    var answer = LibraryAnswer.rows([], total: 0)
    var isSilent = false
    /// Contents of folders and cue sheets, by the names that `find folder` asks for.
    var folders: [String: [[LibraryField]]] = [:]
    /// What is known of files, by their paths.
    var files: [String: [LibraryField]] = [:]
    var report = LibraryUpdateReport.done(LibraryUpdateSummary())
  }
  let state = Mutex(State())

  func ask(
    _ verb: LibraryVerb, _ words: [String], in file: String, within roots: [String],
    _ cancellation: Cancellation
  ) -> LibraryAnswer {
    state.withLock { state in
      state.questions.append(
        "\(file) \(roots.joined(separator: "+")) \(verb) \(words.joined(separator: "|"))")
      guard !state.isSilent else { return .fault("it does not answer", isBroken: false) }
      if verb == .find, words.first == "folder", words.count > 1, let rows = state.folders[words[1]] {
        // All are in the first window.
        return .rows(words.last?.hasPrefix("0:") == false ? [] : rows, total: rows.count)
      }
      guard verb == .files else { return state.answer }
      return .rows(words.compactMap { state.files[$0] }, total: words.count)
    }
  }

  func update(
    _ file: String, root: String, isAfresh: Bool, _ cancellation: Cancellation
  ) -> LibraryUpdateReport {
    state.withLock {
      $0.updates.append((isAfresh ? "afresh " : "") + root)
      return $0.report
    }
  }

  func takeUpdates() -> [String] {
    state.withLock { state in
      defer { state.updates = [] }
      return state.updates
    }
  }
}

extension FakeIndex {
  /// Knows a file.
  func know(_ path: String, _ fields: KeyValuePairs<String, String>) {
    let row = [LibraryField(name: "path", value: path)] + fields.map { LibraryField(name: $0, value: $1) }
    var summary = LibraryUpdateSummary()
    summary.read = 1
    state.withLock {
      $0.files[path] = row
      $0.report = .done(summary)
    }
  }
}
