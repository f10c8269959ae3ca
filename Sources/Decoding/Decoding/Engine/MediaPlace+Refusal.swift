// Refuses to start workers for storage that has blocked too many processes already. Control thread or a
// lookup thread; never blocks.

import Platform

extension MediaPlace {
  /// Why no process may be started for this place; nil if one may.
  ///
  /// A process blocked on dead storage cannot be killed, so their number is bounded to protect the system's
  /// process limit.
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
