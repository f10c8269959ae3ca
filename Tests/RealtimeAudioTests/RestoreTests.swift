// Rendering again after a rewind gives the same output, which the deep buffer relies on. Test threads.
import AudioRing
import PlaybackModel
import RealtimeAudio
import Testing

/// A random script, rendered without and with rewinds.
struct RandomScript {
  var commands: [(frame: Int, command: MixerCommand)] = []
  let length: Int
  let rings: [RingBox]

  static let rate = 8000

  init(_ random: inout ShuffleGenerator, rings: [RingBox]) {
    self.rings = rings
    length = Int.random(in: 3000...9000, using: &random)
    var frame = 0
    commands.append((0, attach(.a, &random)))
    commands.append((0, .start(.a, ramp: Frames(Int64.random(in: 0...80, using: &random)))))
    commands.append((0, attach(.b, &random)))
    while frame < length {
      for _ in 0..<Int.random(in: 1...3, using: &random) { commands.append((frame, any(&random))) }
      frame += Int.random(in: 1...900, using: &random)
    }
  }

  private func attach(_ deck: Deck, _ random: inout ShuffleGenerator) -> MixerCommand {
    let ring = rings.randomElement(using: &random)!
    return .attach(
      deck, ring.reader, index: UInt64.random(in: 0...UInt64(ring.writeIndex), using: &random),
      trackGain: [.unity, .unity, Gain(0.7), Gain(1.9)].randomElement(using: &random)!,
      isBeginning: Bool.random(using: &random))
  }

  private func announcement(_ random: inout ShuffleGenerator) -> MixerCommand {
    let id = UInt32.random(in: 1...3, using: &random)
    switch Int.random(in: 0..<5, using: &random) {
    case 0: return .endAnnouncement(id, ramp: Frames(Int64.random(in: 0...900, using: &random)))
    case 1: return .setAnnouncementGain(Gain(Float.random(in: 0...1, using: &random)), ramp: Frames(200))
    case 2: return .softenAnnouncement(id)
    default:
      let ring = rings.randomElement(using: &random)!
      return .announce(
        id, ring.reader, index: UInt64.random(in: 0...UInt64(ring.writeIndex), using: &random),
        gain: Gain(Float.random(in: 0...1, using: &random)),
        duck: Gain([0, 0.1, 0.5, 1].randomElement(using: &random)!))
    }
  }

  private func any(_ random: inout ShuffleGenerator) -> MixerCommand {
    let deck = Deck.allCases.randomElement(using: &random)!
    let ramp = Frames([0, 1, 64, 400, 1600].randomElement(using: &random)!)
    let fade = Fade(
      length: Frames([0, 1, 500, 3000].randomElement(using: &random)!),
      curve: FadeCurve.allCases.randomElement(using: &random)!)
    let index = UInt64.random(in: 0...6000, using: &random)
    let ends = FadeEnds(
      from: [RingLayout.noEnd, 3000, 6000].randomElement(using: &random)!,
      to: [RingLayout.noEnd, 500, 5000].randomElement(using: &random)!)
    switch Int.random(in: 0..<35, using: &random) {
    case 0, 1: return attach(deck, &random)
    case 2, 3, 4: return .start(deck, ramp: ramp)
    case 5: return .stop(deck, ramp: ramp)
    case 6: return .release(deck, ramp: ramp)
    case 7: return .cue(deck, index: index)
    case 8: return .closeGate(.pause, ramp: ramp)
    case 9: return .closeGate(.finish, ramp: ramp)
    case 10, 11, 12: return .openGate(ramp: ramp)
    case 13: return .join(.gapless(from: deck, to: deck.other))
    case 14: return .join(.crossfade(from: deck, to: deck.other, at: index, fade, ends: ends))
    case 15: return .join(.none)
    case 16, 17: return .fadeNow(from: deck, to: deck.other, fade, ends: ends)
    case 18:
      return .restoreFade(from: deck, to: deck.other, fade, at: Frames(min(200, fade.length.count)))
    case 19: return .quickFinish(over: ramp)
    case 20: return .collapse(onto: deck, ramp: ramp)
    case 21: return .clear(keeping: [nil, deck].randomElement(using: &random)!, ramp: ramp)
    case 22: return Bool.random(using: &random) ? .rampIn(ramp) : .setMono(Bool.random(using: &random))
    case 23, 24:
      return .playCue(
        .builtIn(CueName.allCases.randomElement(using: &random)!),
        gain: Gain(Float.random(in: 0...1, using: &random)))
    case 25: return Bool.random(using: &random) ? .softenEnd(deck) : .endWhereDry(deck)
    case 29, 30, 31: return announcement(&random)
    case 32, 33, 34: return liveInput(&random)
    case 26, 27:
      // A small selection, so that filters are also removed, and sometimes all of them.
      let filter = SpeakerFilterTests.bands.randomElement(using: &random)!
      let biquad = Bool.random(using: &random) ? filter.filter(at: SampleRate(Self.rate)) : .unity
      return .setFilter(Int.random(in: 1...2, using: &random), biquad)
    default: return .setVolume(Gain(Float.random(in: 0...1.2, using: &random)), ramp: ramp)
    }
  }
}

