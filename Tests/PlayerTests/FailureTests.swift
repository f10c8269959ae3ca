// The player's reaction to every failure of a decoder: the state, the error and the next track. Test threads.

import PlaybackModel
import Player
import Testing

@Suite struct FailureTests {
  static let lasting = PlaybackError.Kind.allCases.filter { !PlaybackError($0).isRecoverable }
  static let passing = PlaybackError.Kind.allCases.filter { PlaybackError($0).isRecoverable }

  /// The moment at which a track fails.
  enum Way: CaseIterable { case refused, opening, cued, playing, starving, seeking }

  static func file(_ way: Way, _ kind: PlaybackError.Kind) -> FakeFile {
    switch way {
    case .refused: FakeFile(opening: .refused(kind))
    case .opening: FakeFile(opening: .fails(kind))
    case .cued: FakeFile()
    case .playing: FakeFile(failure: (at: 12_000, kind: kind))
    case .starving: FakeFile(stall: 12_000)
    case .seeking: FakeFile(seekFailure: kind)
    }
  }

  /// Makes the first file of a rig fail.
  static func provoke(_ rig: PlayerRig, _ way: Way, _ kind: PlaybackError.Kind) {
    rig.player.start()
    switch way {
    case .refused, .opening, .playing: break
    case .cued:
      // Cued, and not played yet.
      rig.player.handle(.pause)
      #expect(rig.run(to: .paused) || rig.state.kind == .ready)
      rig.decoders.latest(0)?.fail(kind)
      rig.run(milliseconds: 50)
    case .starving:
      #expect(rig.run(to: .buffering))
      rig.decoders.latest(0)?.fail(kind)
    case .seeking:
      #expect(rig.run(to: .playing))
      rig.player.handle(.seek(Frames(5_000)))
    }
  }

  @Test(arguments: Way.allCases, lasting)
  func aLastingFailureIsToldOnceAndPassedOver(way: Way, kind: PlaybackError.Kind) throws {
    let rig = try PlayerRig([Self.file(way, kind), FakeFile(), FakeFile()])
    Self.provoke(rig, way, kind)
    if way == .cued {
      // A paused player stays paused: the next track is cued.
      #expect(rig.run { rig.state.kind == .ready && rig.state.currentTrack?.path == "1" })
      rig.run(milliseconds: 3000)
      #expect(rig.device.heard.allSatisfy { $0 == 0 })
      rig.player.handle(.play)
    }
    #expect(rig.run(to: .finished))
    #expect(rig.errors.map(\.kind) == [kind])
    #expect(rig.errors.first?.path == "0")
    #expect(rig.player.failedTracks == 1)
    #expect(rig.decoders.opened.filter { $0 == 0 }.count == 1)
    let whole = rig.heardRuns.filter { $0.number > 0 }
    #expect(whole.map(\.number) == [1, 2])
    #expect(whole.allSatisfy { $0.frames.lowerBound < 400 && $0.frames.upperBound == 19_999 })
  }

  /// Decoders run seconds ahead. An error is reported only shortly before its position is played.
  @Test func anErrorIsToldNearThePlaceWhereTheTrackBreaksOff() throws {
    var file = FakeFile(frames: 200_000)
    file.failure = (at: 150_000, kind: .corrupt)
    let rig = try PlayerRig([file, FakeFile()])
    rig.player.start()
    #expect(rig.run { !rig.errors.isEmpty })
    // 1.25 s ahead, plus the latency of the card.
    #expect(rig.player.position > Frames(150_000 - 55_125 - 22_050), "\(rig.player.position)")
    #expect(rig.run(to: .finished))
    #expect(rig.heardRuns.first.map { $0.frames.upperBound > 149_000 } == true)
  }

  /// A hostile worker announces the end of its track, never reaches it, and crashes.
  @Test func anEndThatWasNamedAndNeverReachedHoldsNothingUp() throws {
    let rig = try PlayerRig([FakeFile(stall: 12_000), FakeFile()])
    rig.player.start()
    #expect(rig.run(to: .buffering))
    rig.decoders.latest(0)?.cutShort(at: 1 << 30)
    rig.run(milliseconds: 50)
    rig.decoders.latest(0)?.fail(.decoderCrashed)
    #expect(rig.run(to: .finished))
    #expect(rig.errors.map(\.kind) == [.decoderCrashed])
    #expect(rig.heardRuns.last?.number == 1)
  }

  /// A rig with two tracks; the first one's worker stalls after 12,000 frames, and its ring has no end mark.
  private static func rigWithoutEnd() throws -> PlayerRig {
    var file = FakeFile(stall: 12_000)
    file.neverEnds = true
    let rig = try PlayerRig([file, FakeFile()])
    rig.player.start()
    return rig
  }

