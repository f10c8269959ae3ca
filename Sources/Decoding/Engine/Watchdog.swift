// Decides when a worker hangs: pure arithmetic on times that the caller tells. Any thread.

/// What is waited for and since when. Times are nanoseconds of one monotonic clock.
public struct Watchdog: Hashable, Sendable {
  /// Something a worker has to get done in time.
  public enum Operation: String, Hashable, Sendable, CaseIterable {
    /// From the start of the process to the first sound in the ring.
    case open = "opening the file"
    /// From a seek to the first sound after it.
    case seek = "seeking"
    /// From an empty ring to new sound in it.
    case refill = "decoding"
  }

  /// Nanoseconds that an operation may take.
  public let patience: UInt64
  private var operation: Operation?
  private var begin: UInt64 = 0

  /// A watchdog that waits for nothing yet.
  public init(patience: UInt64 = 5_000_000_000) { self.patience = patience }

  /// Starts waiting for `operation`, whatever was waited for before.
  public mutating func expect(_ operation: Operation, now: UInt64) {
    self.operation = operation
    begin = now
  }

  /// The worker did what was waited for.
  public mutating func satisfied() { operation = nil }

  /// What is waited for.
  public var expected: Operation? { operation }

  /// When patience ends, nil while nothing is waited for.
  public var deadline: UInt64? { operation == nil ? nil : begin &+ patience }

  /// What has taken too long by `now`.
  public func expired(now: UInt64) -> Operation? {
    // A clock that seems to run backwards is no hang.
    now >= begin && now - begin >= patience ? operation : nil
  }
}