@Suite struct RestoreTests {
  /// Noise that needs dither and limiting, exact frames, and short tracks.
  static let rings: [RingBox] = [
    RingBox(track: 6000, coded), RingBox(track: 300, coded),
    RingBox(track: 5000, noise(seed: 1, amplitude: 0.9)), RingBox(track: 40, noise(seed: 2)),
    RingBox(track: 4000, sine(440, amplitude: 0.99, rate: RandomScript.rate)), dry,
  ]

  private static let dry = RingBox(withoutEnd: 3000, coded)

  private func straight(_ script: RandomScript, _ format: SampleFormat, _ channels: Int) -> Rig {
    let rig = Rig(format, channels: channels, rate: RandomScript.rate)
    for (frame, command) in script.commands { rig.send(command, at: frame) }
    var left = script.length
    while left > 0 {
      rig.append(min(left, 1000))
      rig.collect()
      left -= 1000
    }
    rig.mixer.settle()
    return rig
  }

  private func withRewinds(
    _ script: RandomScript, _ format: SampleFormat, _ channels: Int, _ random: inout ShuffleGenerator
  ) -> Rig {
    let rig = Rig(format, channels: channels, rate: RandomScript.rate)
    let window = RandomScript.rate / 2
    var pending = script.commands[...]
    var heard = 0
    func sendDue() {
      while let next = pending.first, next.frame == rig.frame {
        pending.removeFirst()
        rig.send(next.command, at: next.frame)
      }
    }
    sendDue()
    while rig.frame < script.length || !pending.isEmpty {
      rig.append(Int.random(in: 1...1500, using: &random))
      // The command was unknown when its frame was rendered: rewind and apply it together with earlier ones.
      if let next = pending.first, rig.frame >= next.frame {
        precondition(rig.restore(to: next.frame))
        sendDue()
      } else if Int.random(in: 0..<3, using: &random) == 0 {
        let lowest = max(heard, rig.frame - window)
        precondition(rig.restore(to: Int.random(in: lowest...rig.frame, using: &random)))
      }
      if Int.random(in: 0..<8, using: &random) == 0, rig.frame <= script.length,
        pending.first?.frame != rig.frame
      {
        rig.mixer.settle()
        heard = rig.frame
      } else {
        heard = max(heard, min(rig.frame, script.length) - window)
      }
      rig.collect(upTo: heard - 1)
      rig.mixer.forget(before: Frames(Int64(heard)))
    }
    if rig.frame > script.length { precondition(rig.restore(to: script.length)) }
    rig.mixer.settle()
    return rig
  }

  /// Releases are reported after their frame; the number of events before them depends on the polling.
  private static func releasesLast(_ names: [String]) -> [String] {
    names.filter { !$0.contains("released") } + names.filter { $0.contains("released") }
  }

  @Test(arguments: 0..<16)
  func rewoundRenderingEqualsStraightRendering(lane: Int) {
    let formats: [(SampleFormat, Int)] = [
      (.s16, 2), (.s24, 2), (.s24Packed, 2), (.s32, 2), (.float32, 2), (.s16, 1), (.float32, 1),
    ]
    for step in 0..<randomCases / 16 {
      let seed = UInt64(lane * 1_000_000 + step)
      var random = ShuffleGenerator(seed: seed)
      let script = RandomScript(&random, rings: Self.rings)
      let (format, channels) = formats.randomElement(using: &random)!
      let expected = straight(script, format, channels)
      let rig = withRewinds(script, format, channels, &random)
      if rig.bytes != expected.bytes {
        let at = zip(rig.bytes, expected.bytes).enumerated().first { $0.element.0 != $0.element.1 }
        Issue.record("seed \(seed), \(format): differs at frame \((at?.offset ?? -1) / rig.frameBytes)")
        return
      }
      let names = Self.releasesLast(expected.eventNames)
      let rewound = Self.releasesLast(rig.eventNames)
      if rewound != names {
        let at = zip(rewound, names).first { $0 != $1 }
        Issue.record("seed \(seed): events differ: \(at.map { "\($0)" } ?? "number")")
        return
      }
    }
  }