  /// A hostile worker crashes during playback and leaves a ring without an end mark.
  @Test func aRingWithoutAnEndHoldsNothingUp() throws {
    let rig = try Self.rigWithoutEnd()
    #expect(rig.run(to: .playing))
    rig.decoders.latest(0)?.fail(.decoderCrashed)
    #expect(rig.run(to: .finished))
    #expect(rig.errors.map(\.kind) == [.decoderCrashed])
    #expect(rig.heardRuns.last?.number == 1)
  }

  /// Also before the crash is detected, and for a worker that has announced its end.
  @Test(arguments: [false, true], [false, true])
  func anEndThatIsKeptFromTheRingHoldsNothingUp(isNamed: Bool, isPaused: Bool) throws {
    let rig = try Self.rigWithoutEnd()
    #expect(rig.run(to: .buffering))
    if isPaused { rig.player.handle(.pause) }
    if isNamed { rig.decoders.latest(0)?.cutShort(at: 12_000) }
    rig.run(milliseconds: 50)
    rig.decoders.latest(0)?.fail(.decoderCrashed)
    rig.run(milliseconds: 500)
    if isPaused { rig.player.handle(.play) }
    #expect(rig.run(to: .finished))
    // All announced frames were received.
    #expect(rig.errors.map(\.kind) == (isNamed ? [] : [.decoderCrashed]))
    #expect(rig.heardRuns.last.map { $0.number == 1 && $0.frames.upperBound == 19_999 } == true)
  }

  /// The deck underruns, is paused, reports a refill without frames, and its worker crashes after the
  /// underrun was reported.
  @Test func aTrackThatOnlySaysThatItIsFilledHoldsNothingUp() throws {
    let rig = try Self.rigWithoutEnd()
    #expect(rig.run(to: .buffering))
    rig.player.handle(.pause)
    rig.run(milliseconds: 500)
    rig.decoders.latest(0)?.pretend(20_000)
    #expect(rig.run(to: .paused))
    rig.decoders.latest(0)?.pretend(0)
    rig.decoders.latest(0)?.fail(.decoderCrashed)
    rig.run(milliseconds: 500)
    rig.player.handle(.play)
    #expect(rig.run(to: .finished))
    #expect(rig.heardRuns.last.map { $0.number == 1 && $0.frames.upperBound == 19_999 } == true)
  }

  /// A hostile worker revokes what it has announced, and delivers no more.
  @Test func aTrackThatTurnsOutToBeNoneHoldsNothingUp() throws {
    let rig = try Self.rigWithoutEnd()
    #expect(rig.run(to: .playing))
    rig.decoders.latest(0)?.takeBack()
    #expect(rig.run(to: .finished))
    #expect(rig.heardRuns.last.map { $0.number == 1 && $0.frames.upperBound == 19_999 } == true)
  }

  /// The ring still has sound, but no decoder is left that could seek.
  @Test func aSeekInATrackWhoseDecoderIsGoneOpensItAgain() throws {
    let rig = try PlayerRig([FakeFile(), FakeFile()])
    rig.player.start()
    #expect(rig.run(to: .playing))
    rig.decoders.latest(0)?.fail(.decoderCrashed)
    #expect(rig.run { rig.errors.count == 1 })
    rig.player.handle(.seek(Frames(2000)))
    #expect(rig.run(to: .finished))
    let again = rig.heardRuns.filter { $0.number == 0 }.last
    #expect(again.map { $0.frames.lowerBound < 2500 && $0.frames.upperBound == 19_999 } ?? false)
    #expect(rig.heardRuns.last?.number == 1)
    #expect(rig.decoders.opened.filter { $0 == 0 }.count == 2)
  }

  @Test(arguments: [Way.refused, .opening, .starving, .seeking], passing)
  func aPassingFailureIsRetriedWhereItHappened(way: Way, kind: PlaybackError.Kind) throws {
    let rig = try PlayerRig([Self.file(way, kind), FakeFile()])
    Self.provoke(rig, way, kind)
    #expect(rig.run(to: .failed))
    guard case .failed(let error, let track, let position, _) = rig.state else { return }
    #expect(error.kind == kind && !error.sentence.isEmpty && !error.remedy.isEmpty)
    #expect(track?.path == "0")
    switch way {
    case .starving: #expect(Frames(11_500)...Frames(12_000) ~= position)
    case .seeking: #expect(position == Frames(5_000))
    default: #expect(position == .zero)
    }
    #expect(rig.errors.map(\.kind) == [kind])
    // The file is readable again.
    rig.decoders.files[0] = FakeFile()
    #expect(rig.player.handle(.retry) == .changed)
    #expect(rig.run(to: .finished))
    let rest = try #require(rig.heardRuns.last { $0.number == 0 })
    #expect(rest.frames.upperBound == 19_999)
    #expect((0..<400).contains(rest.frames.lowerBound - Int(position.count)))
    #expect(rig.heardRuns.last?.number == 1)
  }

