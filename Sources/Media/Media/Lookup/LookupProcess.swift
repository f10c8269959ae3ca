// Asks storage for names from a process of its own, which can be given up where a thread could not: one that the kernel holds for
// dead storage would hold the daemon's sockets and its sound card, too. A thread that may wait, for half a minute at worst.

import CLinux
import Decoding
import PlaybackModel
import Platform

/// Look-ups by another process.
package enum LookupProcess {
  /// Nanoseconds after which storage that has not answered is given up. Whoever waits for the answer has been told before.
  private static let timeoutNanoseconds: UInt64 = 35_000_000_000
  /// Bytes of an answer at most: the longest queue, with the longest names.
  private static let maxBytes = 128 << 20

  /// Where something of a name is; nil: nowhere, or nobody knows.
  package static func locate(_ name: String, within roots: MediaRoots, _ cancellation: Cancellation)
    -> String?
  {
    let question = LookupQuestion(.locate, of: name, within: roots)
    if case .place(let path)? = ask(question, cancellation) { return path }
    return nil
  }

  /// The tracks that a path stands for.
  package static func expand(
    _ path: String, within roots: MediaRoots, _ cancellation: Cancellation
  ) throws(PlaybackError) -> ExpandedMedia {
    switch ask(LookupQuestion(.expand, of: path, within: roots), cancellation) {
    case .tracks(let found)?: return found
    case .refused(let error)?: throw error
    default: throw PlaybackError(.unreadable, path: path, detail: "its storage does not answer")
    }
  }

  /// What a folder beneath the roots holds.
  package static func entries(
    of folder: String, within roots: MediaRoots, _ cancellation: Cancellation
  ) throws(SystemError) -> [DirectoryEntry] {
    switch ask(LookupQuestion(.list, of: folder, within: roots), cancellation) {
    case .entries(let entries)?: return entries
    case .unreadable(let code)?: throw SystemError("opendir", on: folder, code: code)
    default: throw SystemError("opendir", on: folder, code: ETIMEDOUT)
    }
  }

  /// Matches a typed name against one folder with music; nil where its storage does not answer.
  ///
  /// - Parameters:
  ///   - name: A path, absolute or from the root on.
  ///   - root: The folder with music.
  ///   - roots: All of them: a link may lead from one to another.
  package static func match(
    _ name: String, in root: String, within roots: MediaRoots, _ cancellation: Cancellation
  ) -> NameMatch? {
    let question = LookupQuestion(.match, of: name, within: roots.leading(with: root))
    if case .match(let match)? = ask(question, cancellation) { return match }
    return nil
  }

  private static func ask(_ question: LookupQuestion, _ cancellation: Cancellation) -> LookupAnswer? {
    guard !cancellation.isSet, !isRefused(question) else { return nil }
    let bytes = try? AskedProcess.answer(
      to: question.words(parent: getpid()), on: question.storage, silentFor: timeoutNanoseconds,
      maxBytes: maxBytes, cancellation)
    return bytes.flatMap { LookupAnswer($0) }
  }

  /// Whether too many wait for that storage already.
  private static func isRefused(_ question: LookupQuestion) -> Bool {
    guard let storage = question.storage else { return false }
    UnreapedChildren.ofProcess.reap()
    return UnreapedChildren.ofProcess.refuses(storage)
  }
}
