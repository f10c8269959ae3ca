// When a connection counts as lost, when it is made again, and when that is given up. Pure, over times that are given; fetcher process.

import Platform

/// The connections of one stream. Times are nanoseconds of one monotonic clock.
struct Attempts {
  private let stall: UInt64
  private let giveUp: UInt64
  private var backOff = BackOff(first: 100_000_000, longest: 8_000_000_000)
  private var lastByte: UInt64 = 0
  private var lostSince: UInt64?
  /// When the next connection is made; nil while there is one, or none is to be.
  private(set) var due: UInt64?

  init(_ order: FetchOrder) {
    stall = UInt64(order.stallMilliseconds) * 1_000_000
    giveUp = UInt64(order.giveUpMilliseconds) * 1_000_000
  }

  /// When the connection counts as lost unless bytes come.
  var stallDeadline: UInt64 { lastByte &+ stall }

  func isStalled(at now: UInt64) -> Bool { now >= stallDeadline }

  /// A connection is made now.
  mutating func begin(at now: UInt64) {
    due = nil
    lastByte = now
  }

  /// Bytes came. Answers whether they are the first ones again.
  @discardableResult
  mutating func noteByte(at now: UInt64) -> Bool {
    lastByte = now
    backOff.reset()
    defer { lostSince = nil }
    return lostSince != nil
  }

  /// A person wants sound: a connection that is to be made later is made now, and given up no sooner than if it were lost just now.
  mutating func hurry(at now: UInt64) {
    guard due != nil else { return }
    backOff.reset()
    due = now
    lostSince = now
  }

  /// The connection is lost. Answers whether that is news; nil where it is not made again.
  mutating func lose(at now: UInt64) -> Bool? {
    let since = lostSince ?? now
    let wait = backOff.next(at: now)
    guard now &+ wait < since &+ giveUp else { return nil }
    defer { lostSince = since }
    due = now &+ wait
    return lostSince == nil
  }
}
