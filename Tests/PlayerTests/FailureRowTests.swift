// Queues in which every track fails: the first failures are skipped at once, later ones with a growing delay.
// Test threads.

import PlaybackModel
import Player
import RealtimeAudio
import Testing

@Suite struct FailureRowTests {
  private static func missing(_ count: Int) -> [FakeFile] {
    Array(repeating: FakeFile(opening: .refused(.missing)), count: count)
  }

  @Test(arguments: [FakeFile.Opening.refused(.missing), .fails(.corrupt)])
  func aQueueThatFailsIsNotRunThrough(opening: FakeFile.Opening) throws {
    let rig = try PlayerRig(Array(repeating: FakeFile(opening: opening), count: 500))
    rig.player.start()
    rig.run(milliseconds: 900)
    #expect(rig.state.kind == .failed && rig.decoders.opened.count == 20)
    #expect(rig.player.failedInARow == 20 && rig.player.isNextTrackDue && rig.player.retryDue != nil)
    #expect(rig.notes.count { $0.hasPrefix("20 tracks in a row have failed") } == 1)
    // Delays of 1, 2, 4 and 8 seconds, then 10 seconds each.
    for (seconds, opened) in [(1, 21), (2, 22), (4.1, 23), (8, 24), (11, 25), (10, 26)] {
      rig.run(milliseconds: seconds * 1000)
      #expect(rig.decoders.opened.count == opened)
    }
    #expect(rig.decoders.opened == Array(0..<26))
    #expect(rig.notes.count { $0.hasPrefix("20 tracks in a row have failed") } == 1)
    #expect(rig.player.trackRetries == 0, "another track is no retry")
  }

  @Test func theTrackBehindThemPlays() throws {
    let rig = try PlayerRig(Self.missing(22) + [FakeFile()] + Self.missing(3) + [FakeFile()])
    rig.player.start()
    #expect(rig.run(to: .finished))
    #expect(rig.heardRuns.map(\.number) == [22, 26])
    #expect(rig.player.failedInARow == nil && rig.player.failedTracks == 25)
  }

  /// The delay also applies while a track plays.
  @Test func whatPlaysHasNoRaceBesideIt() throws {
    let rig = try PlayerRig([FakeFile(frames: 5 * 44_100)] + Self.missing(500))
    rig.player.start()
    rig.run(milliseconds: 4500)
    #expect(rig.state.kind == .playing)
    #expect((21...24).contains(rig.decoders.opened.count), "\(rig.decoders.opened.count)")
    rig.run(milliseconds: 10_000)
    #expect(rig.state.kind == .failed && rig.decoders.opened.count <= 27)
    #expect(rig.heardRuns.last?.frames.upperBound == 5 * 44_100 - 1)
  }

  @Test func aPersonsRequestBeginsAnew() throws {
    let rig = try PlayerRig(Self.missing(60) + [FakeFile()])
    rig.player.start()
    rig.run(milliseconds: 500)
    #expect(rig.decoders.opened.count == 20)
    rig.player.next()
    rig.run(milliseconds: 500)
    #expect(rig.decoders.opened.count == 40)
    rig.player.handle(.skip(to: rig.player.queue.tracks[60]))
    #expect(rig.run(to: .playing))
    #expect(rig.player.retryDue == nil && rig.player.failedInARow == nil)
  }

  /// A skip with a fade searches for a playable track while the present one plays.
  @Test func aFadedSkipIntoManyFailuresStaysWithWhatPlays() throws {
    let rig = try PlayerRig([FakeFile(frames: 60 * 44_100)] + Self.missing(500))
    rig.player.setCrossfade(Seconds(1))
    rig.player.start()
    #expect(rig.run(to: .playing))
    rig.player.next()
    rig.run(milliseconds: 500)
    #expect(rig.state.kind == .playing && rig.state.currentTrack?.path == "0")
    #expect(rig.player.queue.current?.path == "0")
    #expect(rig.decoders.opened.count == 21)
    #expect(rig.contradictions.isEmpty)
  }

  /// A worker that corrupts its ring repeatedly causes a single error for its track.
  @Test func aSpoiltRingIsSaidOnce() throws {
    let rig = try PlayerRig([FakeFile(frames: 60_000, stall: 20_000), FakeFile()])
    rig.player.start()
    #expect(rig.run(to: .playing))
    for _ in 0..<200 {
      rig.decoders.latest(0)?.spoil()
      rig.run(milliseconds: 10)
    }
    #expect(rig.run(to: .finished))
    #expect(rig.errors.map(\.kind) == [.decoderBrokeSandbox])
    #expect(rig.player.failedTracks == 1 && rig.heardRuns.last?.number == 1)
  }
}
