// Looks up a name in the media roots. Control thread.

import Console
import Decoding
import Platform

extension RootSearch {
  /// Looks up a name: an absolute path in its own root, any other name in all roots, of which the first that has it
  /// counts.
  ///
  /// - Parameters:
  ///   - name: The name.
  ///   - roots: The media roots.
  ///   - readers: Workers of the roots.
  ///   - work: Runs in the background with the roots to search; nil: not found.
  ///   - then: Receives the result of `work`, or nil and the error.
  @discardableResult
  convenience init(
    named name: String, within roots: MediaRoots, in readers: RootReaders, _ scheduler: any Scheduler,
    _ work: @escaping @Sendable (_ roots: MediaRoots) -> Value?,
    then: @escaping (Value?, ConsoleError) -> Void
  ) {
    let isAbsolute = name.utf8.first == 0x2F
    self.init(
      isAbsolute ? roots.root(of: name).map { [$0] } ?? [] : roots.folders, in: readers, scheduler,
      { root in work(isAbsolute ? roots : MediaRoots([root])) }
    ) { (search: RootSearch<Value>) in
      then(
        search.found.first, search.silentRoots.first.map { .noAnswer(of: $0) } ?? .notFound(name, in: roots))
    }
  }
}

extension ConsoleError {
  /// Error for storage that does not respond.
  static func noAnswer(of root: String) -> ConsoleError {
    ConsoleError(
      .failed,
      "the storage \(root) does not answer; try again, or check that it is plugged in properly, and its network"
    )
  }

  /// Error for a name that no root has.
  static func notFound(_ name: String, in roots: MediaRoots) -> ConsoleError {
    ConsoleError(
      .failed,
      "there is no '\(name)' in \(roots.folders.joined(separator: " or ")); 'media' lists them")
  }
}
