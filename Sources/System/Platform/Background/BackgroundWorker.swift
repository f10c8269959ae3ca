// The interface for work that may block on storage, away from the control thread. Control thread only, except
// the work itself.

/// Executes blocking work one item at a time. The daemon has one worker for each resource that may hang
/// independently, so that none delays the rest. Class-bound, for Embedded Swift.
///
/// On a real machine `ThreadWorker` uses threads; a simulated machine executes the work at a time of its
/// choice. Releasing the worker drops waiting work, abandons running work, and calls no more `then` closures.
package protocol BackgroundWorker: AnyObject {
  /// Executes `work` after all earlier work, then calls `then` on the control thread.
  ///
  /// - Parameters:
  ///   - work: The work, executed on a background thread.
  ///   - then: Receives nil, or an error if the work could not be executed; it may then be called before this
  ///     function returns.
  func run(_ work: @escaping @Sendable () -> Void, then: @escaping (SystemError?) -> Void)
  /// Blocks the control thread until all work is done and all `then` closures have been called, including
  /// work that these add.
  ///
  /// - Parameter nanoseconds: The timeout.
  /// - Returns: False after the timeout.
  func wait(within nanoseconds: UInt64) -> Bool
}
