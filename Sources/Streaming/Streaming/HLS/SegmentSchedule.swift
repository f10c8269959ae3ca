// Decides when an HLS playlist is reloaded and which segment is next (RFC 8216, sections 6.3.3 and 6.3.4).
// Pure, with explicit times; fetcher process.

/// The position in a media playlist. Times are nanoseconds of one monotonic clock.
struct SegmentSchedule: Equatable {
  /// The next action.
  enum Step: Equatable {
    case load(Segment)
    /// Load the playlist at that time, or now if it has passed.
    case reload(at: UInt64)
    /// All segments were loaded.
    case end
  }

  /// The effect of a reloaded playlist.
  enum Change: Equatable {
    /// There are new segments.
    case news
    /// There are no new segments.
    case nothing
    /// The next segment has left the playlist, or the numbering has restarted. `missing` is the skipped
    /// duration in milliseconds, as far as known.
    case jump(missing: Int64)
  }

  /// Number of reloads with an older playlist before the numbering counts as restarted. Another server behind
  /// the same name may lag.
  static let maxOld = 3

  private(set) var list: SegmentList?
  /// Sequence number of the next segment.
  private(set) var next: Int64 = 0
  private var due: UInt64 = 0
  private var old = 0
  private var goesToPresent = false

  /// Whether the stream has no end yet.
  var isLive: Bool { list?.isEnded == false }

  /// Applies a playlist.
  ///
  /// - Parameters:
  ///   - new: The playlist.
  ///   - now: When its request started.
  mutating func take(_ new: SegmentList, at now: UInt64) -> Change {
    guard let before = list else {
      next = new.isEnded ? new.first : Self.present(of: new)
      return take(new, .news, at: now)
    }
    if new.end < next || new.end < before.end {
      old += 1
      guard old >= Self.maxOld else { return wait(new, at: now) }
      next = Self.present(of: new)
      return take(new, .jump(missing: 0), at: now)
    }
    if goesToPresent {
      let present = max(next, Self.present(of: new))
      let missing = missing(until: present, before, new)
      next = present
      return take(new, .jump(missing: missing), at: now)
    }
    if next < new.first {
      let missing = missing(until: new.first, before, new)
      // Segments at the edge of the window would leave it while they are loaded.
      next = Self.present(of: new)
      return take(new, .jump(missing: missing + new.duration(of: new.first..<next)), at: now)
    }
    guard new.end > before.end || new.isEnded else { return wait(new, at: now) }
    return take(new, .news, at: now)
  }

  private mutating func take(_ new: SegmentList, _ change: Change, at now: UInt64) -> Change {
    (list, old, goesToPresent) = (new, 0, false)
    due = now &+ UInt64(new.target) * 1_000_000
    return change
  }

  /// Waits half a target duration after a reload without changes.
  private mutating func wait(_ new: SegmentList, at now: UInt64) -> Change {
    due = now &+ UInt64(new.target) * 500_000
    return .nothing
  }

  /// Duration in milliseconds from the next segment to a number. Segments in neither playlist count as the
  /// target duration.
  private func missing(until number: Int64, _ before: SegmentList, _ new: SegmentList) -> Int64 {
    guard next < number else { return 0 }
    let known = before.duration(of: next..<min(number, before.end).clamped(from: next))
    let later = max(next, before.end)
    // Limited, because sequence numbers are untrusted.
    let unknown = min(max(0, min(number, new.first) - later), 1 << 20) * new.target
    return known + unknown
      + new.duration(of: max(later, new.first)..<max(later, new.first, number))
  }

  /// The live position: the last segment that starts at least three target durations before the end.
  private static func present(of list: SegmentList) -> Int64 {
    var (number, sum) = (list.end, Int64(0))
    while number > list.first, sum < 3 * list.target {
      number -= 1
      sum += list.segment(number)?.duration ?? 0
    }
    return number
  }

  /// The next action at a time. A due reload comes first, because segments may have left the playlist.
  func step(at now: UInt64) -> Step {
    guard let list else { return .reload(at: 0) }
    if !list.isEnded, goesToPresent || now >= due { return .reload(at: 0) }
    if let segment = list.segment(next) { return .load(segment) }
    return list.isEnded ? .end : .reload(at: due)
  }

  /// Moves to the next segment, after loading or skipping one.
  mutating func advance() { next += 1 }

  /// Moves to the live position with the next reload.
  mutating func goToPresent() { goesToPresent = true }
}

extension Int64 {
  fileprivate func clamped(from least: Int64) -> Int64 { self < least ? least : self }
}
