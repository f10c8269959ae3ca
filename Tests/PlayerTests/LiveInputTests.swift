// Live sources, and music that is paused for them and resumes at its frame, also during a fade; the user's
// play and pause. Test threads.

import PlaybackModel
import Player
import RealtimeAudio
import Testing

@Suite struct LiveInputTests {
  static let music = FakeFile(frames: 200_000)
  static let delay = Frames(11_025)

  private final class Told { var outcomes: [String] = [] }

  private func playing(_ files: [FakeFile] = [music]) throws -> (PlayerRig, Told) {
    let rig = try PlayerRig(files)
    let told = Told()
    rig.player.onLiveInput = { told.outcomes.append("\($0) \($1)") }
    rig.player.start()
    try #require(rig.run(to: .playing))
    rig.run(milliseconds: 300)
    return (rig, told)
  }

  /// A silent source that sends many frames, so that every frame of the music can be recognized.
  private func sound(_ name: String = "radio", frames: Int = 110_000, sample: Float = 0) -> LiveSound {
    LiveSound(name, FakeReceiver(frames: frames, sample: sample), from: 0, delay: Frames(100_000))
  }

  @Test func musicStandsStillAndGoesOnWithItsFrame() throws {
    let (rig, told) = try playing()
    #expect(rig.player.host(sound()))
    #expect(rig.run { rig.state.pauseReason == .liveInput })
    rig.run(milliseconds: 700)
    #expect(rig.player.liveInputName == "radio")
    rig.player.endLiveInput(.ended)
    #expect(rig.run(to: .playing) && rig.player.liveInputName == nil)
    #expect(rig.run(to: .finished))
    #expect(told.outcomes == ["radio began", "radio ended"])
    // Each frame plays once: only the two ramps are between two runs. The fade-out starts at full gain.
    let runs = rig.heardRuns
    let ramps = 2 * Int(rig.player.machine.settings.pauseFrames.count)
    #expect(runs.count == 2 && runs[1].frames.lowerBound - runs[0].frames.upperBound == ramps, "\(runs)")
    #expect(rig.contradictions.isEmpty)
  }

  /// Runs of the outgoing track's frames during a linear fade at full gain, with their positions in the
  /// output. `offset` is the difference between the frame numbers of the two tracks.
  private func fadeRuns(_ rig: PlayerRig, from start: Int, offset: Int) -> [(
    place: Int, frames: ClosedRange<Int>
  )] {
    var runs: [(place: Int, frames: ClosedRange<Int>)] = []
    for place in start..<rig.device.heard.count / 2 {
      let (left, right) = (Double(rig.device.heard[2 * place]), Double(rig.device.heard[2 * place + 1]))
      let share = left * 64 - 1
      guard share > 0.001, share < 0.999 else { continue }
      let exact = right * 262_144 - 1 + share * Double(offset)
      let frame = Int(exact.rounded())
      guard abs(exact - exact.rounded()) < 0.2 else { continue }
      if let last = runs.last, last.frames.upperBound + 1 == frame, last.place + last.frames.count == place {
        runs[runs.count - 1].frames = last.frames.lowerBound...frame
      } else {
        runs.append((place, frame...frame))
      }
    }
    // During a ramp a frame may match another one by chance.
    return runs.filter { $0.frames.count > 1000 }
  }

  /// Twenty interruptions at different points of a fade: the music resumes with the frame after the last one
  /// played.
  @Test(arguments: 1...20) func aTakeOverInMidFadeLosesNoFrame(point: Int) throws {
    let (rig, told) = try playing([Self.music, Self.music])
    var settings = rig.player.machine.settings
    (settings.manualFadeLength, settings.fadesManually, settings.curve) = (Seconds(2), true, .linear)
    settings.pauseRamp = Seconds(0.02)
    rig.player.adopt(settings)
    let before = rig.device.heard.count / 2
    rig.player.next()
    try #require(rig.run(to: .crossfading))
    rig.run(milliseconds: Double(point) * 85)
    try #require(rig.state.kind == .crossfading)
    #expect(rig.player.host(sound()))
    #expect(rig.run { rig.state.pauseReason == .liveInput && rig.state.kind == .crossfadePaused })
    rig.run(milliseconds: 400)
    rig.player.endLiveInput(.ended)
    #expect(rig.run(to: .crossfading))
    #expect(rig.run(to: .playing))
    rig.run(milliseconds: 200)
    // Searches for the outgoing track's frame at which the fade started.
    let last = try #require(rig.heardRuns.first { $0.number == 0 }).frames.upperBound
    let ramps = 2 * Int(settings.pauseFrames.count)
    let found = (last - 3...last + 3).map { fadeRuns(rig, from: before, offset: $0) }
    let isOnItsFrame = found.contains { runs in
      runs.count == 2 && runs.reduce(0) { $0 + $1.frames.count } > 80_000
        && runs[1].frames.lowerBound - runs[0].frames.upperBound == ramps
        && runs[1].place - runs[0].place - runs[0].frames.count > ramps + 10_000
    }
    #expect(isOnItsFrame, "\(found)")
    #expect(told.outcomes == ["radio began", "radio ended"] && rig.contradictions.isEmpty)
  }

