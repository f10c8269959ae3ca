// User commands during fades: stop, reverse, skip, seek, toggle, edits of the queue. The state names the
// audible tracks and every frame plays once. Test threads.

import PlaybackModel
import Player
import Testing

@Suite struct FadeEdgeTests {
  /// A rig in its first fade, by default in the middle of it.
  static func fading(
    _ files: [FakeFile] = [FakeFile(frames: 132_300), FakeFile(frames: 132_300), FakeFile(frames: 132_300)],
    _ length: Double = 1, after: Double? = nil
  ) throws -> PlayerRig {
    let rig = try PlayerRig(files)
    rig.player.setCrossfade(Seconds(length))
    rig.player.start()
    try #require(rig.run(to: .crossfading))
    rig.run(milliseconds: after ?? length * 500)
    return rig
  }

  /// The largest step of the left channel, relative to the level of the first track, excluding the start of
  /// the first track and the end of the last one. The left sample is the track's level times its gain.
  static func largestStep(_ rig: PlayerRig, from frame: Int = 1_000) -> Float {
    let heard = rig.device.heard
    let end = (heard.lastIndex { $0 != 0 } ?? 0) - 8
    return stride(from: 2 * frame, to: end, by: 2).reduce(0) {
      max($0, abs(heard[$1] - heard[$1 - 2]) * 64)
    }
  }

  @Test(arguments: [PlayerEvent.stop, .sleepTimerFired, .skip(to: nil)])
  func aStopThatIsTurnedRoundGoesOnWithTheIncomingTrack(event: PlayerEvent) throws {
    let rig = try Self.fading()
    rig.player.handle(event)
    #expect(rig.state.kind == .fadingOut && rig.state.currentTrack?.path == "1")
    rig.run(milliseconds: 150)
    rig.player.handle(.play)
    #expect(rig.state.currentTrack?.path == "1")
    let position = rig.player.position
    rig.run(milliseconds: 300)
    #expect(rig.player.position > position + Frames(10_000))
    #expect(rig.run(to: .finished))
    // The outgoing track does not return; the queue continues after the incoming one.
    #expect(rig.heardRuns.map(\.number) == [0, 1, 2])
    #expect(rig.contradictions == [])
  }

  @Test func nextPastTheEndInAFadeEndsTheQueue() throws {
    let rig = try Self.fading([FakeFile(frames: 132_300), FakeFile(frames: 132_300)])
    rig.player.next()
    #expect(rig.state.kind == .fadingOut)
    #expect(rig.run(to: .finished))
    rig.player.play()
    #expect(rig.run(to: .finished))
    #expect(rig.heardRuns.last.map { $0.number == 1 && $0.frames.upperBound == 132_299 } == true)
  }

  /// Changes of the queue or the settings that affect the scheduled incoming track.
  enum Edit: CaseIterable { case remove, clear, insertNext, repeatOne, noFade }

