// A paused player stays paused through failures, retries, sticks and power cuts. Test threads.

import PlaybackModel
import Player
import Testing

@Suite struct PausedTests {
  /// A rig that was paused on its first track.
  static func paused(_ files: [FakeFile]) throws -> PlayerRig {
    let rig = try PlayerRig(files)
    rig.player.start()
    try #require(rig.run(to: .playing))
    rig.run(milliseconds: 200)
    rig.player.handle(.pause)
    rig.run(milliseconds: 500)
    return rig
  }

  static func expectSilence(_ rig: PlayerRig, milliseconds: Double) {
    let before = rig.device.heard.count
    rig.run(milliseconds: milliseconds)
    #expect(rig.device.heard[before...].allSatisfy { $0 == 0 })
  }

  @Test func aFileThatIsGoneAtPowerOnIsTriedAgainInSilence() throws {
    let before = try Self.paused([FakeFile(frames: 88_200), FakeFile()])
    before.decoders.files[0].opening = .fails(.unreadable)
    let rig = try before.afterPulledPlug { _ in }
    #expect(rig.run(to: .failed))
    #expect(!rig.state.isActive)
    Self.expectSilence(rig, milliseconds: 1_500)
    rig.decoders.files[0].opening = .ready
    // After the retry it is paused at its position.
    #expect(rig.run(to: .paused))
    Self.expectSilence(rig, milliseconds: 2_000)
    rig.player.play()
    #expect(rig.run(to: .finished))
    #expect(rig.heardRuns.first.map { $0.number == 0 && $0.frames.lowerBound > 8_000 } == true)
  }

  @Test func aStickThatComesBackDoesNotWakeThePaused() throws {
    let rig = try Self.paused([FakeFile(frames: 88_200)])
    rig.player.isStorageWatched = true
    rig.player.handle(.storageRemoved(path: "0"))
    #expect(rig.state.kind == .failed)
    rig.player.handle(.retry)
    #expect(rig.run(to: .paused))
    Self.expectSilence(rig, milliseconds: 2_000)
  }

  @Test func aKilledWorkerAndASeekDoNotWakeThePaused() throws {
    let rig = try Self.paused([FakeFile(frames: 88_200), FakeFile()])
    rig.decoders.latest(0)?.fail(.decoderCrashed)
    rig.run(milliseconds: 100)
    rig.player.handle(.seek(Frames(22_050)))
    Self.expectSilence(rig, milliseconds: 3_000)
    #expect(!rig.state.isActive)
    rig.player.play()
    #expect(rig.run(to: .finished))
    #expect(rig.contradictions == [])
  }

  @Test func pauseInFailedKeepsTheRetryFromSounding() throws {
    let rig = try PlayerRig([FakeFile(opening: .fails(.unreadable))])
    rig.player.start()
    #expect(rig.run(to: .failed))
    rig.player.handle(.pause)
    rig.decoders.files[0].opening = .ready
    #expect(rig.run(to: .ready))
    Self.expectSilence(rig, milliseconds: 2_000)
  }

  @Test func aStoredQueueThatFailsMovesOnInSilence() throws {
    let before = try Self.paused([FakeFile(frames: 88_200), FakeFile(), FakeFile()])
    before.decoders.files[0].opening = .fails(.corrupt)
    before.decoders.files[1].opening = .refused(.missing)
    let rig = try before.afterPulledPlug { _ in }
    #expect(rig.run(to: .ready))
    #expect(rig.state.currentTrack?.path == "2")
    Self.expectSilence(rig, milliseconds: 2_000)
  }
}

@Suite struct RestoredPlaceTests {
  /// A skip whose fade is not audible yet has already advanced the queue; a power cut reverts both.
  @Test func aSkipThatWasNotHeardIsNotPassedOver() throws {
    let before = try PlayerRig([FakeFile(frames: 132_300), FakeFile(opening: .waits), FakeFile()])
    before.player.setCrossfade(Seconds(0.5))
    before.player.start()
    try #require(before.run(to: .playing))
    before.player.next()
    #expect(before.state.kind == .preparingCrossfade)
    let rig = try before.afterPulledPlug { $0.player.setCrossfade(.zero) }
    rig.decoders.files[1].opening = .ready
    #expect(rig.run(to: .finished))
    #expect(rig.heardRuns.map(\.number) == [0, 1, 2])
  }

  /// A fade restored after a power cut whose outgoing track is missing: the incoming track plays, and an
  /// error is reported.
  @Test func aRestoredFadeWithoutItsOutgoingTrackSaysSo() throws {
    let before = try FadeEdgeTests.fading()
    before.decoders.files[0].opening = .refused(.missing)
    let rig = try before.afterPulledPlug { $0.player.setCrossfade(Seconds(1)) }
    #expect(rig.run(to: .finished))
    #expect(rig.errors.map(\.kind) == [.missing])
    #expect(rig.heardRuns.first?.number == 1)
    #expect(rig.contradictions == [])
  }

  /// The incoming track is still being opened: it is not opened repeatedly (seed 5160).
  @Test func aRestoredFadeThatLosesItsOutgoingTrackGoesOn() throws {
    let before = try FadeEdgeTests.fading()
    before.decoders.files[0].opening = .fails(.unreadable)
    before.decoders.files[1].opening = .waits
    let rig = try before.afterPulledPlug { $0.player.setCrossfade(Seconds(1)) }
    rig.run(milliseconds: 300)
    #expect(rig.errors.map(\.kind) == [.unreadable])
    rig.decoders.latest(1)?.release()
    #expect(rig.run(to: .finished))
    #expect(rig.heardRuns.first?.number == 1)
    #expect(rig.contradictions == [])
  }

  /// The player is silent and shows that it is loading until both tracks are ready.
  @Test func aRestoredFadeThatWaitsForATrackSaysSo() throws {
    let before = try FadeEdgeTests.fading()
    #expect(!before.player.showsLoading)
    before.decoders.files[1].opening = .waits
    let rig = try before.afterPulledPlug { $0.player.setCrossfade(Seconds(1)) }
    rig.run(milliseconds: 300)
    #expect(rig.state.kind == .crossfading && rig.player.showsLoading && rig.heardRuns.isEmpty)
    rig.decoders.latest(1)?.release()
    rig.run(milliseconds: 300)
    #expect(rig.state.kind == .crossfading && !rig.player.showsLoading)
    #expect(rig.run(to: .finished) && !rig.heardRuns.isEmpty)
    #expect(rig.contradictions == [])
  }
}
