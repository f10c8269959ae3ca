// When a playlist is loaded again, and which of its segments is next (RFC 8216, sections 6.3.3 and 6.3.4). Pure, over times that are
// given; fetcher process.

/// The way through a playlist that may slide. Times are nanoseconds of one monotonic clock.
struct SegmentSchedule: Equatable {
  /// What is to be done.
  enum Step: Equatable {
    case load(Segment)
    /// The playlist, at that time or now.
    case reload(at: UInt64)
    /// All of it was loaded.
    case end
  }

  /// What a playlist changes.
  enum Change: Equatable {
    /// There is something new.
    case news
    /// Nothing is.
    case nothing
    /// What was next is not there any more, or the server counts anew: so many milliseconds are left out, as far as they are known.
    case jump(missing: Int64)
  }

  /// Loads of a playlist that is older than what was seen, before its server is believed to count anew: another server behind the same
  /// name may be late.
  static let maxOld = 3

  private(set) var list: SegmentList?
  /// The number of the segment that is next.
  private(set) var next: Int64 = 0
  private var due: UInt64 = 0
  private var old = 0
  private var goesToPresent = false

  /// Whether the sound has no end yet.
  var isLive: Bool { list?.isEnded == false }

  /// Takes a playlist that began to be loaded at a time.
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
      // Whatever is at the edge leaves it while it is loaded.
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

  /// Nothing is new: half as long.
  private mutating func wait(_ new: SegmentList, at now: UInt64) -> Change {
    due = now &+ UInt64(new.target) * 500_000
    return .nothing
  }

  /// Milliseconds of the segments from the next one on; those that neither playlist knows count as the longest.
  private func missing(until number: Int64, _ before: SegmentList, _ new: SegmentList) -> Int64 {
    guard next < number else { return 0 }
    let known = before.duration(of: next..<min(number, before.end).clamped(from: next))
    let later = max(next, before.end)
    // Numbers may be anything.
    let unknown = min(max(0, min(number, new.first) - later), 1 << 20) * new.target
    return known + unknown
      + new.duration(of: max(later, new.first)..<max(later, new.first, number))
  }

  /// The first segment that begins no closer than three target durations from the end.
  private static func present(of list: SegmentList) -> Int64 {
    var (number, sum) = (list.end, Int64(0))
    while number > list.first, sum < 3 * list.target {
      number -= 1
      sum += list.segment(number)?.duration ?? 0
    }
    return number
  }

  /// What is to be done now. A playlist that is due comes first: what it named may be gone.
  func step(at now: UInt64) -> Step {
    guard let list else { return .reload(at: 0) }
    if !list.isEnded, goesToPresent || now >= due { return .reload(at: 0) }
    if let segment = list.segment(next) { return .load(segment) }
    return list.isEnded ? .end : .reload(at: due)
  }

  /// The next segment was loaded, or cannot be.
  mutating func advance() { next += 1 }

  /// What is next is the present: as the playlist says when it is loaded again.
  mutating func goToPresent() { goesToPresent = true }
}

extension Int64 {
  fileprivate func clamped(from least: Int64) -> Int64 { self < least ? least : self }
}
