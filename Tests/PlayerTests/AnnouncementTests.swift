// Announcements: their queue, their decoders, and music that loses no frame when an announcement fails. Test
// threads.

import PlaybackModel
import Player
import RealtimeAudio
import Testing

@Suite struct AnnouncementTests {
  static let music = FakeFile(frames: 200_000)
  static let bell = FakeFile(frames: 9000)

  /// Plays music with silent announcements, so that every frame of the music can be recognized.
  private func playing(_ bells: [FakeFile] = [bell, bell], music: [FakeFile] = [music]) throws -> PlayerRig {
    let rig = try PlayerRig(music + bells, queued: music.count)
    rig.player.announcementGain = { _ in .silence }
    rig.player.start()
    try #require(rig.run(to: .playing))
    rig.run(milliseconds: 300)
    return rig
  }

  private func announce(_ rig: PlayerRig, _ number: Int, _ duck: AnnouncementDuck = .decibels(0))
    -> AnnouncementRefusal?
  {
    rig.player.announce(Announcement(Track(id: 0, path: "\(number)"), volume: nil, duck: duck))
  }

  /// Checks that the first track plays to its end without a gap.
  private func expectUnbroken(_ rig: PlayerRig, sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(rig.run(to: .finished), sourceLocation: sourceLocation)
    let runs = rig.heardRuns.filter { $0.number == 0 }
    #expect(
      runs.count == 1 && runs.first?.frames == 0...(Self.music.frames - 1), "\(runs)",
      sourceLocation: sourceLocation)
    #expect(rig.contradictions.isEmpty, sourceLocation: sourceLocation)
  }

  @Test func oneSoundsAndIsOver() throws {
    let rig = try playing()
    #expect(announce(rig, 1) == nil)
    #expect(rig.player.announcements.count == 1)
    rig.run { rig.announced.last == "1 ended" }
    #expect(rig.announced == ["1 began", "1 ended"] && rig.player.announcements.isEmpty)
    #expect(rig.decoders.alive.count == 1)
    expectUnbroken(rig)
    #expect(rig.errors.isEmpty && rig.began == ["0"])
  }

  @Test func oneAfterTheOther() throws {
    let rig = try playing()
    for number in [1, 2, 1] { #expect(announce(rig, number) == nil) }
    expectUnbroken(rig)
    #expect(
      rig.announced == [
        "2 waits", "1 waits", "1 began", "1 ended", "2 began", "2 ended", "1 began", "1 ended",
      ])
  }

  /// An announcement's decoder crashes while the announcement plays.
  @Test(arguments: [FakeFile.Successor.ready, .waits, .dies, .fails])
  func aDeadDecoderIsRestartedOnce(successor: FakeFile.Successor) throws {
    let bell = FakeFile(frames: 60_000, stall: 40_000, successor: successor)
    let rig = try playing([bell])
    #expect(announce(rig, 1) == nil)
    #expect(rig.run { rig.announced == ["1 began"] })
    rig.decoders.latest(1)?.die(.decoderCrashed)
    #expect(rig.run { rig.player.announcements.isEmpty })
    let outcome =
      switch successor {
      case .ready: "1 ended"
      case .waits, .dies: "1 failed decoderCrashed"
      case .fails: "1 failed corrupt"
      }
    #expect(rig.announced == ["1 began", outcome])
    #expect(rig.restarts == ["1"] && rig.player.decoderRestarts == 1)
    #expect(rig.decoders.latest(1)?.restarts.map(\.position) == [40_000])
    expectUnbroken(rig)
  }

  @Test func eightAreInLineAndTheNinthIsRefused() throws {
    var silent = Self.bell
    silent.opening = .waits
    let rig = try playing([silent, Self.bell])
    for _ in 0..<8 { #expect(announce(rig, 1) == nil) }
    #expect(announce(rig, 2) == .full(8))
    rig.player.stopAnnouncements()
    #expect(rig.announced.filter { $0 == "1 stopped" }.count == 8 && rig.player.announcements.isEmpty)
    #expect(announce(rig, 2) == nil)
    expectUnbroken(rig)
    #expect(rig.announced.suffix(2) == ["2 began", "2 ended"])
  }

  @Test func aPausedPlayerAnnouncesAndStaysPaused() throws {
    let rig = try playing()
    rig.player.handle(.pause)
    rig.run(milliseconds: 2500)
    let position = rig.player.position
    rig.player.announcementGain = { _ in .unity }
    for duck in [AnnouncementDuck.usual, .pause] {
      let before = rig.device.heard.count
      #expect(announce(rig, 1, duck) == nil)
      rig.run(milliseconds: 3000)
      #expect(rig.announced.last == "1 ended")
      #expect(rig.device.heard[before...].filter { $0 != 0 }.count == 18_000)
    }
    #expect(rig.state.pauseReason == .user && rig.player.position == position)
    rig.player.play()
    #expect(rig.run(to: .finished) && rig.contradictions.isEmpty)
    let runs = rig.heardRuns.filter { $0.number == 0 }
    // The frames between the two runs were played during the two ramps.
    #expect(runs.count == 2 && runs.last?.frames.upperBound == Self.music.frames - 1)
  }

  @Test func musicPausesForOneThatWantsItAndResumesOnItsFrame() throws {
    let rig = try playing()
    #expect(announce(rig, 1, .pause) == nil)
    #expect(rig.run(to: .paused))
    #expect(rig.state.pauseReason == .announcement)
    guard case .paused(_, let position, _) = rig.state else { return }
    #expect(rig.run(to: .playing))
    #expect(rig.announced == ["1 began", "1 ended"])
    #expect(rig.player.position >= position)
    #expect(rig.run(to: .finished) && rig.contradictions.isEmpty)
    let runs = rig.heardRuns.filter { $0.number == 0 }
    let ramps = 2 * 8820
    #expect(runs.count == 2 && runs.last?.frames.upperBound == Self.music.frames - 1)
    #expect(runs.count == 2 && runs[1].frames.lowerBound - runs[0].frames.upperBound <= ramps + 10)
  }

  @Test func musicIsNotLetInBetweenTwoThatWantSilence() throws {
    let rig = try playing()
    #expect(announce(rig, 1, .pause) == nil && announce(rig, 2, .pause) == nil)
    rig.run { rig.announced.last == "2 ended" }
    #expect(rig.run(to: .playing))
    #expect(rig.states.filter { $0 == .paused }.count == 1)
  }

  @Test(arguments: [PlayerEvent.pause, .standby, .interruptionBegan])
  func whoHoldsTheMusicMeanwhileHoldsItStill(_ event: PlayerEvent) throws {
    let rig = try playing()
    #expect(announce(rig, 1, .pause) == nil)
    #expect(rig.run(to: .paused))
    rig.player.handle(event)
    rig.run { rig.announced.last == "1 ended" }
    rig.run(milliseconds: 500)
    #expect(rig.state.kind == .paused && rig.state.pauseReason != .announcement)
  }

  /// During a fade, also when the announcement is stopped early: the fade resumes at its frame.
  @Test(arguments: [false, true]) func aFadePausesForOne(stops: Bool) throws {
    let rig = try PlayerRig([FakeFile(frames: 60_000), FakeFile(frames: 60_000), Self.bell], queued: 2)
    rig.player.setCrossfade(Seconds(0.8))
    rig.player.start()
    try #require(rig.run(to: .crossfading))
    rig.run(milliseconds: 100)
    #expect(announce(rig, 2, .pause) == nil)
    try #require(rig.run(to: .crossfadePaused))
    #expect(rig.state.pauseReason == .announcement)
    rig.run { !rig.announced.isEmpty }
    if stops { rig.player.stopAnnouncements() }
    #expect(rig.run(to: .crossfading) && rig.run(to: .finished))
    #expect(rig.announced == ["2 began", stops ? "2 stopped" : "2 ended"])
    #expect(rig.began == ["0", "1"] && rig.contradictions.isEmpty)
    #expect(rig.heardRuns.last.map { $0.number == 1 && $0.frames.upperBound == 59_999 } == true)
  }

  // MARK: Failures

  @Test func whatCannotBePlayedCostsItselfOnly() throws {
    var bad = [Self.bell, Self.bell, Self.bell]
    bad[0].opening = .refused(.internal)
    bad[1].opening = .fails(.corrupt)
    let rig = try playing(bad)
    for number in [1, 2, 9, 3] { #expect(announce(rig, number) == nil) }
    expectUnbroken(rig)
    #expect(
      rig.announced.filter { !$0.contains("waits") } == [
        "1 failed internal", "2 failed corrupt", "9 failed missing", "3 began", "3 ended",
      ])
    #expect(rig.errors.isEmpty && rig.player.announcementError == nil)
  }

  @Test func oneThatCrashesIsHeardAsFarAsItGoes() throws {
    var bad = Self.bell
    bad.failure = (5000, .decoderCrashed)
    let rig = try playing([bad])
    rig.player.announcementGain = { _ in .unity }
    rig.player.handle(.pause)
    rig.run(milliseconds: 2000)
    let before = rig.device.heard.count
    #expect(announce(rig, 1) == nil)
    rig.run { rig.announced.count == 2 }
    rig.run(milliseconds: 1000)
    #expect(rig.announced == ["1 began", "1 failed decoderCrashed"])
    #expect(rig.player.announcementError?.kind == .decoderCrashed)
    let heard = rig.device.heard[before...].filter { $0 != 0 }.count
    #expect(heard > 9900 && heard <= 10_000)
  }

  @Test func oneThatNeverIsReadyIsGivenUp() throws {
    var hung = Self.bell
    hung.opening = .waits
    let rig = try playing([hung, Self.bell], music: [FakeFile(frames: 900_000)])
    #expect(announce(rig, 1, .pause) == nil && announce(rig, 2) == nil)
    rig.run(milliseconds: 14_000)
    #expect(rig.announced == ["2 waits"] && rig.state.kind == .playing)
    rig.run { rig.announced.last == "2 ended" }
    #expect(rig.announced.dropFirst() == ["1 failed decoderHung", "2 began", "2 ended"])
  }

  /// The announcement underruns: music is paused or ducked no longer than the timeout.
  @Test(arguments: [false, true]) func oneThatStallsIsGivenUp(hangs: Bool) throws {
    var bad = Self.bell
    bad.stall = 4000
    bad.hangs = hangs
    let rig = try playing([bad], music: [FakeFile(frames: 1_200_000)])
    #expect(announce(rig, 1, .pause) == nil)
    #expect(rig.run(to: .paused))
    rig.run { rig.announced.count > 1 }
    #expect(rig.announced == ["1 began", "1 failed decoderHung"])
    #expect(rig.run(to: .playing) && rig.contradictions.isEmpty)
  }

  @Test func oneThatStallsForAWhileGoesOn() throws {
    var slow = Self.bell
    slow.stall = 4000
    let rig = try playing([slow])
    #expect(announce(rig, 1) == nil)
    rig.run(milliseconds: 800)
    rig.decoders.latest(1)?.release()
    expectUnbroken(rig)
    #expect(rig.announced == ["1 began", "1 ended"])
  }

  // MARK: The card

  @Test(arguments: [0, 3, 30, 120, 400] as [Double]) func aLostCardDropsThem(milliseconds: Double) throws {
    let rig = try playing()
    #expect(announce(rig, 1, .pause) == nil && announce(rig, 2) == nil)
    rig.run(milliseconds: milliseconds)
    rig.device.unplug()
    rig.run(milliseconds: 500)
    #expect(rig.announced.last == "2 dropped" && rig.player.announcements.isEmpty)
    #expect(announce(rig, 1) == .noOutput)
    #expect(rig.state.pauseReason == .outputLost)
    rig.device.plugIn()
    #expect(rig.run(to: .playing))
    let count = rig.announced.count
    #expect(announce(rig, 2) == nil)
    #expect(rig.run(to: .finished) && rig.contradictions.isEmpty)
    #expect(rig.announced.dropFirst(count) == ["2 began", "2 ended"])
    #expect(rig.heardRuns.last?.frames.upperBound == Self.music.frames - 1)
  }

  /// An announcement that is still opening is dropped, however soon the card is back.
  @Test func whatIsStillOpeningWhenTheCardGoesIsNotHeardLater() throws {
    var late = Self.bell
    late.opening = .waits
    let rig = try playing([late])
    #expect(announce(rig, 1) == nil)
    rig.run(milliseconds: 100)
    rig.device.unplug()
    rig.run(milliseconds: 200)
    rig.device.plugIn()
    #expect(rig.run(to: .playing))
    for decoder in rig.decoders.alive { decoder.release() }
    rig.run(milliseconds: 1000)
    #expect(rig.announced == ["1 dropped"] && rig.player.announcements.isEmpty)
  }
}
