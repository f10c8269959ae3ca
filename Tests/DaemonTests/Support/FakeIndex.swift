// A library index with scripted responses. Test threads, and those of background workers.

import Platform
import Synchronization

@testable import Daemon
@testable import Library

/// An index that records its calls.
final class FakeIndex: MusicIndex {
  struct State {
    var updates: [String] = []
    var questions: [String] = []
    var answer = LibraryAnswer.rows([], total: 0)
    var isSilent = false
    /// Contents of folders and cue sheets, by the names that `find folder` takes.
    var folders: [String: [[LibraryField]]] = [:]
    /// Metadata of files, by path.
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
        // All rows are in the first window.
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
  /// Adds a file with its metadata.
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
