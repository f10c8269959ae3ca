// Work that may wait for storage, kept away from the control thread. Control thread only, but for the work itself.

/// Does one piece of work after another where waiting harms nobody. A box has a worker for each thing that may hang
/// by itself, so that none of them holds up the others. Class-bound, for Embedded Swift.
///
/// A real machine has threads for it (`ThreadWorker`); a simulated one does the work at a moment of its own choice.
/// When the worker goes, what waits is dropped, what runs is left to itself, and no `then` is called any more.
package protocol BackgroundWorker: AnyObject {
  /// Does `work` when all that was given before is done, and calls `then` on the control thread. `then` gets an
  /// error, possibly before this returns, where the work cannot be done at all.
  func run(_ work: @escaping @Sendable () -> Void, then: @escaping (SystemError?) -> Void)
  /// Holds up the control thread until everything is done and every `then` was called, for so long at most; whether
  /// it is. What those calls give it to do is waited for, too.
  func wait(within nanoseconds: UInt64) -> Bool
}
