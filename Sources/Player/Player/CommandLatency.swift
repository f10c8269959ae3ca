// A histogram of the time from a command to its first audible frame. A value; control thread.

import PlaybackModel

/// Histogram of command latencies, measured while music plays.
package struct CommandLatency: Sendable {
  /// Upper bounds of all buckets except the last, in milliseconds.
  package static let bounds = [2, 5, 10, 15, 20, 30, 50, 100]
  /// Maximum number of commands whose effect is awaited; older ones are not counted.
  static let pendingLimit = 32

  /// Number of commands per bucket; the last bucket holds latencies above all bounds.
  package private(set) var counts = [Int](repeating: 0, count: CommandLatency.bounds.count + 1)
  /// Longest latency in milliseconds.
  package private(set) var worst = 0.0
  private var pending: [(id: UInt32, time: UInt64)] = []

  /// An empty histogram.
  package init() {}

  /// Records that a command was sent.
  ///
  /// - Parameters:
  ///   - id: The command's number, as returned by `CommandSender.send`.
  ///   - time: Time in nanoseconds of the monotonic clock.
  mutating func sent(_ id: UInt32, at time: UInt64) {
    if pending.count == Self.pendingLimit { pending.removeFirst() }
    pending.append((id, time))
  }

  /// Records that a command's first frame was audible.
  ///
  /// - Parameters:
  ///   - id: The command's number.
  ///   - time: Time in nanoseconds of the monotonic clock; nil if the output was stopped.
  /// - Returns: The latency in nanoseconds; nil if it is unknown.
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
