// Decides when a worker hangs: pure arithmetic on times that the caller tells. Any thread.

import Platform

/// What is waited for and since when. Times are nanoseconds of one monotonic clock.
///
/// The timeout is time on the wall. A worker that wants to run but hardly gets a processor, because the machine
/// is busy with other things, does not hang: it has longer, `longest` at most. One that spins has got its
/// share of even a busy machine by then, and one that sleeps has not asked for any. Nor does one hang that the
/// kernel holds until storage answers, such as a disk that spins up: it has `longestForStorage`.
package struct Watchdog: Hashable, Sendable {
  /// Something a worker has to get done in time.
  package enum Operation: String, Hashable, Sendable, CaseIterable {
    /// From the start of the process to the first sound in the ring.
    case open = "opening the file"
    /// From a seek to the first sound after it.
    case seek = "seeking"
    /// From an empty ring to new sound in it.
    case refill = "decoding"
    /// From a ring that runs low to new sound in it.
    case progress = "keeping up"
  }

  /// Nanoseconds that an operation may take.
  package let timeoutNanoseconds: UInt64
  private var operation: Operation?
  private var begin: UInt64 = 0
  private var used = ProcessorTime()
  private var next: UInt64 = 0

  /// A watchdog that waits for nothing yet.
  package init(timeoutNanoseconds: UInt64) {
    self.timeoutNanoseconds = timeoutNanoseconds
    longestForStorage = 5 * timeoutNanoseconds
  }

  /// Nanoseconds that `progress` may take.
  package static var progressTimeout: UInt64 { 250_000_000 }

  /// Nanoseconds after which a worker hangs even if it never got a processor.
  package var longest: UInt64 { 4 * timeoutNanoseconds }

  /// Nanoseconds after which storage that does not answer is given up.
  package var longestForStorage: UInt64

  /// Starts waiting for `operation`, whatever was waited for before. `used` is what the worker has used so far.
  package mutating func expect(_ operation: Operation, now: UInt64, used: ProcessorTime = ProcessorTime()) {
    self.operation = operation
    self.used = used
    begin = now
    next = now &+ (operation == .progress ? Self.progressTimeout : timeoutNanoseconds)
  }

  /// The worker did what was waited for.
  package mutating func satisfied() { operation = nil }

  /// What is waited for.
  package var expected: Operation? { operation }

  /// When `check` has to be called, nil while nothing is waited for.
  package var deadline: UInt64? { operation == nil ? nil : next }

  /// What has taken too long by `now`. `used` tells what the worker has used by now, nil where the system does
  /// not say, and `waits` whether the kernel has it wait for storage; they are asked only if that decides.
  package mutating func check(
    now: UInt64, used current: () -> ProcessorTime?, waits: () -> Bool = { false }
  ) -> Operation? {
    // A clock that seems to run backwards is no hang.
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

  /// Whether the worker hangs though sound is left. In doubt it does not: it has all the time of a dry ring then.
  private mutating func checkProgress(used current: () -> ProcessorTime?, waits: () -> Bool) -> Operation? {
    operation = nil
    guard !waits(), let current = current() else { return nil }
    return current.queued &- used.queued > Self.progressTimeout / 4 ? nil : .progress
  }
}
