// The CPU time limit of a worker: at its start, for its track, and for seeks. Test threads.

import Testing

@testable import Decoding

@Suite struct ProcessorAllowanceTests {
  private static let year = 365 * 86_400

  @Test func aWorkerBeginsWithHalfAMinute() { #expect(SandboxLimits().cpuSeconds == 30) }

  @Test(
    arguments: [(0, 0), (1, 1), (200, 200), (6 * 3600, 6 * 3600), (nil, 6 * 3600), (.max, year)]
      as [(Int?, Int)])
  func itsTrackIsAddedAndAgainWithEachSeek(length: Int?, track: Int) {
    var allowance = ProcessorAllowance(seconds: 30)
    #expect(allowance.addTrack(seconds: length) == min(30 + track, Self.year))
    #expect(allowance.addSeek() == min(60 + 2 * track, Self.year))
    #expect(allowance.addSeek() == min(90 + 3 * track, Self.year))
  }

  @Test func allTracksAndSeeksTogetherEndAtAYear() {
    var allowance = ProcessorAllowance(seconds: 30)
    var granted = 0
    for _ in 0..<2000 {
      let more = max(allowance.addTrack(seconds: nil), allowance.addSeek())
      #expect(more >= granted && more <= Self.year)
      granted = more
    }
    #expect(granted == Self.year)
  }
}
