// Playing a queue: joins, late tracks, stalls, commands at every moment, and a card that is lost and
// restored. Test threads.

import PlaybackModel
import Player
import Testing

@Suite struct PlayingTests {
  @Test func tracksAreJoinedToTheFrame() throws {
    let rig = try PlayerRig([FakeFile(frames: 20_001), FakeFile(frames: 4_999), FakeFile(frames: 30_000)])
    rig.player.start()
    #expect(rig.run(to: .finished))
    #expect(rig.states == [.idle, .preparing, .playing, .finished])
    #expect(rig.heardRuns.map(\.frames) == [0...20_000, 0...4_998, 0...29_999])
    #expect(rig.device.heard.prefix(2 * 55_000).allSatisfy { $0 != 0 })
    #expect(rig.decoders.opened == [0, 1, 2] && rig.errors.isEmpty)
  }

  @Test func aLateNextTrackIsWaitedForAndNotOpenedTwice() throws {
    let rig = try PlayerRig([FakeFile(), FakeFile(opening: .waits)])
    rig.player.start()
    #expect(rig.run(to: .playing))
    #expect(rig.run(to: .preparing))
    rig.run(milliseconds: 500)
    #expect(rig.state.currentTrack?.path == "1")
    rig.decoders.latest(1)?.release()
    #expect(rig.run(to: .finished))
    #expect(rig.heardRuns.map(\.frames) == [0...19_999, 0...19_999])
    #expect(rig.decoders.opened == [0, 1])
  }

  /// A track that has ended leaves no frames to fade out.
  @Test(arguments: [100, 20_000])
  func aTrackThatIsOverIsNotFadedOutOf(length: Int) throws {
    let rig = try PlayerRig([FakeFile(frames: length), FakeFile(opening: .waits)])
    rig.player.setCrossfade(Seconds(0.2))
    rig.player.start()
    #expect(rig.run(to: .preparing))
    #expect(rig.run { rig.state.currentTrack?.path == "1" })
    rig.run(milliseconds: 500)
    rig.decoders.latest(1)?.release()
    #expect(rig.run(to: .finished))
    #expect(rig.states == [.idle, .preparing, .playing, .preparing, .playing, .finished])
    #expect(rig.heardRuns.last.map { $0.number == 1 && $0.frames == 0...19_999 } == true)
    #expect(rig.decoders.opened == [0, 1])
    // Skips fade as before.
    #expect(rig.player.machine.settings.fadesManually)
    #expect(rig.contradictions == [])
  }

  @Test func aSkipWhoseTrackIsLateIsNotOvertakenByTheEnd() throws {
    let rig = try PlayerRig([FakeFile(), FakeFile(opening: .waits), FakeFile()])
    rig.player.setCrossfade(Seconds(0.2))
    rig.player.start()
    #expect(rig.run(to: .playing))
    rig.player.next()
    #expect(rig.state.kind == .preparingCrossfade)
    #expect(rig.run(to: .preparing))
    rig.run(milliseconds: 500)
    #expect(rig.state.currentTrack?.path == "1")
    rig.decoders.latest(1)?.release()
    #expect(rig.run(to: .finished))
    #expect(rig.heardRuns.last?.number == 2)
    #expect(rig.began == ["0", "1", "2"])
    #expect(rig.contradictions == [])
  }

  @Test func aStalledDecoderBuffersAndLosesNothing() throws {
    let rig = try PlayerRig([FakeFile(frames: 40_000, stall: 15_000), FakeFile()])
    rig.player.start()
    #expect(rig.run(to: .buffering))
    #expect(rig.decoders.latest(0)?.isRefillExpected == true)
    rig.run(milliseconds: 700)
    rig.decoders.latest(0)?.release()
    #expect(rig.run(to: .playing))
    #expect(rig.run(to: .finished))
    let runs = rig.heardRuns
    #expect(runs.first?.frames.lowerBound == 0 && runs.last?.number == 1)
    // Apart from the ramps around the gap, all frames were played at full gain.
    let lost = zip(runs, runs.dropFirst()).filter { $0.number == $1.number }
      .map { $1.frames.lowerBound - $0.frames.upperBound - 1 }
    #expect(lost.count == 1 && lost[0] < 1_500, "\(runs)")
  }

