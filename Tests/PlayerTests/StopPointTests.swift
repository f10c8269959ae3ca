// 'sleep track' in the output: the track that plays ends at its last frame, and no track follows. Test
// threads.

import PlaybackModel
import Player
import Testing

@Suite struct StopPointTests {
  private static func rig(fade: Double) throws -> PlayerRig {
    let rig = try PlayerRig([FakeFile(frames: 88_200), FakeFile(frames: 66_150), FakeFile(frames: 66_150)])
    rig.player.setCrossfade(Seconds(fade))
    rig.player.start()
    return rig
  }

  /// The command comes while no track follows yet, or after the next track has been cued, joined or
  /// scheduled.
  @Test(arguments: [0, 0.5], [300, 1_300]) func theTrackPlaysToItsEnd(fade: Double, askedAt: Double) throws {
    let rig = try Self.rig(fade: fade)
    rig.run(milliseconds: askedAt)
    rig.player.queue.stopPoint = .track
    #expect(rig.run(to: .finished))
    #expect(rig.heardRuns.map(\.number) == [0] && rig.heardRuns.last?.frames.upperBound == 88_199)
    #expect(rig.player.queue.stopPoint == nil)
    rig.player.play()
    #expect(rig.run(to: .finished))
    #expect(rig.heardRuns.map(\.number) == [0, 1, 2])
    #expect(rig.contradictions == [])
  }

  @Test(arguments: [0, 0.5]) func calledOffInTimeTheNextTrackFollowsAsEver(fade: Double) throws {
    let rig = try Self.rig(fade: fade)
    rig.player.queue.stopPoint = .track
    rig.run(milliseconds: 1_300)
    rig.player.queue.stopPoint = nil
    #expect(rig.run(to: .finished))
    #expect(rig.heardRuns.map(\.number) == [0, 1, 2])
    #expect(rig.states.contains(.crossfading) == (fade > 0))
    #expect(rig.contradictions == [])
  }

  @Test func inAFadeItIsTheIncomingTrack() throws {
    let rig = try FadeEdgeTests.fading()
    rig.player.queue.stopPoint = .track
    #expect(rig.run(to: .finished))
    #expect(rig.heardRuns.map(\.number) == [0, 1])
    #expect(rig.player.queue.current == nil && rig.player.queue.peekFirst?.path == "2")
    #expect(rig.contradictions == [])
  }

  @Test func whatNextLeadsToIsTheTrackThen() throws {
    let rig = try Self.rig(fade: 0)
    rig.run(milliseconds: 300)
    rig.player.queue.stopPoint = .track
    rig.player.next()
    #expect(rig.run(to: .finished))
    #expect(rig.heardRuns.map(\.number) == [0, 1] && rig.player.queue.stopPoint == nil)
    #expect(rig.contradictions == [])
  }

  @Test(arguments: [0, 0.5]) func aNextTrackThatCannotBePlayedLeavesItAhead(fade: Double) throws {
    let rig = try PlayerRig([
      FakeFile(frames: 88_200), FakeFile(opening: .refused(.missing)), FakeFile(frames: 66_150),
    ])
    rig.player.setCrossfade(Seconds(fade))
    // Nothing is opened ahead, so the skip is the first to open the file.
    rig.player.queue.stopPoint = .track
    rig.player.start()
    rig.run(milliseconds: 300)
    rig.player.next()
    #expect(rig.run { rig.state.currentTrack?.path == "2" })
    #expect(rig.player.queue.stopPoint == .track)
    #expect(rig.run(to: .finished))
    #expect(rig.heardRuns.map(\.number) == [0, 2])
    #expect(rig.contradictions == [])
  }

  /// A stop resets the stop point, so the next playback does not end after its first track.
  @Test(arguments: StopPoint.allCases, [PlayerEvent.stop, .sleepTimerFired])
  func aStopEndsItToo(point: StopPoint, event: PlayerEvent) throws {
    let rig = try Self.rig(fade: 0)
    rig.run(milliseconds: 300)
    rig.player.queue.stopPoint = point
    rig.player.handle(event)
    #expect(rig.player.queue.stopPoint == point, "it may still be turned round")
    #expect(rig.run(to: .finished))
    #expect(rig.player.queue.stopPoint == nil)
  }

  @Test func thePlugThatIsPulledDoesNotEndIt() throws {
    let rig = try Self.rig(fade: 0)
    rig.run(milliseconds: 300)
    rig.player.queue.stopPoint = .track
    let next = try rig.afterPulledPlug { _ in }
    #expect(next.run(to: .finished))
    #expect(next.heardRuns.map(\.number) == [0] && next.contradictions == [])
  }
}
