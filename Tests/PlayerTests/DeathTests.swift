// Decoders that crash: the output, the state and the reports, by deck role, error kind and player state. Test
// threads.

import PlaybackModel
import Player
import Testing

@Suite struct DeathTests {
  static let kinds: [PlaybackError.Kind] = [.decoderCrashed, .decoderHung]

  /// Frames of a 44.1 kHz card.
  private static func frames(milliseconds: Int) -> Int { milliseconds * 44_100 / 1000 }

  /// A file whose decoder stalls at frame 30,000 of 60,000 until it is restarted.
  private static func file(_ successor: FakeFile.Successor = .ready, stall: Int = 30_000) -> FakeFile {
    FakeFile(frames: 60_000, stall: stall, successor: successor)
  }

  // MARK: One track

  @Test(arguments: kinds) func aRestartCostsNoFrame(kind: PlaybackError.Kind) throws {
    let rig = try PlayerRig([Self.file()])
    rig.player.start()
    #expect(rig.run(to: .playing))
    rig.decoders.latest(0)?.die(kind)
    #expect(rig.run(to: .finished))
    #expect(rig.heardRuns.map(\.frames) == [0...59_999])
    #expect(rig.decoders.latest(0)?.restarts.map(\.position) == [30_000])
    #expect(rig.restarts == ["0"] && rig.errors.isEmpty)
    #expect(rig.player.decoderRestarts == 1)
    #expect(rig.left.map(\.isOver) == [true] && rig.left.first?.position == 60_000)
  }

