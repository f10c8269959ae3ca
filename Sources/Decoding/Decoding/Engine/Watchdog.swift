// Decides when a worker hangs, from times that the caller supplies. Pure; any thread.

import Platform

/// A timeout for one operation of a worker. Times are nanoseconds of one monotonic clock.
///
/// The timeout is wall-clock time, with two extensions. A worker that is runnable but gets little CPU time on
/// a busy system has up to `longest`; a spinning or sleeping worker does not. A worker blocked on storage, such
/// as a disk that spins up, has up to `longestForStorage`.
package struct Watchdog: Hashable, Sendable {
  /// An operation with a timeout.
  package enum Operation: String, Hashable, Sendable, CaseIterable {
    /// From process start to the first frames in the ring.
    case open = "opening the file"
    /// From a seek to the first frames after it.
    case seek = "seeking"
    /// From an empty ring to new frames in it.
    case refill = "decoding"
    /// From a ring that runs low to new frames in it.
    case progress = "keeping up"
  }

  /// Timeout of an operation in nanoseconds.
  package let timeoutNanoseconds: UInt64
  private var operation: Operation?
  private var begin: UInt64 = 0
  private var used = ProcessorTime()
  private var next: UInt64 = 0

  /// Creates a watchdog without a pending operation.
  package init(timeoutNanoseconds: UInt64) {
    self.timeoutNanoseconds = timeoutNanoseconds
    longestForStorage = 5 * timeoutNanoseconds
  }

  /// Timeout of `progress` in nanoseconds.
  package static var progressTimeout: UInt64 { 250_000_000 }

  /// Timeout in nanoseconds of a worker that gets too little CPU time.
  package var longest: UInt64 { 4 * timeoutNanoseconds }

  /// Timeout in nanoseconds of a worker that is blocked on storage.
  package var longestForStorage: UInt64

  /// Starts the timeout of an operation, replacing a pending one.
  ///
  /// - Parameters:
  ///   - operation: The operation.
  ///   - now: The present time.
  ///   - used: The worker's CPU time so far.
  package mutating func expect(_ operation: Operation, now: UInt64, used: ProcessorTime = ProcessorTime()) {
    self.operation = operation
    self.used = used
    begin = now
    next = now &+ (operation == .progress ? Self.progressTimeout : timeoutNanoseconds)
  }

  /// Cancels the timeout: the operation has completed.
  package mutating func satisfied() { operation = nil }

  /// The pending operation.
  package var expected: Operation? { operation }

  /// When to call `check`; nil if no operation is pending.
  package var deadline: UInt64? { operation == nil ? nil : next }

  /// Checks for a timeout. The closures are called only if their result is needed.
  ///
  /// - Parameters:
  ///   - now: The present time.
  ///   - current: The worker's CPU time; nil if the system does not provide it.
  ///   - waits: Whether the worker is blocked on storage.
  /// - Returns: The operation that timed out; nil if none did.
  package mutating func check(
    now: UInt64, used current: () -> ProcessorTime?, waits: () -> Bool = { false }
  ) -> Operation? {
    // Tolerates a clock that runs backwards.
    guard let operation, now >= begin, now >= next else { return nil }
    if operation == .progress { return checkProgress(used: current, waits: waits) }
    if now - begin < longestForStorage, waits() {
      next = now &+ timeoutNanoseconds / 4
      return nil
    }
    guard now - begin < longest, let current = current() else { return operation }
    let ran = current.ran &- used.ran
    let queued = current.queued &- used.queued
    guard ran < timeoutNanoseconds / 8, queued > timeoutNanoseconds / 2 else { return operation }
    next = now &+ timeoutNanoseconds / 4
    return nil
  }

  /// Checks the early timeout, while the ring still has frames. In doubt returns nil, because the timeout for
  /// an empty ring follows.
  private mutating func checkProgress(used current: () -> ProcessorTime?, waits: () -> Bool) -> Operation? {
    operation = nil
    guard !waits(), let current = current() else { return nil }
    return current.queued &- used.queued > Self.progressTimeout / 4 ? nil : .progress
  }
}
