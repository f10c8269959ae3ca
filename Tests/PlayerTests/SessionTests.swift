// A session of three stages: each stage loops over its track with fades, the user pauses during fades and
// resumes, and the sleep timer ends it. Checked in the output. Test threads.

import PlaybackModel
import Player
import Testing

@Suite struct SessionTests {
  static let rate = 44_100
  static let loop = 132_300
  static let fade = 0.6

  /// Silences longer than a tenth of a second, in frames, between the first and the last sound.
  static func silences(_ rig: PlayerRig) -> [Int] {
    var found: [Int] = []
    var length = 0
    let heard = rig.device.heard
    let end = heard.lastIndex { $0 != 0 } ?? 0
    let begin = heard.firstIndex { $0 != 0 } ?? 0
    for n in stride(from: begin, to: end, by: 2) {
      if heard[n] == 0 {
        length += 1
      } else {
        if length > rate / 10 { found.append(length) }
        length = 0
      }
    }
    return found
  }

  /// Waits until the current track has faded into itself `count` times.
  static func loops(_ rig: PlayerRig, _ count: Int) {
    for _ in 0..<count {
      #expect(rig.run(to: .crossfading))
      #expect(rig.state.currentTrack?.path == rig.state.nextTrack?.path)
      #expect(rig.run(to: .playing))
    }
  }

  /// Pauses during the next fade of the track into itself, and resumes after two seconds.
  static func pauseInFade(_ rig: PlayerRig, at percent: Int, _ strategy: ResumeStrategy) throws {
    #expect(rig.run(to: .crossfading))
    #expect(rig.run { (rig.player.fadeProgress?.percent ?? 0) >= percent })
    rig.player.handle(.pause)
    rig.run(milliseconds: 300)
    guard case .crossfadePaused(_, _, let resumes, let snapshot, .user) = rig.state else {
      Issue.record("\(rig.state)")
      return
    }
    #expect(resumes == strategy)
    let (from, to) = (snapshot.fromPosition, snapshot.toPosition)
    rig.run(milliseconds: 1_700)
    // No position changes during the pause.
    guard case .crossfadePaused(_, _, _, let later, .user) = rig.state else { return }
    #expect(later.fromPosition == from && later.toPosition == to && later.progress == snapshot.progress)
    rig.player.play()
    #expect(rig.run(to: .playing))
  }

  @Test func threeStages() throws {
    let files = (0..<3).map { _ in FakeFile(frames: Self.loop) }
    let rig = try PlayerRig(files)
    rig.player.setCrossfade(Seconds(Self.fade))
    rig.player.queue.repeatMode = .one
    rig.player.start()

    Self.loops(rig, 2)
    try Self.pauseInFade(rig, at: 20, .continueFromProgress)
    Self.loops(rig, 1)

    rig.player.next()
    #expect(rig.run { rig.state.kind == .playing && rig.state.currentTrack?.path == "1" })
    Self.loops(rig, 1)
    try Self.pauseInFade(rig, at: 55, .quickFinish)
    Self.loops(rig, 1)

    rig.player.next()
    #expect(rig.run { rig.state.kind == .playing && rig.state.currentTrack?.path == "2" })
    Self.loops(rig, 1)
    var settings = rig.player.machine.settings
    settings.sleepFadeLength = Seconds(2)
    rig.player.adopt(settings)
    rig.player.handle(.sleepTimerFired)
    #expect(rig.state.kind == .fadingOut)
    #expect(rig.run(to: .finished))

    // The stages follow each other, and no earlier stage returns.
    let numbers = rig.heardRuns.map(\.number)
    #expect(numbers == numbers.sorted() && Set(numbers) == [0, 1, 2])
    // Each loop plays from the end of its fade-in to the start of its fade-out.
    let fade = Int(Self.fade * Double(Self.rate))
    let whole = rig.heardRuns.filter {
      $0.frames.lowerBound <= fade + 1 && $0.frames.upperBound >= Self.loop - fade - 2
    }
    #expect(whole.count >= 6, "\(rig.heardRuns)")
    // The only silences are the two pauses.
    let silences = Self.silences(rig)
    #expect(silences.count == 2)
    // The card is stopped after a second of silence.
    #expect(silences.allSatisfy { $0 > Self.rate / 2 && $0 < 2 * Self.rate }, "\(silences)")
    #expect(FadeEdgeTests.largestStep(rig) < 0.06)
    #expect(rig.contradictions == [] && rig.errors.isEmpty)
    #expect(rig.decoders.alive.isEmpty)
  }
}