  @Test(arguments: [PlayerEvent.pause, .stop, .skip(to: nil), .seek(Frames(1000))])
  func wishesWhileBufferingAreKept(event: PlayerEvent) throws {
    let rig = try PlayerRig([FakeFile(stall: 9_000)])
    rig.player.start()
    #expect(rig.run(to: .buffering))
    rig.player.handle(event)
    rig.run(milliseconds: 100)
    rig.decoders.latest(0)?.release()
    rig.run(milliseconds: 1500)
    switch event {
    case .pause:
      // Detected within a tenth of a second.
      #expect(rig.run { rig.state.kind != .buffering })
      #expect(rig.state.kind == .paused)
      let heard = rig.device.heard.count
      rig.run(milliseconds: 1000)
      #expect(rig.device.heard[heard...].allSatisfy { $0 == 0 })
      rig.player.handle(.play)
      #expect(rig.run(to: .finished))
      #expect(rig.heardRuns.last?.frames.upperBound == 19_999)
    case .seek: #expect(rig.state.kind == .finished)
    default: #expect(rig.state.kind == .idle && rig.decoders.alive.isEmpty)
    }
  }

  @Test(arguments: [PlayerEvent.stop, .pause, .toggle, .seek(Frames(7_000)), .skip(to: nil)])
  func wishesWhilePreparingAreKept(event: PlayerEvent) throws {
    let rig = try PlayerRig([FakeFile(opening: .waits)])
    rig.player.start()
    #expect(rig.state.kind == .preparing)
    rig.player.handle(event)
    rig.run(milliseconds: 50)
    for decoder in rig.decoders.all { decoder.release() }
    rig.run(milliseconds: 1500)
    switch event {
    case .stop, .skip:
      #expect(
        rig.state.kind == .idle && rig.decoders.alive.isEmpty && rig.device.heard.allSatisfy { $0 == 0 })
    case .seek:
      #expect(rig.state.kind == .finished)
      #expect(rig.heardRuns.last?.frames.upperBound == 19_999)
      #expect(rig.heardRuns.first.map { 7_000..<7_500 ~= $0.frames.lowerBound } == true)
    default:
      #expect([.ready, .paused].contains(rig.state.kind))
      #expect(rig.device.heard.allSatisfy { $0 == 0 })
      rig.player.handle(.play)
      #expect(rig.run(to: .finished))
    }
  }

  @Test func aQueueChangeReplacesTheTrackThatWasPreparedAhead() throws {
    let rig = try PlayerRig([FakeFile(), FakeFile(), FakeFile()])
    rig.player.start()
    #expect(rig.run { rig.decoders.opened == [0, 1] })
    rig.run(milliseconds: 100)
    let last = try #require(rig.player.queue.tracks.last)
    try rig.player.queue.move(last.id, to: 1)
    #expect(rig.run(to: .finished))
    #expect(rig.heardRuns.map(\.number) == [0, 2, 1])
    #expect(rig.heardRuns.allSatisfy { $0.frames == 0...19_999 })
    #expect(rig.decoders.alive.isEmpty)
  }

  @Test func removingWhatComesEndsAfterTheTrackHeard() throws {
    let rig = try PlayerRig([FakeFile(), FakeFile()])
    rig.player.start()
    #expect(rig.run { rig.decoders.opened == [0, 1] })
    rig.run(milliseconds: 100)
    rig.player.queue.removeUpcoming()
    #expect(rig.run(to: .finished))
    #expect(rig.heardRuns.map(\.number) == [0])
  }

  @Test func aTrackThatIsTakenOutBeforeItsFadeIsNotHeard() throws {
    let rig = try PlayerRig([FakeFile(frames: 100_000), FakeFile()])
    rig.player.setCrossfade(Seconds(0.2))
    rig.player.start()
    #expect(rig.run(to: .preparingCrossfade))
    rig.run(milliseconds: 100)
    rig.player.queue.removeUpcoming()
    rig.run(milliseconds: 100)
    #expect(rig.state.kind == .playing)
    #expect(rig.run(to: .finished))
    #expect(rig.heardRuns.map(\.number) == [0] && rig.heardRuns.last?.frames.upperBound == 99_999)
    #expect(rig.contradictions == [])
  }

  @Test func previousRestartsOrGoesBack() throws {
    let rig = try PlayerRig([FakeFile(), FakeFile(frames: 200_000)])
    rig.player.start()
    #expect(rig.run { rig.state.currentTrack?.path == "1" })
    rig.run(milliseconds: 3500)
    rig.player.previous()
    #expect(rig.run(to: .playing))
    #expect(rig.state.currentTrack?.path == "1" && rig.player.position < Frames(10_000))
    rig.player.previous()
    #expect(rig.run { rig.state.kind == .playing && rig.state.currentTrack?.path == "0" })
    #expect(rig.run(to: .finished))
    #expect(rig.heardRuns.last?.frames.upperBound == 199_999)
  }

  // MARK: The card

  @Test(arguments: [1.0, 137, 350, 446, 500, 650]) func aLostCardIsWaitedForAtTheSameFrame(after: Double)
    throws
  {
    let rig = try PlayerRig([FakeFile(), FakeFile()])
    rig.player.start()
    #expect(rig.run(to: .playing))
    rig.run(milliseconds: after)
    let heard = rig.device.heard.count / 2
    rig.device.unplug()
    #expect(rig.run(to: .paused))
    guard case .paused(_, _, .outputLost) = rig.state else {
      Issue.record("\(rig.state)")
      return
    }
    rig.run(milliseconds: 2000)
    rig.device.plugIn()
    #expect(rig.run(to: .playing))
    #expect(rig.run(to: .finished))
    #expect(rig.notes.count == 2 && rig.deviceNotes == 2, "\(rig.notes)")
    // Frames before the loss are played once; after it, all frames but those of the ramp are played at full
    // gain.
    let before = min(heard, 20_000)
    if before > 200 {
      #expect(rig.heardRuns.first.map { $0.number == 0 && $0.frames.lowerBound == 0 } == true)
    }
    let runs = rig.heardRuns
    for (left, right) in zip(runs, runs.dropFirst()) where left.number == right.number {
      let gap = right.frames.lowerBound - left.frames.upperBound - 1
      #expect(gap >= -50 && gap < 9_500, "\(runs)")
    }
    #expect(runs.last?.number == 1 && runs.last?.frames.upperBound == 19_999)
  }

  /// A skip has opened the gate for the new track; losing the card at that moment closes it again.
  @Test func aCardThatIsLostRightAfterASkipDoesNotSilenceWhatComes() throws {
    let rig = try PlayerRig([FakeFile(frames: 60_000), FakeFile(opening: .waits)])
    rig.player.start()
    #expect(rig.run(to: .playing))
    rig.run(milliseconds: 300)
    rig.player.next()
    rig.run(milliseconds: 100)
    #expect(rig.state.kind == .preparing)
    rig.device.unplug()
    #expect(rig.run { rig.notes.count == 1 })
    rig.run(milliseconds: 500)
    rig.device.plugIn()
    #expect(rig.run { rig.notes.count == 2 })
    rig.decoders.latest(1)?.release()
    #expect(rig.run(to: .finished))
    #expect(rig.heardRuns.last.map { $0.number == 1 && $0.frames.upperBound == 19_999 } == true)
    #expect(rig.contradictions == [])
  }

  @Test func aPauseWhileTheCardIsAwayStays() throws {
    let rig = try PlayerRig([FakeFile()])
    rig.player.start()
    #expect(rig.run(to: .playing))
    rig.run(milliseconds: 100)
    rig.device.unplug()
    #expect(rig.run(to: .paused))
    rig.player.handle(.pause)
    rig.device.plugIn()
    #expect(rig.run { rig.notes.count == 2 })
    rig.run(milliseconds: 500)
    guard case .paused(_, _, .user) = rig.state else {
      Issue.record("\(rig.state)")
      return
    }
    rig.player.handle(.play)
    #expect(rig.run(to: .finished))
  }

  @Test func aRequestToPlayWhileTheCardIsAwayIsKept() throws {
    let rig = try PlayerRig([FakeFile(), FakeFile()])
    rig.player.start()
    #expect(rig.run(to: .playing))
    rig.run(milliseconds: 100)
    rig.device.unplug()
    #expect(rig.run(to: .paused))
    rig.player.next()
    rig.run(milliseconds: 300)
    #expect(rig.state.currentTrack?.path == "1")
    rig.device.plugIn()
    #expect(rig.run(to: .finished))
    #expect(rig.heardRuns.last?.number == 1)
    #expect(rig.heardRuns.last.map { $0.frames.lowerBound < 9_000 && $0.frames.upperBound == 19_999 } == true)
  }

  @Test func aCardLostInAFadeComesBackInIt() throws {
    let rig = try PlayerRig([FakeFile(frames: 40_000), FakeFile(frames: 40_000)])
    rig.player.setCrossfade(Seconds(0.4))
    rig.player.start()
    #expect(rig.run(to: .crossfading))
    rig.run(milliseconds: 100)
    rig.device.unplug()
    #expect(rig.run(to: .crossfadePaused))
    rig.device.plugIn()
    #expect(rig.run(to: .crossfading))
    #expect(rig.run(to: .finished))
    #expect(rig.heardRuns.last?.number == 1 && rig.heardRuns.last?.frames.upperBound == 39_999)
  }
}
