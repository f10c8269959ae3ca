// Removing the current track from the queue: in every state, by every edit, at once and later. Test threads.

import PlaybackModel
import Player
import Testing

/// The state of the player when its queue is edited.
enum EditedState: CaseIterable {
  case idle, preparing, ready, playing, paused, interrupted, buffering, seeking, automaticFadeAhead,
    manualFadeAhead
  case crossfading, crossfadePaused, fadingOut, finished, failed

  /// Whether music plays or is about to.
  var isActive: Bool {
    switch self {
    case .preparing, .playing, .buffering, .seeking, .automaticFadeAhead, .manualFadeAhead, .crossfading,
      .failed:
      true
    case .idle, .ready, .paused, .interrupted, .crossfadePaused, .fadingOut, .finished: false
    }
  }

  /// Three files for the queue and a fourth that is not queued yet.
  private var files: [FakeFile] {
    var files = [FakeFile](repeating: FakeFile(frames: 220_500), count: 3) + [FakeFile(frames: 250_000)]
    switch self {
    case .preparing: files[0].opening = .waits
    case .buffering: files[0].stall = 30_000
    case .seeking: files[0].seekWaits = true
    case .manualFadeAhead: files[1].opening = .waits
    case .failed: files[0].opening = .fails(.network)
    default: break
    }
    return files
  }

  /// A player in this state. The queue's current entry is the first one; if a fade has begun or was
  /// requested, the second one.
  func rig() throws -> PlayerRig {
    let rig = try PlayerRig(files, queued: 3)
    switch self {
    case .idle: return rig
    case .ready:
      rig.player.cueIfIdle()
      try #require(rig.run(to: .ready))
      return rig
    case .automaticFadeAhead:
      var settings = rig.player.machine.settings
      settings.automaticFadeLength = Seconds(1)
      rig.player.adopt(settings)
    case .manualFadeAhead, .crossfading, .crossfadePaused: rig.player.setCrossfade(Seconds(1))
    default: break
    }
    rig.player.start()
    switch self {
    case .idle, .ready, .preparing: break
    case .playing, .paused, .interrupted, .seeking, .manualFadeAhead, .fadingOut, .finished:
      try #require(rig.run(to: .playing))
      rig.run(milliseconds: 200)
    case .buffering: try #require(rig.run(to: .buffering))
    case .automaticFadeAhead: try #require(rig.run(to: .preparingCrossfade))
    case .crossfading, .crossfadePaused:
      try #require(rig.run(to: .crossfading))
      rig.run(milliseconds: 300)
    case .failed: try #require(rig.run(to: .failed))
    }
    switch self {
    case .paused, .crossfadePaused: rig.player.handle(.pause)
    case .interrupted: rig.player.handle(.interruptionBegan)
    case .seeking: rig.player.handle(.seek(Frames(60_000)))
    case .manualFadeAhead: rig.player.next()
    case .fadingOut, .finished: rig.player.handle(.stop)
    default: break
    }
    if self == .finished { try #require(rig.run(to: .finished)) } else { rig.run(milliseconds: 100) }
    return rig
  }

  /// Whether the second entry is the current one.
  var isOnSecond: Bool { self == .manualFadeAhead || self == .crossfading || self == .crossfadePaused }
}

@Suite struct RemovalTests {
  /// The numbers of the files played from a frame on; −1 for a ramp or a mix.
  private func heard(_ rig: PlayerRig, from frame: Int) -> Set<Int> {
    var numbers: Set<Int> = []
    let heard = rig.device.heard
    for n in stride(from: 2 * frame, to: heard.count - 1, by: 2) where heard[n] != 0 || heard[n + 1] != 0 {
      let number = Int((heard[n] * 64).rounded()) - 1
      let index = Int((heard[n + 1] * 262_144).rounded()) - 1
      numbers.insert(number >= 0 && sample(number, max(0, index)) == (heard[n], heard[n + 1]) ? number : -1)
    }
    return numbers
  }

  private func release(_ rig: PlayerRig) { for decoder in rig.decoders.all { decoder.release() } }

  /// Waits until the ramp of a stop (half a second) and a fade (one second) are over.
  private func settle(_ rig: PlayerRig) -> Int {
    rig.run(milliseconds: 100)
    release(rig)
    rig.run(milliseconds: 1500)
    return rig.device.heard.count / 2
  }

