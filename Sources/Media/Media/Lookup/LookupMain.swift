// Main function of a look-up process: answers one question about names on storage, then exits. It may block on storage
// indefinitely; the parent kills it after a timeout.

import CLinux
import Decoding
import PlaybackModel
import Platform

/// The hidden subcommand `lookup`, which writes its answer to standard output.
package enum LookupMain {
  /// Runs the subcommand.
  ///
  /// - Parameter words: Arguments after the subcommand: the parent's process id and the question.
  /// - Returns: The exit status.
  package static func run(_ words: [String]) -> Int32 {
    HelperMain.run(words) { (question: LookupQuestion) in answer(question) }
  }

  /// Maximum number of entries whose modification times are read; each takes a request to the storage.
  private static let maxDated = 2000

  /// Adds modification times to the entries that are shown to the user.
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