  /// For a file, sound is played up to the failure and the next track follows. A stream that fails is retried
  /// instead, after its decoded sound has played.
  @Test func aStreamThatBreaksOffGoesOnWhereItRanDry() throws {
    let rig = try PlayerRig([FakeFile(failure: (at: 12_000, kind: .network)), FakeFile()])
    rig.player.start()
    #expect(rig.run(to: .failed))
    guard case .failed(let error, _, let position, .play) = rig.state else { return }
    #expect(error.kind == .network && rig.errors.map(\.kind) == [.network])
    #expect(Frames(11_500)...Frames(12_000) ~= position)
    rig.decoders.files[0] = FakeFile()
    #expect(rig.run(to: .finished))
    let first = rig.heardRuns.filter { $0.number == 0 }
    #expect(first.first?.frames.upperBound ?? 0 > 11_000 && first.last?.frames.upperBound == 19_999)
    #expect(rig.heardRuns.last?.number == 1 && rig.decoders.opened == [0, 1, 0, 1])
  }

  @Test func aPassingFailureIsRetriedWithoutAnybodysHelp() throws {
    let rig = try PlayerRig([FakeFile(opening: .fails(.unreadable))])
    rig.player.start()
    #expect(rig.run(to: .failed))
    rig.decoders.files[0] = FakeFile()
    // The first retry comes after a second.
    #expect(rig.player.retryDue != nil)
    #expect(rig.run { rig.state.kind != .failed })
    #expect(rig.run(to: .finished))
    #expect(rig.decoders.opened == [0, 0])
  }

  @Test(arguments: [Way.refused, .opening, .playing], lasting)
  func aNextTrackThatFailsDoesNotDisturbTheOneHeard(way: Way, kind: PlaybackError.Kind) throws {
    let rig = try PlayerRig([FakeFile(), Self.file(way, kind), FakeFile()])
    rig.player.start()
    #expect(rig.run(to: .finished))
    #expect(rig.errors.map(\.kind) == [kind])
    let runs = rig.heardRuns
    #expect(runs.first?.number == 0 && runs.first?.frames == 0...19_999)
    #expect(runs.last?.number == 2 && runs.last?.frames == 0...19_999)
    // A track that fails before its turn is skipped entirely.
    #expect(runs.map(\.number) == [0, 2])
    #expect(rig.device.heard.prefix(2 * 40_000).allSatisfy { $0 != 0 })
  }

  @Test func aRetryThatNobodyNeedsAnyMoreIsCalledOff() throws {
    let rig = try PlayerRig([FakeFile(opening: .fails(.unreadable)), FakeFile(frames: 100_000)])
    rig.player.start()
    #expect(rig.run(to: .failed))
    rig.player.next()
    #expect(rig.run(to: .playing))
    #expect(rig.player.retryDue == nil)
    rig.run(milliseconds: 1500)
    #expect(rig.state.kind == .playing && rig.player.trackRetries == 0)
  }

  @Test func threeFailuresInARowAreSteppedOver() throws {
    let rig = try PlayerRig([
      FakeFile(), FakeFile(opening: .refused(.missing)), FakeFile(opening: .fails(.corrupt)),
      FakeFile(opening: .refused(.unsupportedFormat)), FakeFile(),
    ])
    rig.player.start()
    #expect(rig.run(to: .finished))
    #expect(rig.errors.map(\.kind) == [.missing, .corrupt, .unsupportedFormat])
    #expect(rig.player.failedTracks == 3)
    #expect(rig.heardRuns.map(\.number) == [0, 4])
  }

  @Test(arguments: [false, true]) func aQueueThatFailsAsAWholeEndsInFailed(repeats: Bool) throws {
    let rig = try PlayerRig([
      FakeFile(opening: .refused(.missing)), FakeFile(opening: .fails(.corrupt)),
      FakeFile(opening: .fails(.decoderCrashed)),
    ])
    if repeats { rig.player.queue.repeatMode = .all }
    rig.player.start()
    rig.run(milliseconds: 2000)
    #expect(rig.state.kind == .failed)
    #expect(rig.decoders.opened == [0, 1, 2])
    #expect(rig.errors.map(\.kind) == [.missing, .corrupt, .decoderCrashed])
    #expect(rig.decoders.alive.isEmpty)
  }

  @Test func aDecoderThatHangsInPlayIsFoundOut() throws {
    let rig = try PlayerRig([FakeFile(stall: 12_000, hangs: true), FakeFile()])
    rig.player.start()
    #expect(rig.run(to: .failed))
    #expect(rig.states.suffix(2) == [.buffering, .failed])
    #expect(rig.errors.map(\.kind) == [.decoderHung])
  }
}
