// Decides when a connection counts as lost, when to reconnect, and when to give up. Pure, with explicit
// times; fetcher process.

import Platform

/// Timeouts and backoff for the connections of a stream. Times are nanoseconds of one monotonic clock.
struct Attempts {
  private let stall: UInt64
  private let giveUp: UInt64
  private var backOff = BackOff(first: 100_000_000, longest: 8_000_000_000)
  private var lastByte: UInt64 = 0
  private var lostSince: UInt64?
  /// When to reconnect; nil while connected or if no reconnect is pending.
  private(set) var due: UInt64?

  init(_ order: FetchOrder) {
    stall = UInt64(order.stallMilliseconds) * 1_000_000
    giveUp = UInt64(order.giveUpMilliseconds) * 1_000_000
  }

  /// When the connection counts as lost if no bytes arrive.
  var stallDeadline: UInt64 { lastByte &+ stall }

  func isStalled(at now: UInt64) -> Bool { now >= stallDeadline }

  /// Records a new connection attempt.
  mutating func begin(at now: UInt64) {
    due = nil
    lastByte = now
  }

  /// Records bytes that were received before the interruption already: the connection works, and nothing is gained.
  mutating func noteRepeatedByte(at now: UInt64) { lastByte = now }

  /// Records received bytes. Returns whether they end an interruption.
  @discardableResult
  mutating func noteByte(at now: UInt64) -> Bool {
    lastByte = now
    backOff.reset()
    defer { lostSince = nil }
    return lostSince != nil
  }

  /// Makes a pending reconnect due now, and restarts the timeout for giving up. For a user command.
  mutating func hurry(at now: UInt64) {
    guard due != nil else { return }
    backOff.reset()
    due = now
    lostSince = now
  }

  /// Whether the engine needs to know of a loss: the first two of an interruption, and those for another reason than the
  /// one before.
  ///
  /// - Parameters:
  ///   - reason: The reason in one sentence.
  ///   - isFirst: Whether the loss begins an interruption.
  mutating func isNews(_ reason: String, isFirst: Bool) -> Bool {
    if isFirst { told = ("", 0) }
    guard told.count < 2 || reason != told.reason else { return false }
    told = (reason, told.count + 1)
    return true
  }

  /// The reason that the engine was told last, and how often it was told one.
  private var told: (reason: String, count: Int) = ("", 0)

  /// Records a lost connection.
  ///
  /// - Returns: Whether this begins an interruption; nil if the stream is given up.
  mutating func lose(at now: UInt64) -> Bool? {
    let since = lostSince ?? now
    let wait = backOff.next(at: now)
    guard now &+ wait < since &+ giveUp else { return nil }
    defer { lostSince = since }
    due = now &+ wait
    return lostSince == nil
  }
}