  @Test(arguments: [PlayerEvent.play, .toggle]) func playGoesBackToTheMusic(event: PlayerEvent) throws {
    let (rig, told) = try playing()
    let receiver = FakeReceiver(frames: 110_000)
    #expect(rig.player.host(LiveSound("radio", receiver, from: 0, delay: Frames(100_000))))
    #expect(rig.run { rig.state.pauseReason == .liveInput })
    rig.run(milliseconds: 600)
    rig.player.handle(event)
    #expect(rig.player.liveInputName == nil && told.outcomes.last == "radio dismissed")
    #expect(rig.run(to: .finished))
    #expect(rig.heardRuns.count == 2 && rig.contradictions.isEmpty)
  }

  @Test(arguments: [PlayerEvent.pause, .standby, .interruptionBegan, .sleepTimerFired])
  func whoWantsSilenceHasIt(event: PlayerEvent) throws {
    let (rig, told) = try playing()
    #expect(rig.player.host(sound(frames: 110_000, sample: -0.25)))
    rig.run(milliseconds: 500)
    #expect(rig.device.heard.last == -0.25)
    rig.player.handle(event)
    rig.run(milliseconds: 500)
    #expect(rig.device.heard.suffix(1000).allSatisfy { $0 == 0 })
    #expect(told.outcomes.last == "radio dismissed" && !rig.state.isActive)
    #expect(rig.state.pauseReason != .liveInput)
  }

  /// Paused music stays paused after the source has ended.
  @Test func aPersonsPauseOutlastsIt() throws {
    let (rig, _) = try playing()
    rig.player.handle(.pause)
    rig.run(milliseconds: 500)
    #expect(rig.player.host(sound(sample: -0.25)))
    rig.run(milliseconds: 600)
    #expect(rig.state.pauseReason == .user && rig.device.heard.last == -0.25)
    rig.player.endLiveInput(.ended)
    rig.run(milliseconds: 600)
    #expect(rig.state.pauseReason == .user && rig.device.heard.last == 0)
  }

  /// A source replaces another one, which is released first; the music's position is unchanged.
  @Test func theNextOneTakesItsPlace() throws {
    let (rig, told) = try playing()
    #expect(rig.player.host(sound("a", sample: -0.25)))
    rig.run(milliseconds: 500)
    #expect(rig.player.host(sound("b", sample: -0.5)))
    rig.run(milliseconds: 500)
    #expect(rig.device.heard.last == -0.5 && rig.player.liveInputName == "b")
    #expect(told.outcomes == ["a began", "a displaced", "b began"])
    #expect(rig.state.pauseReason == .liveInput)
    rig.player.endLiveInput(.ended)
    #expect(rig.run(to: .finished) && rig.contradictions.isEmpty)
    #expect(rig.heardRuns.count == 2)
  }

  /// Playback starts at the source's delay, however long its ring has been filling, and the mixer retains the
  /// ring after the source has ended.
  @Test func itBeginsAtItsDelayAndItsRingIsKept() throws {
    let (rig, _) = try playing()
    var isGone = false
    do {
      let receiver = FakeReceiver(frames: 60_000, sample: -0.25)
      receiver.onEnd = { isGone = true }
      #expect(rig.player.host(LiveSound("radio", receiver, from: 0, delay: Self.delay)))
    }
    rig.run(milliseconds: 240)
    #expect(rig.device.heard.last.map { $0 < 0 } == true)
    // The frames within the delay have played by then; older frames in the ring were skipped.
    rig.run(milliseconds: 100)
    #expect(rig.device.heard.last == 0 && !isGone)
    rig.player.endLiveInput(.ended)
    rig.run(milliseconds: 300)
    #expect(isGone)
  }

  @Test func withoutAnOutputNothingIsHosted() throws {
    let (rig, told) = try playing()
    rig.player.handle(.outputLost)
    #expect(!rig.player.host(sound()) && told.outcomes.isEmpty)
  }
}