  /// A writer may have started to fill released space, so the release cannot be undone.
  @Test(arguments: [1, 100, 352, 700])
  func whatWasLetGoOfStaysSo(ramp: Int64) {
    let rig = Rig()
    let ring = RingBox(coded)
    ring.write(100_000)
    rig.play(.a, ring)
    rig.render(40_100)
    var latest: UInt64 = 0
    var next = rig.frame
    for round in 0..<20 {
      rig.send(.stop(.a, ramp: Frames(ramp)))
      rig.append(37 * round + 360)
      rig.send(.start(.a, ramp: Frames(ramp)))
      rig.append(500 + 91 * round)
      for frame in next...rig.frame {
        rig.mixer.forget(before: Frames(Int64(frame)))
        let now = ring.retainIndex
        #expect(now >= latest, "round \(round), frame \(frame)")
        latest = max(latest, now)
      }
      next = rig.frame
    }
    #expect(latest > 18_000)
  }

  /// The ring's memory may be freed once its release is reported: no rewind reads it afterwards.
  @Test(arguments: [0, 1, 352, 700], Array(stride(from: 5000, to: 5600, by: 37)))
  func aRingThatWasLetGoOfIsNotReadAgain(ramp: Int64, from start: Int) throws {
    let rig = Rig()
    let ring = RingBox(track: 20_000, coded)
    rig.play(.a, ring)
    rig.play(.b, RingBox(track: 20_000, coded))
    rig.append(start)
    rig.send(.release(.a, ramp: Frames(ramp)))
    rig.append(5000)
    let expected = rig.bytes
    let heard = (start...start + 4000).first { heard in
      rig.collect(upTo: heard - 1)
      return rig.hasTold("released")
    }
    let told = try #require(heard)
    ring.spoil()
    #expect(rig.restore(to: told))
    rig.append(start + 5000 - told)
    let isSame = rig.bytes == expected
    #expect(isSame, "told at \(told)")
  }

  /// A release is reported at the end of its quantum; events before that are reported when they are played.
  @Test(arguments: [0, 400]) func whatFollowsAReleaseIsToldBeforeIt(ramp: Int64) throws {
    let rig = Rig()
    rig.play(.a, RingBox(track: 20_000, coded))
    rig.append(4200)
    rig.send(.release(.a, ramp: Frames(ramp)))
    rig.append(500)
    rig.play(.b, RingBox(track: 300, coded))
    let gate = rig.send(.closeGate(.pause, ramp: Frames(800)))
    rig.append(2000)
    rig.collect(upTo: 4700)
    #expect(rig.events.last?.event.words == "applied(id: \(gate))")
    #expect(!rig.hasTold("released"))
    rig.collect(upTo: 5000)
    #expect(rig.events.last?.event.words == "deckEnded(b)" && !rig.hasTold("released"))
    // After a rewind no event is reported twice, and the release is still pending.
    #expect(rig.restore(to: 5100))
    rig.append(1600)
    let quantum = 2048
    rig.collect(upTo: 3 * quantum - 2)
    #expect(rig.events.last?.event.words == "paused" && !rig.hasTold("released"))
    rig.collect(upTo: 3 * quantum - 1)
    #expect(rig.events.last?.event.words == "released(a)")
    #expect(rig.news == ["deckEnded(b)", "paused", "released(a)"])
    #expect(rig.mixer.nextEventFrame == nil)
  }

  /// At rest no rewind is possible, so a release is reported at once and the next track does not wait.
  @Test func aRingThatIsLetGoOfAtRestIsToldOfAtOnce() {
    let rig = Rig()
    rig.play(.a, RingBox(track: 20_000, coded))
    rig.append(5000)
    rig.send(.closeGate(.pause, ramp: .zero))
    rig.append(100)
    rig.send(.release(.a, ramp: .zero))
    rig.mixer.settle()
    rig.collect(upTo: rig.frame)
    #expect(rig.hasTold("released"))
  }

  @Test func whatWasHeardOfARingSaysNothingAboutTheNextAtItsAddress() {
    let rig = Rig()
    let ring = RingBox(coded)
    ring.write(100_000)
    rig.play(.a, ring)
    rig.render(80_000)
    #expect(ring.retainIndex > 0)
    rig.send(.release(.a, ramp: .zero))
    rig.render(100)
    ring.renew()
    ring.write(20_000)
    rig.cue(.a, ring)
    rig.render(15_000)
    #expect(ring.retainIndex == 0, "the writer would write over frames that were not read")
    #expect(ring.free == ring.layout.capacity - 20_000)
  }
}
