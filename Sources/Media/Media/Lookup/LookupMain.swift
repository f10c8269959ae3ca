// What a look-up process does: it asks the storage one question, writes the answer, and ends. Waits as long as the storage likes;
// whoever has asked ends it when that takes too long.

import CLinux
import Decoding
import PlaybackModel
import Platform

/// The hidden subcommand `lookup`: descriptor 1 gets the answer.
package enum LookupMain {
  /// Answers what the words after the subcommand ask. The result is the exit status.
  package static func run(_ words: [String]) -> Int32 {
    guard let parent = words.first.flatMap({ Int32($0) }), let question = LookupQuestion(words[...]) else {
      TextOutput.standardError.line("swiftlet lookup: started by the engine, not by hand")
      return 64
    }
    guard ChildProcess.dieWithParent(parent) else { return 1 }
    do throws(SystemError) {
      try FileDescriptor(owning: 1).writeAll(answer(question).bytes)
      return 0
    } catch {
      return 1
    }
  }

  /// Maximum number of entries of a folder whose times are read: each takes a question to the storage.
  private static let maxDated = 2000

  /// Entries with the times at which they were changed, those that are shown to a person.
  private static func dated(_ entries: [DirectoryEntry], in folder: String) -> [DirectoryEntry] {
    var left = maxDated
    return entries.map { entry in
      guard left > 0, entry.isDirectory || MediaList.isPlayable(entry.name) else { return entry }
      left -= 1
      let status = try? FileStatus.of(Directory.path(of: entry.name, in: folder))
      return DirectoryEntry(name: entry.name, isDirectory: entry.isDirectory, modified: status?.modified)
    }
  }

  private static func answer(_ question: LookupQuestion) -> LookupAnswer {
    switch question.kind {
    case .locate: return .place(question.roots.locate(question.name))
    case .expand:
      do throws(PlaybackError) {
        return .tracks(try MediaList.expand(question.name, within: question.roots))
      } catch {
        return .refused(error)
      }
    case .list:
      do throws(SystemError) {
        return .entries(dated(try Directory.entries(of: question.name), in: question.name))
      } catch {
        return .unreadable(error.code)
      }
    case .match: return .match(NameMatch(question.name, within: question.roots))
    }
  }
}