  @Test(arguments: EditedState.allCases, [false, true])
  func whatWasClearedIsNeverHeardAgain(state: EditedState, byRange: Bool) throws {
    let rig = try state.rig()
    if byRange { rig.player.queue.remove(0..<3) } else { rig.player.queue.clear() }
    let quiet = settle(rig)
    // No command and no system event brings a removed track back.
    for event in [
      nil, PlayerEvent.interruptionEnded(shouldResume: true), .wake, .outputRestored, .retry,
    ] {
      if let event { rig.player.handle(event) } else { rig.player.play() }
      rig.run(milliseconds: 400)
      rig.player.toggle()
      rig.run(milliseconds: 400)
    }
    rig.player.next()
    rig.player.previous()
    rig.player.seek(by: Frames(-4000))
    _ = rig.player.seek(toPart: 0.5)
    rig.run(milliseconds: 1000)
    #expect(heard(rig, from: quiet) == [])
    #expect([.idle, .finished].contains(rig.state.kind), "\(rig.state)")
    #expect(rig.decoders.alive.isEmpty)
    #expect(rig.contradictions == [])
  }

  /// Clear, add and play within one turn of the event loop, or in separate turns as MPD clients do.
  @Test(arguments: EditedState.allCases, [0.0, 30, 200, 900])
  func whatReplacesTheQueuePlaysAtOnce(state: EditedState, pause: Double) throws {
    let rig = try state.rig()
    rig.player.queue.clear()
    rig.run(milliseconds: pause)
    try rig.player.queue.add(Track(id: 0, path: "3"))
    rig.run(milliseconds: pause)
    rig.player.play()
    rig.player.handle(.interruptionEnded(shouldResume: true))
    #expect(rig.run { rig.state.kind == .playing && rig.state.currentTrack?.path == "3" })
    let since = settle(rig)
    rig.run(milliseconds: 1000)
    #expect(heard(rig, from: since) == [3])
    #expect(rig.player.queue.current?.path == "3")
    #expect(rig.run(to: .finished))
    #expect(rig.heardRuns.last.map { $0.number == 3 && $0.frames.upperBound == 249_999 } == true)
    #expect(rig.contradictions == [])
  }

  /// With a manual fade the new track fades in over the old one, also at the start of the ramp that `clear`
  /// triggers.
  @Test(arguments: [0.0, 5]) func whatReplacesTheQueueFadesInWhereSkipsFade(pause: Double) throws {
    let rig = try EditedState.playing.rig()
    rig.player.setCrossfade(Seconds(1))
    rig.player.queue.clear()
    rig.run(milliseconds: pause)
    #expect(rig.state.kind == .fadingOut)
    try rig.player.queue.add(Track(id: 0, path: "3"))
    rig.player.play()
    #expect(rig.run(to: .crossfading))
    #expect(rig.state.nextTrack?.path == "3")
    #expect(rig.run(to: .playing))
    #expect(rig.state.currentTrack?.path == "3")
    #expect(rig.contradictions == [])
  }

  /// With manual fades, a skip during the ramp of the removal, where the next track takes 300 ms to open.
  @Test(arguments: [0.0, 5, 15, 30, 200, 400], [false, true])
  func aRemovedTrackGetsNoLouderAgain(pause: Double, byNext: Bool) throws {
    var files = [FakeFile](repeating: FakeFile(frames: 220_500), count: 4)
    files[3].opening = .waits
    let rig = try PlayerRig(files, queued: 1)
    rig.player.setCrossfade(Seconds(1))
    rig.player.start()
    try #require(rig.run(to: .playing))
    rig.run(milliseconds: 200)
    let removal = rig.device.heard.count
    rig.player.queue.clear()
    rig.run(milliseconds: pause)
    #expect(rig.state.kind == .fadingOut)
    try rig.player.queue.add(Track(id: 0, path: "3"))
    if byNext { rig.player.next() } else { rig.player.play() }
    rig.run(milliseconds: 300)
    // The left channel of a file has the same sample in each frame: its level.
    let levels = stride(from: removal, to: rig.device.heard.count, by: 2).map { rig.device.heard[$0] * 64 }
    var (lowest, rise) = (Float(1), Float(0))
    for level in levels { (lowest, rise) = (min(lowest, level), max(rise, level - lowest)) }
    // At the start of the ramp the track still fades, from its full level.
    #expect(levels.first.map { $0 > 0.99 } == true && rise < (pause < 10 ? 0.02 : 1e-4), "\(rise)")
    #expect(levels.last == (pause < 10 ? levels.first : 0))
    release(rig)
    #expect(rig.run(to: .finished))
    #expect(rig.heardRuns.last.map { $0.number == 3 && $0.frames.upperBound == 220_499 } == true)
    #expect(rig.contradictions == [])
  }

