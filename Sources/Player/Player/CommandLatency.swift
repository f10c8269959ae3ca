// How long it takes from a command to its first frame that is heard. A value; control thread.

import PlaybackModel

/// A histogram of latencies while something plays.
package struct CommandLatency: Sendable {
  /// The upper bounds of all buckets but the last, in milliseconds.
  package static let bounds = [2, 5, 10, 15, 20, 30, 50, 100]
  /// Commands whose answer is awaited at most; older ones are not counted.
  static let pendingLimit = 32

  /// How many commands fell into each bucket; the last holds what took longer than all bounds.
  package private(set) var counts = [Int](repeating: 0, count: CommandLatency.bounds.count + 1)
  /// The longest, in milliseconds.
  package private(set) var worst = 0.0
  private var pending: [(id: UInt32, time: UInt64)] = []

  /// None yet.
  package init() {}

  /// Notes that a command was given.
  ///
  /// - Parameters:
  ///   - id: Its number, as `CommandSender.send` returned it.
  ///   - time: Nanoseconds of the monotonic clock.
  mutating func sent(_ id: UInt32, at time: UInt64) {
    if pending.count == Self.pendingLimit { pending.removeFirst() }
    pending.append((id, time))
  }

  /// Notes when a command's first frame was heard.
  ///
  /// - Parameter time: Nanoseconds of the same clock; nil if the output stood still then.
  /// - Returns: How many nanoseconds it took; nil where that cannot be said.
  @discardableResult
  mutating func heard(_ id: UInt32, at time: UInt64?) -> UInt64? {
    guard let index = pending.firstIndex(where: { $0.id == id }) else { return nil }
    let sent = pending[index].time
    pending.removeFirst(index + 1)
    guard let time, time >= sent else { return nil }
    let milliseconds = Double(time - sent) / 1e6
    worst = max(worst, milliseconds)
    var bucket = 0
    while bucket < Self.bounds.count, milliseconds > Double(Self.bounds[bucket]) { bucket += 1 }
    counts[bucket] += 1
    return time - sent
  }
}
