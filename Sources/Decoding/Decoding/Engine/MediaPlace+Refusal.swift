// Storage that has enough processes waiting for it already. Control thread or one that looks things up; never waits.

import Platform

extension MediaPlace {
  /// Why no process is started for this place now; nil where one may be. Each that waits for dead storage is a task that nobody
  /// can end, and they must not use up what a box may have of them.
  var refusal: WorkerFailure? {
    let waiting = UnreapedChildren.ofProcess
    waiting.reap()
    if let root, waiting.refuses(root) {
      return WorkerFailure(
        .unreadable,
        "The storage \(root) does not answer, and enough decoders wait for it already; check it, its cable or its network."
      )
    }
    guard waiting.count >= UnreapedChildren.limit else { return nil }
    return WorkerFailure(
      .unreadable,
      "\(UnreapedChildren.limit) decoders wait for storage that does not answer; check all storage, its cables and its network."
    )
  }
}