  /// The next track plays, or is cued if the player was silent.
  @Test(arguments: EditedState.allCases) func theNextTrackTakesTheCurrentOnesPlace(state: EditedState) throws
  {
    let rig = try state.rig()
    let removed = state.isOnSecond ? 1 : 0
    try rig.player.queue.remove(rig.player.queue.tracks[removed].id)
    let since = settle(rig)
    rig.run(milliseconds: 500)
    let following = removed + 1
    switch state {
    case .idle: #expect(rig.state.kind == .idle)
    case .interrupted:
      #expect(rig.state.pauseReason == .interruption && rig.state.currentTrack?.path == "\(following)")
      rig.player.handle(.interruptionEnded(shouldResume: true))
    case _ where state.isActive: #expect(heard(rig, from: since).contains(following))
    default:
      #expect(heard(rig, from: since) == [])
      #expect(rig.state == .ready(track: try #require(rig.state.currentTrack), position: .zero))
      #expect(rig.state.currentTrack?.path == "\(following)")
    }
    rig.player.play()
    rig.run(milliseconds: 500)
    #expect(rig.player.queue.current?.path == "\(following)")
    #expect(rig.run(to: .finished))
    // Each remaining track plays to its end, once.
    #expect(heard(rig, from: since).isDisjoint(with: [removed]))
    #expect(rig.heardRuns.last.map { $0.number == 2 && $0.frames.upperBound == 220_499 } == true)
    #expect(rig.contradictions == [])
  }

  /// Without a next track the player stops.
  @Test(arguments: EditedState.allCases) func removingTheLastTrackStops(state: EditedState) throws {
    let rig = try state.rig()
    rig.player.queue.removeUpcoming()
    let current = state.isOnSecond ? 1 : 0
    if rig.player.queue.tracks.indices.contains(current) {
      try rig.player.queue.remove(rig.player.queue.tracks[current].id)
    }
    let quiet = settle(rig)
    rig.run(milliseconds: 1000)
    #expect(heard(rig, from: quiet) == [])
    #expect([.idle, .finished].contains(rig.state.kind), "\(rig.state)")
    #expect(rig.contradictions == [])
  }

  /// An insertion before the current track does not affect playback.
  @Test(arguments: EditedState.allCases) func anInsertBeforeTheCurrentTrackChangesNothing(state: EditedState)
    throws
  {
    let rig = try state.rig()
    let before = (rig.state.kind, rig.state.heardTrack?.id)
    if state == .ready { rig.player.play() }
    try rig.player.queue.insert(Track(id: 0, path: "3"), at: rig.player.queue.currentIndex ?? 0)
    if state == .idle || state == .ready {
      #expect(rig.player.queue.count == 4)
      return
    }
    #expect(rig.state.kind == before.0 && rig.state.heardTrack?.id == before.1)
    release(rig)
    if !state.isActive { rig.player.play() }
    rig.run(milliseconds: 200)
    rig.player.handle(.interruptionEnded(shouldResume: true))
    #expect(rig.run(to: .finished))
    #expect(rig.heardRuns.last.map { $0.number == 2 && $0.frames.upperBound == 220_499 } == true)
    #expect(!rig.heardRuns.contains { $0.number == 3 })
    #expect(rig.contradictions == [])
  }

  /// The outgoing track of a held fade does not return when the fade continues.
  enum Press: CaseIterable {
    case none, pause, toggle, interruption, standby, lossOfOutput, seek, previous

    func perform(_ player: Player) {
      switch self {
      case .none: break
      case .pause: player.handle(.pause)
      case .toggle: player.toggle()
      case .interruption: player.handle(.interruptionBegan)
      case .standby: player.handle(.standby)
      case .lossOfOutput: player.handle(.outputLost)
      case .seek: player.handle(.seek(Frames(60_000)))
      case .previous: player.previous()
      }
    }
  }

