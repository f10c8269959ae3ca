// When a playlist is reloaded and which segment is next: in steady play, behind the window, and after a
// server has restarted its numbering. Test threads.

import Testing

@testable import Streaming

@Suite struct SegmentScheduleTests {
  private static let second: UInt64 = 1_000_000_000

  /// A playlist of two-second segments with the given numbers.
  private func list(_ numbers: Range<Int64>, isEnded: Bool = false, target: Int64 = 2000) -> SegmentList {
    var list = SegmentList()
    list.first = numbers.lowerBound
    list.target = target
    list.isEnded = isEnded
    list.segments = numbers.map { _ in Segment(part: Part(reference: 0..<0), duration: 2000, title: 0..<0) }
    return list
  }

  private func joined(_ numbers: Range<Int64>) -> SegmentSchedule {
    var schedule = SegmentSchedule()
    #expect(schedule.take(list(numbers), at: 0) == .news)
    return schedule
  }

  private func isLoading(_ step: SegmentSchedule.Step) -> Bool {
    if case .load = step { true } else { false }
  }

  @Test func aStationIsJoinedThreeTargetsBeforeItsEnd() {
    #expect(joined(100..<110).next == 107)
    #expect(joined(100..<102).next == 100)
    var schedule = SegmentSchedule()
    _ = schedule.take(list(100..<110, target: 5000), at: 0)
    #expect(schedule.next == 102)
  }

  @Test func whatHasAnEndBeginsAtItsBeginningAndEnds() {
    var schedule = SegmentSchedule()
    #expect(schedule.take(list(5..<8, isEnded: true), at: 0) == .news)
    #expect(!schedule.isLive && schedule.next == 5)
    for _ in 0..<3 {
      // A complete playlist is never reloaded.
      #expect(isLoading(schedule.step(at: 1000 * Self.second)))
      schedule.advance()
    }
    #expect(schedule.step(at: 0) == .end)
  }

  @Test func aPlaylistIsLoadedAgainAfterItsTargetOrHalfOfIt() {
    var schedule = joined(0..<1)
    #expect(isLoading(schedule.step(at: Self.second)))
    schedule.advance()
    #expect(schedule.step(at: Self.second) == .reload(at: 2 * Self.second))
    #expect(schedule.step(at: 2 * Self.second) == .reload(at: 0))
    // An unchanged playlist.
    #expect(schedule.take(list(0..<1), at: 2 * Self.second) == .nothing)
    #expect(schedule.step(at: 2 * Self.second) == .reload(at: 3 * Self.second))
    #expect(schedule.take(list(0..<2), at: 3 * Self.second) == .news)
    #expect(isLoading(schedule.step(at: 3 * Self.second)))
    schedule.advance()
    #expect(schedule.step(at: 3 * Self.second) == .reload(at: 5 * Self.second))
  }

  /// Old segments may be gone, so a due playlist reload comes first.
  @Test func aPlaylistThatIsDueComesBeforeItsSegments() {
    #expect(joined(0..<9).step(at: 2 * Self.second) == .reload(at: 0))
  }

  @Test func whoIsBehindTheWindowGoesToThePresent() {
    var schedule = joined(10..<13)
    #expect(schedule.next == 10)
    // Segments 10 to 12 are known to last two seconds; 13 to 19 count as one target duration each; 20 to 26
    // are skipped to reach the live edge.
    #expect(schedule.take(list(20..<30), at: 9 * Self.second) == .jump(missing: 17 * 2000))
    #expect(schedule.next == 27)
  }

  @Test func anEndThatComesLaterIsOne() {
    var schedule = joined(0..<1)
    schedule.advance()
    #expect(schedule.take(list(0..<1, isEnded: true), at: 2 * Self.second) == .news)
    #expect(schedule.step(at: 2 * Self.second) == .end)
  }

  /// A lagging server behind the same name is ignored at first.
  @Test func aSequenceThatJumpsBackIsFollowedInTheEnd() {
    var schedule = joined(100..<103)
    for _ in 0..<3 { schedule.advance() }
    #expect(schedule.take(list(99..<102), at: 2 * Self.second) == .nothing)
    #expect(schedule.take(list(101..<104), at: 3 * Self.second) == .news)
    #expect(schedule.next == 103)
    for time in 4..<6 as Range<UInt64> {
      #expect(schedule.take(list(0..<5), at: time * Self.second) == .nothing)
      #expect(!isLoading(schedule.step(at: 100 * Self.second)))
    }
    #expect(schedule.take(list(0..<6), at: 6 * Self.second) == .jump(missing: 0))
    #expect(schedule.next == 3)
  }

  @Test func thePresentIsGoneTo() {
    var schedule = joined(10..<13)
    schedule.goToPresent()
    #expect(schedule.step(at: 1) == .reload(at: 0))
    #expect(schedule.take(list(10..<20), at: 1) == .jump(missing: 7 * 2000))
    #expect(schedule.next == 17)
    // Never backward.
    for _ in 0..<3 { schedule.advance() }
    schedule.goToPresent()
    #expect(schedule.take(list(10..<20), at: 2) == .jump(missing: 0))
    #expect(schedule.next == 20)
  }

  @Test func noNumberIsTooLarge() {
    let top: Int64 = 1 << 60
    var schedule = joined(0..<3)
    _ = schedule.take(list(top..<(top + 3)), at: 1)
    #expect(schedule.next >= top)
    for _ in 0..<4 { _ = schedule.take(list(0..<3), at: 2) }
    #expect(schedule.next < 3)
  }
}