  @Test(arguments: Edit.allCases) func theQueueCountsUntilTheFadeBegins(edit: Edit) throws {
    let rig = try PlayerRig([FakeFile(frames: 132_300), FakeFile(frames: 44_100), FakeFile(frames: 66_150)])
    rig.player.setCrossfade(Seconds(0.5))
    rig.player.start()
    #expect(rig.run(to: .preparingCrossfade))
    rig.run(milliseconds: 200)
    let tracks = rig.player.queue.tracks
    switch edit {
    case .remove: try rig.player.queue.remove(tracks[1].id)
    case .clear: rig.player.queue.clear()
    case .insertNext:
      try rig.player.queue.remove(tracks[2].id)
      try rig.player.queue.insertNext(Track(id: 0, path: "2"))
    case .repeatOne: rig.player.queue.repeatMode = .one
    case .noFade: rig.player.setCrossfade(.zero)
    }
    if edit == .repeatOne {
      #expect(rig.run { rig.state.nextTrack?.path == "0" })
      #expect(rig.run(to: .crossfading))
      #expect(rig.state.nextTrack?.path == "0")
      return
    }
    #expect(rig.run(to: .finished))
    let expected: [Int] =
      switch edit {
      case .remove: [0, 2]
      case .clear: [0]
      case .insertNext: [0, 2, 1]
      case .noFade, .repeatOne: [0, 1, 2]
      }
    #expect(rig.heardRuns.map(\.number) == expected)
    if edit == .noFade { #expect(rig.heardRuns.map(\.frames) == [0...132_299, 0...44_099, 0...66_149]) }
    #expect(rig.contradictions == [])
  }

  /// During the sleep timer's long fade-out, tracks still follow each other according to the queue.
  @Test(arguments: [0, 0.5], [true, false])
  func theQueueCountsWhileTheSleepTimerFadesOut(fade: Double, isEditedBefore: Bool) throws {
    let rig = try PlayerRig([FakeFile(frames: 132_300), FakeFile(frames: 44_100), FakeFile(frames: 88_200)])
    rig.player.setCrossfade(Seconds(fade))
    rig.player.start()
    #expect(rig.run { rig.player.position >= Frames(60_000) })
    let second = rig.player.queue.tracks[1].id
    if isEditedBefore { try rig.player.queue.remove(second) }
    rig.player.handle(.sleepTimerFired)
    rig.run(milliseconds: 100)
    if !isEditedBefore { try rig.player.queue.remove(second) }
    #expect(rig.run { rig.state.currentTrack?.path != "0" })
    #expect(rig.state.kind == .fadingOut && rig.state.currentTrack?.path == "2")
    #expect(rig.run(to: .finished))
    #expect(rig.player.queue.current?.path == "2")
    #expect(rig.contradictions == [])
  }

  @Test func aPersonInAFadeMeansTheIncomingTrack() throws {
    let rig = try Self.fading()
    let here = rig.player.position
    #expect(here > .zero && here < Frames(44_100))
    rig.player.seek(by: Frames(22_050))
    guard case .seeking(let track, let target, .play) = rig.state else {
      Issue.record("\(rig.state)")
      return
    }
    #expect(track.path == "1")
    #expect(abs(target.count - here.count - 22_050) < 900)
    #expect(rig.run(to: .finished))
    #expect(rig.contradictions == [])
  }

  /// The length becomes known once the track is open: half of it is shorter than the ramp of a cut.
  @Test func aSkipToATrackTooShortForAFadeIsACut() throws {
    let rig = try PlayerRig([FakeFile(frames: 132_300), FakeFile(frames: 44_100), FakeFile(frames: 600)])
    rig.player.setCrossfade(Seconds(1))
    rig.player.start()
    rig.run(milliseconds: 500)
    rig.player.handle(.skip(to: rig.player.queue.tracks[2]))
    #expect(rig.run(to: .finished))
    #expect(rig.states.contains(.preparingCrossfade) && !rig.states.contains(.crossfading))
    #expect(rig.heardRuns.map(\.number) == [0, 2])
    #expect(rig.contradictions == [])
  }

  @Test func aFadeThatBeginsLateIsShortenedToWhatIsLeft() throws {
    let rig = try PlayerRig([FakeFile(frames: 132_300), FakeFile(frames: 132_300)])
    rig.player.setCrossfade(Seconds(1))
    rig.player.start()
    #expect(rig.run(to: .playing))
    #expect(rig.run(to: .preparingCrossfade))
    rig.player.handle(.seek(Frames(132_300 - 8_820)))
    #expect(rig.run(to: .crossfading))
    guard case .crossfading(_, _, _, let progress, _) = rig.state else { return }
    #expect(progress.length <= Frames(8_820) && progress.length > Frames(7_500))
    let before = rig.device.heard.count / 2 - 2_000
    #expect(rig.run(to: .finished))
    // The outgoing track is not cut off.
    #expect(Self.largestStep(rig, from: before) < 0.02)
    #expect(rig.heardRuns.last.map { $0.number == 1 && $0.frames.upperBound == 132_299 } == true)
  }

  @Test func twentyTogglesDoNotStretchAFade() throws {
    let rig = try Self.fading([FakeFile(frames: 220_500), FakeFile(frames: 220_500)], 2)
    for _ in 0..<20 {
      rig.player.toggle()
      rig.run(milliseconds: 110)
    }
    rig.player.play()
    #expect(rig.run(to: .playing))
    // Each frame of the outgoing track advances the fade by one frame, or by more during a quick finish.
    #expect(rig.run(to: .finished))
    #expect(Self.largestStep(rig) < 0.02)
    #expect(rig.heardRuns.last.map { $0.number == 1 && $0.frames.upperBound == 220_499 } == true)
    #expect(rig.contradictions == [])
  }

  /// After the command the outgoing track plays for one second at most; a fade with less left is not
  /// prolonged.
  @Test(arguments: [
    (2.5, 0.02), (2.5, 0.3), (2.5, 0.58), (2.5, 0.7), (2.5, 0.95), (2, 0.1), (1, 0.3), (0.5, 0.2),
  ])
  func finishFadeTakesASecondAtMost(length: Double, part: Double) throws {
    let second = 44_100
    let files = [FakeFile(frames: 260_000), FakeFile(frames: 260_000)]
    let rig = try Self.fading(files, length, after: part * length * 1000)
    let from = rig.device.heard.count / 2
    rig.player.handle(.finishFade)
    #expect(rig.run(to: .playing))
    rig.run(milliseconds: 1_500)
    let heard = rig.device.heard
    let alone = sample(1, 0).left
    let last = (from..<heard.count / 2).last { heard[2 * $0] != alone } ?? from
    // The latency of the card, and the turn in which the start of the fade is reported.
    let slack = 441 + second / 100
    let left = Int((1 - part) * length * Double(second))
    #expect(last - from <= min(second, left) + slack, "\(last - from) frames")
    #expect(last - from >= min(second, left) - slack, "\(last - from) frames")
    #expect(rig.contradictions == [])
  }

  @Test func aQuickFinishThatIsPausedTakesNoFreshSecond() throws {
    let rig = try Self.fading([FakeFile(frames: 250_000), FakeFile(frames: 250_000)], 2.5, after: 400)
    rig.player.handle(.finishFade)
    rig.run(milliseconds: 700)
    rig.player.handle(.pause)
    #expect(rig.state.kind == .crossfadePaused)
    rig.run(milliseconds: 500)
    rig.player.play()
    let resumed = rig.device.clock
    #expect(rig.run(to: .playing))
    // The fade-out took a fifth of the second; the remainder is left.
    #expect(rig.device.clock - resumed < 250_000_000)
  }

  @Test(arguments: [47, 53]) func theWayToResumeIsDecidedAtThePress(percent: Int) throws {
    let rig = try Self.fading([FakeFile(frames: 220_500), FakeFile(frames: 220_500)], 1, after: 100)
    #expect(rig.run { (rig.player.fadeProgress?.percent ?? 0) >= percent })
    rig.player.handle(.pause)
    rig.run(milliseconds: 500)
    guard case .crossfadePaused(_, _, let strategy, let snapshot, .user) = rig.state else {
      Issue.record("\(rig.state)")
      return
    }
    // Since the press, the fade-out of the pause has advanced both past the middle.
    #expect(snapshot.progress.percent > 60)
    #expect(strategy == (percent < 50 ? .continueFromProgress : .quickFinish))
  }

  @Test func aResumeAfterASeekIsOneRamp() throws {
    let rig = try PlayerRig([FakeFile(frames: 220_500)])
    rig.player.start()
    #expect(rig.run(to: .playing))
    rig.run(milliseconds: 300)
    rig.player.handle(.pause)
    rig.run(milliseconds: 500)
    rig.player.handle(.seek(Frames(88_200)))
    #expect(rig.run(to: .paused))
    rig.run(milliseconds: 100)
    rig.player.play()
    let silent = rig.device.heard.count / 2
    rig.run(milliseconds: 500)
    let gains = stride(from: 2 * silent, to: rig.device.heard.count, by: 2).map { rig.device.heard[$0] * 64 }
    let first = try #require(gains.firstIndex { $0 > 0.02 })
    // A linear ramp of a fifth of a second: its middle has half the gain, where two multiplied ramps would
    // give a quarter.
    #expect(abs(gains[first + 4_410] - 0.5) < 0.05)
  }

  @Test func aCuedTrackDoesNotMove() throws {
    let rig = try PlayerRig([FakeFile(frames: 220_500), FakeFile(frames: 220_500)])
    rig.player.setCrossfade(Seconds(1))
    rig.player.start()
    #expect(rig.run(to: .preparingCrossfade))
    for _ in 0..<40 {
      rig.run(milliseconds: 37)
      #expect(rig.player.moment().next == .zero)
    }
  }

  @Test func nextOntoABadFileGoesOnToAGoodOne() throws {
    let rig = try PlayerRig([
      FakeFile(frames: 220_500), FakeFile(opening: .fails(.corrupt)), FakeFile(opening: .refused(.missing)),
      FakeFile(frames: 88_200),
    ])
    rig.player.setCrossfade(Seconds(0.5))
    rig.player.start()
    #expect(rig.run(to: .playing))
    rig.run(milliseconds: 200)
    rig.player.next()
    #expect(rig.run(to: .crossfading))
    #expect(rig.state.nextTrack?.path == "3")
    #expect(rig.errors.map(\.kind) == [.corrupt, .missing])
    #expect(rig.run(to: .finished))
    #expect(rig.heardRuns.map(\.number) == [0, 3])
  }

  @Test func nextPastTheEndWhilePausedLeavesAQueueThatPlays() throws {
    let rig = try PlayerRig([FakeFile()])
    rig.player.start()
    #expect(rig.run(to: .playing))
    rig.run(milliseconds: 100)
    rig.player.handle(.pause)
    rig.run(milliseconds: 400)
    rig.player.next()
    #expect(rig.state.kind == .idle)
    rig.player.play()
    #expect(rig.run(to: .finished))
    // The track was cut off before, so its beginning is ramped and its frames are recognized only after the
    // ramp.
    let last = try #require(rig.heardRuns.last)
    #expect(last.number == 0 && last.frames.lowerBound < 400 && last.frames.upperBound == 19_999)
  }

  @Test func aFileWithoutAFrameDoesNotKeepTheBoxBusy() throws {
    let rig = try PlayerRig([FakeFile(frames: 0)])
    rig.player.queue.repeatMode = .all
    rig.player.start()
    rig.run(milliseconds: 5_000)
    #expect(rig.state.kind == .failed)
    #expect(rig.decoders.opened.count == 1)
    #expect(rig.errors.count == 1)
  }

  @Test func monoIsNoStep() throws {
    let rig = try PlayerRig([FakeFile(frames: 220_500)])
    rig.player.start()
    #expect(rig.run(to: .playing))
    rig.run(milliseconds: 1_000)
    rig.player.setMono(true)
    rig.run(milliseconds: 300)
    rig.player.setMono(false)
    rig.run(milliseconds: 300)
    // Left and right differ by up to 16 levels, and the transition takes 353 frames.
    #expect(Self.largestStep(rig, from: 1_000) < 16 / 353 + 0.01)
  }
}