  /// Until the next track is ready, the removed one stays audible. During that time, no command and no power
  /// cut skips the next track.
  @Test(arguments: Press.allCases) func aPressBeforeTheNextTrackIsReadyMeansThatOne(press: Press) throws {
    let rig = try EditedState.playing.rig()
    rig.decoders.files[1].opening = .waits
    rig.player.setCrossfade(Seconds(1))
    // After the first three seconds `previous` restarts the track.
    rig.run(milliseconds: 3500)
    rig.player.queue.remove(0..<1)
    try #require(rig.state.kind == .preparingCrossfade)
    #expect(rig.player.lasting.state.currentTrack?.path == "1")
    press.perform(rig.player)
    #expect(rig.player.queue.current?.path == "1")
    #expect(rig.player.lasting.state.currentTrack?.path == "1")
    if press != .none { #expect(rig.state.currentTrack?.path == "1") }
    release(rig)
    for event in [
      PlayerEvent.outputRestored, .interruptionEnded(shouldResume: true), .wake, .play,
    ] { rig.player.handle(event) }
    #expect(rig.run { rig.state.kind == .playing && rig.state.currentTrack?.path == "1" })
    #expect(rig.contradictions == [])
  }

  @Test func theOutgoingTrackOfAHeldFadeIsGoneWhenItIsRemoved() throws {
    let rig = try EditedState.crossfadePaused.rig()
    rig.run(milliseconds: 500)
    try rig.player.queue.remove(rig.player.queue.tracks[0].id)
    #expect(rig.state.kind == .paused && rig.state.currentTrack?.path == "1")
    let since = rig.device.heard.count / 2
    rig.player.play()
    rig.run(milliseconds: 1500)
    // After the ramp, only the second track plays.
    #expect(heard(rig, from: since + 22_050) == [1])
    #expect(rig.contradictions == [])
  }

  /// A fade whose incoming track fails does not return to an outgoing track that was removed.
  @Test func aFadeDoesNotGoBackToARemovedTrack() throws {
    let rig = try EditedState.crossfading.rig()
    try rig.player.queue.remove(rig.player.queue.tracks[0].id)
    #expect(rig.state.kind == .crossfading)
    rig.player.handle(.didFailNext(PlaybackError(.corrupt)))
    let since = settle(rig)
    rig.run(milliseconds: 500)
    #expect(heard(rig, from: since) == [2])
  }

  /// If the end of the queue clears it, the last track is over and is not restored.
  @Test func aQueueThatEmptiesItselfIsOver() throws {
    let rig = try PlayerRig([FakeFile(), FakeFile(frames: 50_000)], queued: 1)
    rig.player.queue.endOfQueue = .stopAndClear
    rig.player.start()
    #expect(rig.run(to: .finished))
    #expect(rig.player.queue.isEmpty)
    let quiet = rig.device.heard.count / 2
    rig.player.play()
    rig.player.toggle()
    rig.player.seek(to: Frames(500))
    rig.run(milliseconds: 500)
    #expect(heard(rig, from: quiet) == [] && rig.state.kind == .finished)
    try rig.player.queue.add(Track(id: 0, path: "1"))
    #expect(
      rig.run { rig.state == .ready(track: rig.player.queue.tracks[0], position: .zero) }
        || rig.state.kind == .ready)
    rig.player.play()
    #expect(rig.run(to: .playing))
    #expect(rig.state.currentTrack?.path == "1")
  }

  /// A removal during the sleep timer's long fade-out ends the track quickly.
  @Test(arguments: [false, true]) func aRemovalCutsTheSleepTimersRampShort(clears: Bool) throws {
    let rig = try EditedState.playing.rig()
    rig.player.handle(.sleepTimerFired)
    rig.run(milliseconds: 500)
    if clears { rig.player.queue.clear() } else { try rig.player.queue.remove(rig.player.queue.tracks[0].id) }
    rig.run(milliseconds: 300)
    let quiet = rig.device.heard.count / 2
    rig.run(milliseconds: 1000)
    #expect(heard(rig, from: quiet) == [])
    #expect(rig.state.kind == (clears ? .finished : .ready))
  }
}