  /// A second crash ends the track with a failure at the position where the decoded sound ends.
  @Test(arguments: kinds, [FakeFile.Successor.dies, .fails, .waits])
  func withoutASuccessorTheTrackFailsThere(kind: PlaybackError.Kind, successor: FakeFile.Successor) throws {
    let rig = try PlayerRig([Self.file(successor)])
    rig.player.start()
    #expect(rig.run(to: .playing))
    rig.decoders.latest(0)?.die(kind)
    // A hang is retried automatically.
    #expect(rig.run { rig.state.kind == .failed || successor == .fails && rig.state.kind == .finished })
    #expect(rig.heardRuns.map(\.frames.lowerBound) == [0])
    #expect(rig.heardRuns[0].frames.upperBound > 29_000)
    #expect(rig.errors.count == 1)
    let left = try #require(rig.left.first)
    #expect(!left.isOver && abs(left.position - 30_000) < 100, "\(left)")
    if case .failed(_, _, let position, _) = rig.state { #expect(abs(position.count - 30_000) < 100) }
  }

  @Test func theNextTrackPlaysBehindTheFailure() throws {
    let rig = try PlayerRig([Self.file(.dies), FakeFile()])
    rig.player.start()
    #expect(rig.run(to: .playing))
    rig.decoders.latest(0)?.die(.decoderCrashed)
    #expect(rig.run(to: .finished))
    #expect(rig.states.contains(.failed))
    #expect(rig.heardRuns.map(\.number) == [0, 1])
    #expect(rig.left.map(\.isOver) == [false, true])
    #expect(rig.player.failedTracks == 1)
  }

  /// The crash of a decoder that has written the whole track has no effect.
  @Test(arguments: kinds) func aDeathBehindTheLastFrameCostsNothing(kind: PlaybackError.Kind) throws {
    let rig = try PlayerRig([FakeFile(), FakeFile()])
    rig.player.start()
    #expect(rig.run(to: .playing))
    rig.decoders.latest(0)?.die(kind)
    #expect(rig.run(to: .finished))
    #expect(rig.heardRuns.map(\.frames) == [0...19_999, 0...19_999])
    #expect(rig.left.map(\.isOver) == [true, true] && rig.errors.isEmpty && rig.restarts.isEmpty)
  }

  @Test func anAttemptToLeaveTheSandboxIsNotRestarted() throws {
    let rig = try PlayerRig([Self.file()])
    rig.player.start()
    #expect(rig.run(to: .playing))
    rig.decoders.latest(0)?.die(.decoderBrokeSandbox)
    #expect(rig.run(to: .failed))
    #expect(rig.restarts.isEmpty && rig.errors.map(\.kind) == [.decoderBrokeSandbox])
    #expect(rig.left.map(\.isOver) == [false])
  }

  /// A decoder is checked for a hang when its ring runs low, before an underrun.
  @Test func aHangIsFoundWhileThereIsSound() throws {
    var file = FakeFile(frames: 200_000, stall: 120_000, hangs: true)
    file.successor = .ready
    let rig = try PlayerRig([file])
    rig.player.start()
    #expect(rig.run(to: .finished))
    #expect(rig.restarts == ["0"])
    #expect(rig.heardRuns.map(\.frames) == [0...199_999])
    #expect(!rig.states.contains(.buffering))
  }

  // MARK: Silence

  @Test(arguments: [FakeFile.Successor.ready, .dies]) func whatIsPausedStaysPaused(
    _ successor: FakeFile.Successor
  ) throws {
    let rig = try PlayerRig([Self.file(successor)])
    rig.player.start()
    #expect(rig.run(to: .playing))
    rig.player.handle(.pause)
    rig.run(milliseconds: 500)
    rig.decoders.latest(0)?.die(.decoderCrashed)
    rig.run(milliseconds: 5000)
    #expect(rig.state.kind == .paused)
    rig.player.handle(.play)
    #expect(rig.run(to: successor == .ready ? .finished : .failed))
    #expect(rig.left.last?.isOver == (successor == .ready))
    let last = rig.heardRuns.last?.frames.upperBound ?? 0
    #expect(successor == .ready ? last == 59_999 : (29_000..<30_000).contains(last))
  }

  /// A paused deck consumes nothing, so its decoder is restarted however little sound is left, also during
  /// the fade-out.
  @Test(arguments: [2000, 4000, 8000, 10_000, 11_025, 13_000, 18_000], [0.0, 100, 400])
  func whatIsPausedNearTheEndOfItsSoundIsRestarted(left: Int, milliseconds: Double) throws {
    let rig = try PlayerRig([Self.file()])
    rig.player.start()
    #expect(rig.run(to: .playing))
    rig.run { rig.player.position.count >= 30_000 - left }
    rig.player.handle(.pause)
    rig.run(milliseconds: milliseconds)
    rig.decoders.latest(0)?.die(left % 4000 == 0 ? .decoderHung : .decoderCrashed)
    rig.run(milliseconds: 5000)
    #expect(rig.state.kind == .paused && rig.errors.isEmpty, "\(rig.state)")
    #expect(rig.restarts == ["0"])
    rig.player.handle(.play)
    #expect(rig.run(to: .finished))
    let runs = rig.heardRuns.map(\.frames)
    #expect(runs.last?.upperBound == 59_999 && rig.left.last?.isOver == true, "\(runs)")
    #expect(rig.contradictions.isEmpty)
  }

  /// `play` waits for the replacement of a paused deck's decoder, within the decoder's own deadline, also if
  /// the fade-out has drained the ring.
  @Test(arguments: [500, 2000, 8000, 11_025, 18_000], [false, true])
  func playWaitsForTheSuccessorOfAPausedDeck(left: Int, hangs: Bool) throws {
    let rig = try PlayerRig([Self.file(.waits)])
    rig.player.start()
    #expect(rig.run(to: .playing))
    rig.run { rig.player.position.count >= 30_000 - left }
    rig.player.handle(.pause)
    rig.run(milliseconds: 400)
    rig.decoders.latest(0)?.die(.decoderCrashed)
    rig.run(milliseconds: 100)
    #expect(rig.restarts == ["0"] && !rig.state.isActive)
    rig.player.handle(.play)
    rig.run(milliseconds: 1000)
    #expect(rig.state.kind == .buffering && rig.errors.isEmpty, "\(rig.state) \(rig.errors)")
    if hangs {
      rig.decoders.latest(0)?.die(.decoderHung)
      #expect(rig.run(to: .failed))
      #expect(rig.errors.map(\.kind) == [.decoderHung])
      let left = try #require(rig.left.first)
      #expect(!left.isOver && (28_500...30_000).contains(left.position), "\(left)")
    } else {
      rig.decoders.latest(0)?.release()
      rig.decoders.latest(0)?.release()
      #expect(rig.run(to: .finished))
      let runs = rig.heardRuns.map(\.frames)
      #expect(runs.last?.upperBound == 59_999 && rig.left.last?.isOver == true, "\(runs)")
      #expect(rig.errors.isEmpty)
    }
    #expect(rig.contradictions.isEmpty)
  }

  /// A cued track that has not played yet waits for its replacement decoder, too.
  @Test func playWaitsForTheSuccessorOfACuedTrack() throws {
    let rig = try PlayerRig([FakeFile(frames: 60_000, stall: 8000, successor: .waits)])
    rig.player.cueIfIdle()
    #expect(rig.run(to: .ready))
    rig.decoders.latest(0)?.die(.decoderCrashed)
    rig.run(milliseconds: 100)
    rig.player.handle(.play)
    rig.run(milliseconds: 1000)
    #expect(rig.state.kind == .buffering && rig.errors.isEmpty, "\(rig.state) \(rig.errors)")
    rig.decoders.latest(0)?.release()
    rig.decoders.latest(0)?.release()
    #expect(rig.run(to: .finished))
    #expect(rig.heardRuns.last?.frames.upperBound == 59_999)
  }

  @Test(arguments: [FakeFile.Successor.ready, .dies]) func whatIsReadyIsRestarted(
    _ successor: FakeFile.Successor
  ) throws {
    let rig = try PlayerRig([Self.file(successor), FakeFile()])
    rig.player.cueIfIdle()
    #expect(rig.run(to: .ready))
    rig.decoders.latest(0)?.die(.decoderCrashed)
    rig.run(milliseconds: 500)
    #expect(rig.state.kind == .ready && rig.state.currentTrack?.path == (successor == .ready ? "0" : "1"))
    rig.player.handle(.play)
    #expect(rig.run(to: .finished))
    if successor == .ready { #expect(rig.heardRuns.first?.frames == 0...59_999) }
  }

  @Test(arguments: [FakeFile.Successor.ready, .dies], [false, true])
  func aSeekIsTakenToTheSuccessor(_ successor: FakeFile.Successor, isStopping: Bool) throws {
    var file = Self.file(successor)
    file.seekWaits = true
    let rig = try PlayerRig([file])
    rig.player.start()
    #expect(rig.run(to: .playing))
    rig.player.handle(.seek(Frames(40_000)))
    if !isStopping { rig.run(milliseconds: 200) }
    rig.decoders.latest(0)?.die(.decoderCrashed)
    #expect(rig.run(to: successor == .ready ? .playing : .failed))
    if successor == .ready {
      #expect(rig.run(to: .finished))
      #expect(rig.decoders.latest(0)?.restarts.map(\.position) == [40_000])
      #expect(
        rig.heardRuns.last.map { $0.frames.upperBound == 59_999 && $0.frames.lowerBound < 40_800 } == true)
    } else if case .failed(_, _, let position, _) = rig.state {
      #expect(position == Frames(40_000))
    }
  }

  /// A seek that waits for its deck's fade-out restarts the decoder, although the whole track is in the ring.
  @Test(arguments: kinds) func aSeekInADecodedTrackIsTakenToTheSuccessor(kind: PlaybackError.Kind) throws {
    let rig = try PlayerRig([FakeFile(frames: 60_000, seekWaits: true)])
    rig.player.start()
    #expect(rig.run(to: .playing))
    rig.player.handle(.seek(Frames(40_000)))
    rig.decoders.latest(0)?.die(kind)
    #expect(rig.run(to: .finished))
    #expect(rig.decoders.latest(0)?.restarts.map(\.position) == [40_000])
    let last = try #require(rig.heardRuns.last?.frames)
    #expect((40_000..<40_800).contains(last.lowerBound) && last.upperBound == 59_999)
    #expect(rig.errors.isEmpty)
  }

  /// A seek supersedes the restart of a decoder that is not ready yet.
  @Test func aSeekOvertakesASuccessor() throws {
    let rig = try PlayerRig([Self.file(.waits)])
    rig.player.start()
    #expect(rig.run(to: .playing))
    rig.decoders.latest(0)?.die(.decoderCrashed)
    rig.run(milliseconds: 50)
    rig.player.handle(.seek(Frames(40_000)))
    #expect(rig.run(to: .finished))
    #expect(rig.heardRuns.map(\.frames.upperBound).last == 59_999 && rig.errors.isEmpty)
    #expect(rig.heardRuns.last.map { $0.frames.lowerBound >= 40_000 } == true)
  }

  /// Without any decoded frame there is no position from which a replacement could continue.
  @Test func aDeathBeforeTheFirstFrameIsAFailure() throws {
    let rig = try PlayerRig([FakeFile(opening: .waits), FakeFile()])
    rig.player.start()
    #expect(rig.run(to: .preparing))
    rig.decoders.latest(0)?.die(.decoderCrashed)
    #expect(rig.run(to: .finished))
    #expect(rig.heardRuns.map(\.number) == [1] && rig.errors.map(\.kind) == [.decoderCrashed])
    #expect(rig.restarts.isEmpty)
  }

  // MARK: Two tracks

  @Test(arguments: [FakeFile.Successor.ready, .dies]) func aPreparedTrackIsRestartedOrPassedOver(
    _ successor: FakeFile.Successor
  ) throws {
    let rig = try PlayerRig([FakeFile(frames: 60_000), Self.file(successor), FakeFile()])
    rig.player.start()
    #expect(rig.run { rig.decoders.latest(1) != nil && rig.state.kind == .playing })
    rig.run(milliseconds: 100)
    rig.decoders.latest(1)?.die(.decoderCrashed)
    #expect(rig.run(to: .finished))
    #expect(rig.heardRuns.map(\.number) == (successor == .ready ? [0, 1, 2] : [0, 2]))
    #expect(rig.heardRuns.first?.frames == 0...59_999)
    // The join is unaffected.
    if successor == .ready { #expect(rig.heardRuns[1].frames == 0...59_999) }
  }

  /// Progress in milliseconds of a two-second fade when the incoming track's decoder crashes.
  @Test(arguments: [10, 500, 1000, 1900], kinds)
  func theOutgoingTrackGetsItsLevelBack(milliseconds: Int, kind: PlaybackError.Kind) throws {
    let rig = try PlayerRig([FakeFile(frames: 150_000), Self.file(.dies, stall: 58_000), FakeFile()])
    rig.player.setCrossfade(Seconds(2))
    rig.player.start()
    #expect(rig.run(to: .crossfading))
    rig.run(milliseconds: Double(milliseconds))
    if rig.state.kind != .crossfading { return }
    rig.decoders.latest(1)?.die(kind)
    let died = rig.device.heard.count / 2
    #expect(rig.run { rig.state.kind == .playing })
    #expect(rig.state.currentTrack?.path == "0")
    rig.run(milliseconds: 200)
    // Samples are recognized at full gain only.
    let back = (died..<rig.device.heard.count / 2).first { n in
      let (left, right) = (rig.device.heard[2 * n], rig.device.heard[2 * n + 1])
      let index = Int((right * 262_144).rounded()) - 1
      return index > 0 && sample(0, index) == (left, right)
    }
    // The ramp, plus one turn of this rig and the card's latency.
    #expect(back.map { $0 - died <= Self.frames(milliseconds: 50 + 30) } == true, "\(back ?? 0) \(died)")
    #expect(rig.run(to: .finished))
    #expect(rig.heardRuns.last?.number == 2)
    #expect(rig.left.filter { $0.path == "1" }.allSatisfy { !$0.isOver })
  }

  @Test(arguments: [10, 500, 900]) func aFadeWhoseIncomingTrackIsRestartedRunsOn(milliseconds: Int) throws {
    let rig = try PlayerRig([FakeFile(frames: 150_000), Self.file(stall: 59_000)])
    rig.player.setCrossfade(Seconds(1))
    rig.player.start()
    #expect(rig.run(to: .crossfading))
    rig.run(milliseconds: Double(milliseconds))
    rig.decoders.latest(1)?.die(.decoderCrashed)
    #expect(rig.run(to: .finished))
    #expect(rig.heardRuns.last?.frames.upperBound == 59_999)
    #expect(rig.errors.isEmpty && rig.restarts == ["1"])
    #expect(rig.left.last?.isOver == true)
  }

  /// The outgoing track has ended: the track behind the incoming one plays.
  @Test func behindAnOutgoingTrackThatIsOverTheNextOnePlays() throws {
    let rig = try PlayerRig([FakeFile(frames: 100_000), Self.file(.dies, stall: 58_000), FakeFile()])
    rig.player.setCrossfade(Seconds(2))
    rig.player.start()
    #expect(rig.run(to: .crossfading))
    // The outgoing track turns out to be shorter than stated.
    rig.decoders.latest(0)?.fail(.corrupt)
    rig.run(milliseconds: 1900)
    rig.decoders.latest(1)?.die(.decoderCrashed)
    #expect(rig.run(to: .finished))
    #expect(rig.heardRuns.last?.number == 2)
    #expect(rig.contradictions.isEmpty)
  }

  @Test(arguments: [FakeFile.Successor.ready, .dies]) func theOutgoingTracksDeathEndsNoFade(
    _ successor: FakeFile.Successor
  ) throws {
    let rig = try PlayerRig([Self.file(successor, stall: 50_000), FakeFile(frames: 90_000)])
    rig.player.setCrossfade(Seconds(1))
    rig.player.start()
    // The length is known, so the fade is scheduled before the end, and the ring has enough sound for it.
    #expect(rig.run(to: .crossfading))
    rig.decoders.latest(0)?.die(.decoderCrashed)
    #expect(rig.run(to: .finished))
    #expect(rig.heardRuns.last?.number == 1 && rig.heardRuns.last?.frames.upperBound == 89_999)
    #expect(rig.contradictions.isEmpty)
  }

  @Test(arguments: [FakeFile.Successor.ready, .dies]) func aPausedFadeKeepsWhatLives(
    _ successor: FakeFile.Successor
  ) throws {
    let last = successor == .ready ? [] : [FakeFile()]
    let rig = try PlayerRig([FakeFile(frames: 100_000), Self.file(successor)] + last)
    rig.player.setCrossfade(Seconds(1))
    rig.player.start()
    #expect(rig.run(to: .crossfading))
    rig.player.handle(.pause)
    rig.run(milliseconds: 500)
    rig.decoders.latest(1)?.die(.decoderCrashed)
    rig.run(milliseconds: 500)
    #expect(rig.state.kind == (successor == .ready ? .crossfadePaused : .paused))
    rig.player.handle(.play)
    #expect(rig.run(to: .finished))
    #expect(
      rig.heardRuns.contains { $0.number == 1 && $0.frames.upperBound == 59_999 } == (successor == .ready))
  }
}
