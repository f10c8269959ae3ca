// Asks the roots for what a person named. Control thread.

import Console
import Decoding
import Platform

extension RootSearch {
  /// Asks for what a person named: an absolute path's own root, and for any other name all of them, of which the first that has it counts.
  /// `work` runs in the background, with where to look; nil is nothing. `then` gets what it came to, or nil and why not.
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
  /// Storage that does not answer.
  static func noAnswer(of root: String) -> ConsoleError {
    ConsoleError(
      .failed,
      "the storage \(root) does not answer; try again, or check that it is plugged in properly, and its network"
    )
  }

  /// A name that no root has.
  static func notFound(_ name: String, in roots: MediaRoots) -> ConsoleError {
    ConsoleError(
      .failed,
      "there is no '\(name)' in \(roots.folders.joined(separator: " or ")); 'media' lists what there is")
  }
}
