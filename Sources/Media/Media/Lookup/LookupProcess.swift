// Queries names on storage through a separate process, which can be abandoned if the storage hangs. A thread that
// blocks in the kernel would keep the daemon's sockets and sound card open. Called on a thread that may block for up to
// 35 s.

import CLinux
import Decoding
import PlaybackModel
import Platform

/// Look-ups through another process.
package enum LookupProcess {
  /// Locates a file or folder; nil if it does not exist or its storage does not respond.
  package static func locate(_ name: String, within roots: MediaRoots, _ cancellation: Cancellation)
    -> String?
  {
    let question = LookupQuestion(.locate, of: name, within: roots)
    if case .place(let path)? = ask(question, cancellation) { return path }
    return nil
  }

  /// Expands a path to tracks.
  ///
  /// - Throws: The error of `MediaList.expand`, or `unreadable` if the storage does not respond.
  package static func expand(
    _ path: String, within roots: MediaRoots, _ cancellation: Cancellation
  ) throws(PlaybackError) -> ExpandedMedia {
    switch ask(LookupQuestion(.expand, of: path, within: roots), cancellation) {
    case .tracks(let found)?: return found
    case .refused(let error)?: throw error
    default: throw PlaybackError(.unreadable, path: path, detail: "its storage does not answer")
    }
  }

  /// Lists a folder below the roots.
  ///
  /// - Throws: The error of the folder, or ETIMEDOUT if the storage does not respond.
  package static func entries(
    of folder: String, within roots: MediaRoots, _ cancellation: Cancellation
  ) throws(SystemError) -> [DirectoryEntry] {
    switch ask(LookupQuestion(.list, of: folder, within: roots), cancellation) {
    case .entries(let entries)?: return entries
    case .unreadable(let code)?: throw SystemError("opendir", on: folder, code: code)
    default: throw SystemError("opendir", on: folder, code: ETIMEDOUT)
    }
  }

  /// Matches a typed name against one music folder; nil if its storage does not respond.
  ///
  /// - Parameters:
  ///   - name: A path, absolute or relative to the root.
  ///   - root: The music folder.
  ///   - roots: All music folders; links may lead from one to another.
  ///   - cancellation: Ends the process early.
  package static func match(
    _ name: String, in root: String, within roots: MediaRoots, _ cancellation: Cancellation
  ) -> NameMatch? {
    let question = LookupQuestion(.match, of: name, within: roots.leading(with: root))
    if case .match(let match)? = ask(question, cancellation) { return match }
    return nil
  }

  private static func ask(_ question: LookupQuestion, _ cancellation: Cancellation) -> LookupAnswer? {
    try? HelperProcess.answer(to: question, cancellation)
  }
}
