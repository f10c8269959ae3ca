// Commands at random moments, lost cards and power cuts: the player's state stays consistent and shuts down
// cleanly. Test threads.

import PlaybackModel
import Player
import Testing

@Suite struct StormTests {
  @Test(arguments: Array(1...40)) func stormsOfRequestsEndInOrder(seed: Int) throws {
    var random = Storm(state: UInt64(seed))
    var files = (0..<6).map { _ in FakeFile(frames: 8_000 + Int(random.next() % 20_000)) }
    files[2].opening = .fails(.corrupt)
    files[4].failure = (at: 6_000, kind: .decoderCrashed)
    files[5].stall = 5_000
    let rig = try PlayerRig(files)
    rig.player.queue.repeatMode = .all
    if seed % 2 == 0 { rig.player.setCrossfade(Seconds(0.1)) }
    rig.player.start()
    for _ in 0..<150 {
      switch random.next() % 12 {
      case 0: rig.player.handle(.pause)
      case 1, 2: rig.player.play()
      case 3: rig.player.toggle()
      case 4, 5: rig.player.next()
      case 6: rig.player.previous()
      case 7, 8:
        rig.player.handle(
          .seek(rig.player.machine.settings.rate.frames(Seconds(Double(random.next() % 700) / 1000))))
      case 9: rig.player.seek(by: rig.player.machine.settings.rate.frames(Seconds(-0.1)))
      case 10: rig.player.handle(.finishFade)
      default: for decoder in rig.decoders.alive { decoder.release() }
      }
      random.pause(rig)
      #expect(rig.state.isValid, "\(rig.state)")
      #expect(rig.decoders.alive.count <= 2)
      try #require(rig.contradictions.isEmpty)
      if let current = rig.state.currentTrack, rig.state.kind != .failed {
        let isKnown = rig.player.queue.current.map { $0.id == current.id } ?? true
        #expect(isKnown || rig.state.nextTrack != nil, "\(rig.state)")
      }
    }
    rig.player.handle(.stop)
    rig.player.handle(.stop)
    rig.run(milliseconds: 1500)
    #expect([.idle, .finished, .failed].contains(rig.state.kind), "\(rig.state.kind)")
    #expect(rig.decoders.alive.isEmpty)
  }

  /// A box creates a new player for each new card; all share its event loop.
  @Test func aPlayerThatHasEndedLeavesNothingBehind() throws {
    var rig: PlayerRig? = try PlayerRig([FakeFile(), FakeFile()])
    weak let player = rig?.player
    rig?.player.start()
    #expect(rig?.run { rig?.decoders.alive.count == 2 } == true)
    rig = nil
    #expect(player == nil)
  }

  /// Like `stormsOfRequestsEndInOrder`, with power cuts and lost cards.
  @Test(arguments: Array(1...120)) func stormsOverRestartsEndInOrder(seed: Int) throws {
    var random = Storm(state: UInt64(seed))
    var files = (0..<5).map { _ in FakeFile(frames: 60_000 + Int(random.next() % 20_000)) }
    if seed % 4 == 0 { files[3].opening = .waits }
    if seed % 4 == 1 { files[2].stall = 5_000 }
    func settle(_ rig: PlayerRig) {
      rig.player.queue.repeatMode = .all
      if seed % 3 != 0 { rig.player.setCrossfade(Seconds(0.6)) }
    }
    var rig = try PlayerRig(files)
    settle(rig)
    rig.player.start()
    for _ in 0..<100 {
      switch random.next() % 12 {
      case 0: rig.player.handle(.pause)
      case 1: rig.player.play()
      case 2: rig.player.toggle()
      case 3, 4: rig.player.next()
      case 5: rig.player.previous()
      case 6:
        rig.player.handle(
          .seek(rig.player.machine.settings.rate.frames(Seconds(Double(random.next() % 2500) / 1000))))
      case 7:
        let tracks = rig.player.queue.tracks
        let track = tracks[Int(random.next()) % tracks.count]
        rig.player.handle(.skip(to: track))
      case 8:
        let tracks = rig.player.queue.tracks
        try rig.player.queue.move(tracks[Int(random.next()) % tracks.count].id, to: 1)
      case 9: if random.next() % 2 == 0 { rig.device.unplug() } else { rig.device.plugIn() }
      case 10: for decoder in rig.decoders.alive { decoder.release() }
      default:
        rig = try rig.afterPulledPlug(settle)
      }
      random.pause(rig)
      #expect(rig.state.isValid, "\(rig.state)")
      try #require(rig.contradictions.isEmpty)
    }
  }
}

/// A deterministic random number generator (Marsaglia's xorshift64).
struct Storm {
  var state: UInt64

  mutating func next() -> UInt64 {
    state = state &* 0x9E37_79B9_7F4A_7C15 | 1
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return state >> 11
  }

  /// Waits for a random time: often zero, sometimes at most the length of a ramp, sometimes longer.
  mutating func pause(_ rig: PlayerRig) {
    switch next() % 3 {
    case 0: break
    case 1: rig.run(milliseconds: Double(next() % 12))
    default: rig.run(milliseconds: Double(next() % 400))
    }
  }
}
