// Announcements on the third deck: mixed over the music, which is only ducked. Test threads.
import AudioRing
import Foundation
import PlaybackModel
import RealtimeAudio
import Testing

@Suite struct AnnouncementTests {
  /// The announcement's signal: noise that is uncorrelated with the music.
  static let spoken: Sound = noise(seed: 7, amplitude: 0.3)
  static let duck: Float = 0.25
  static let (down, back) = (2205, 8820)

  func announce(_ ring: RingBox, id: UInt32 = 1, gain: Float = 0.5, duck: Float = Self.duck)
    -> MixerCommand
  {
    .announce(id, ring.reader, index: 0, gain: Gain(gain), duck: Gain(duck))
  }

  /// The expected gain of the music, `frame` frames after the start of an announcement of `length` frames.
  private func room(_ frame: Int, length: Int) -> Float {
    if frame < 0 { return 1 }
    if frame < length { return 1 + (Self.duck - 1) * min(1, Float(frame) / Float(Self.down)) }
    let from = 1 + (Self.duck - 1) * min(1, Float(length) / Float(Self.down))
    return from + (1 - from) * min(1, Float(frame - length) / Float(Self.back))
  }

  /// Compares the output with the ducked output of the same rig without the announcement, plus the
  /// announcement.
  private func expectRoom(
    _ output: [Frame], _ music: [Frame], at start: Int, length: Int, gain: Float = 0.5,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    for i in 0..<min(output.count, music.count) {
      let room = room(i - start, length: length)
      let isSpoken = i >= start && i < start + length
      let spoken = isSpoken ? Self.spoken(i - start) : Frame(0, 0)
      let (left, right) = (
        music[i].left * room + spoken.left * gain, music[i].right * room + spoken.right * gain
      )
      guard abs(output[i].left - left) < 2e-6, abs(output[i].right - right) < 2e-6 else {
        Issue.record("frame \(i): \(output[i]), not \(left), \(right)", sourceLocation: sourceLocation)
        return
      }
      if room == 1, !isSpoken, output[i] != music[i] {
        Issue.record("frame \(i) is not exact", sourceLocation: sourceLocation)
        return
      }
    }
  }

  @Test(arguments: [1, 700, 4000, 30_000]) func theRestIsTheMusicMadeQuieter(length: Int) {
    let ring = RingBox(track: length, Self.spoken)
    let music = RingBox(track: 100_000, coded)
    let (plain, rig) = (Rig(), Rig())
    plain.play(.a, music)
    rig.play(.a, music)
    rig.send(announce(ring), at: 5001)
    plain.render(60_000)
    rig.render(60_000, chunk: 777)
    expectRoom(rig.output, plain.output, at: 5001, length: length)
    #expect(
      rig.eventNames.filter { $0.contains("nnounce") || $0.contains("released") }.map { $0.suffix(5) }.count
        == 3)
    let isIdle = rig.mixer.isQuiescent
    #expect(!isIdle)
  }

  /// The gains of the fade and the frames of both tracks are the same as without an announcement.
  @Test(arguments: [2000, 5000, 12_000, 24_000]) func aCrossfadeIsTheSameBeneathIt(start: Int) {
    let (a, b) = (RingBox(track: 60_000, sine(220)), RingBox(track: 60_000, sine(330)))
    let ring = RingBox(track: 9000, Self.spoken)
    func rig(_ announces: Bool) -> Rig {
      let rig = Rig()
      rig.play(.a, a)
      rig.cue(.b, b)
      rig.send(.fadeNow(from: .a, to: .b, Fade(length: Frames(15_000), curve: .equalPower)), at: 4000)
      if announces { rig.send(announce(ring), at: start) }
      rig.render(50_000)
      return rig
    }
    let (plain, ducked) = (rig(false), rig(true))
    expectRoom(ducked.output, plain.output, at: start, length: 9000)
    #expect(ducked.frame(of: "crossfadeCompleted") == plain.frame(of: "crossfadeCompleted"))
  }

  /// A held fade does not advance during an announcement, and resumes at its frame.
  @Test func aPausedCrossfadeLosesNoFrame() {
    let (a, b) = (RingBox(track: 60_000, sine(220)), RingBox(track: 60_000, sine(330)))
    let ring = RingBox(track: 9000, Self.spoken)
    func rig(_ announces: Bool) -> Rig {
      let rig = Rig()
      rig.play(.a, a)
      rig.cue(.b, b)
      rig.send(.fadeNow(from: .a, to: .b, Fade(length: Frames(15_000), curve: .equalPower)))
      rig.send(.closeGate(.pause, ramp: Frames(4410)), at: 3000)
      if announces { rig.send(announce(ring), at: 12_000) }
      rig.send(.openGate(ramp: Frames(4410)), at: 31_000)
      rig.render(60_000)
      return rig
    }
    let (plain, ducked) = (rig(false), rig(true))
    expectRoom(ducked.output, plain.output, at: 12_000, length: 9000)
    #expect(plain.output[13_000] == Frame(0, 0) && ducked.output[13_000] != Frame(0, 0))
  }

  @Test func neitherVolumeNorGateAppliesAndItsOwnGainFollows() {
    let rig = Rig()
    rig.play(.a, RingBox(track: 60_000, coded))
    rig.send(.setVolume(.silence, ramp: .zero))
    rig.send(.closeGate(.pause, ramp: .zero))
    rig.render(100)
    rig.send(announce(RingBox.kept(30_000, Self.spoken)))
    rig.render(10_000)
    rig.send(.setAnnouncementGain(Gain(0.125), ramp: Frames(1000)))
    rig.render(25_000)
    let output = rig.output
    for i in 0..<30_000 {
      let gain = 0.5 - 0.375 * min(1, max(0, Float(i - 10_000) / 1000))
      guard abs(output[100 + i].left - Self.spoken(i).left * gain) < 1e-6 else {
        Issue.record("frame \(i)")
        return
      }
    }
    #expect(output[30_101...].allSatisfy { $0 == Frame(0, 0) })
    let isQuiescent = rig.mixer.isQuiescent
    #expect(isQuiescent)
  }

  /// Cues and announcements wait for each other: one plays at a time, in order of arrival.
  @Test func cuesAndAnnouncementsTakeTurns() {
    let rig = Rig()
    rig.send(.playCue(.builtIn(.volumeLimit), gain: .unity))
    rig.send(announce(RingBox.kept(5000, Self.spoken)))
    rig.send(.playCue(.builtIn(.ready), gain: .unity))
    rig.send(.playCue(.builtIn(.ready), gain: .unity))
    rig.render(60_000)
    let first = Int((0.14 * 44100).rounded())
    let output = rig.output
    #expect(rig.frame(of: "announcement(1, RealtimeAudio.BesideNews.began") == first)
    for i in 0..<5000 where output[first + i] != Frame(Self.spoken(i).left * 0.5, Self.spoken(i).right * 0.5)
    {
      Issue.record("frame \(i)")
      return
    }
    let alone = Rig()
    alone.send(.playCue(.builtIn(.ready), gain: .unity))
    alone.render(30_000)
    #expect(Array(output[(first + 5000)..<(first + 35_000)]) == alone.output)
    #expect(output[(first + 35_000)...].allSatisfy { $0 == Frame(0, 0) })
  }

  @Test func oneThatIsEndedIsRampedOut() {
    let rig = Rig()
    let ring = RingBox(track: 60_000, { _ in Frame(0.5, 0.5) })
    rig.send(announce(ring))
    rig.render(10_000)
    rig.send(.endAnnouncement(7, ramp: Frames(1000)))
    rig.render(1000)
    rig.send(.endAnnouncement(1, ramp: Frames(2000)))
    rig.render(100)
    rig.send(.endAnnouncement(1, ramp: Frames(2000)))
    rig.render(10_000)
    let output = rig.output
    #expect(output[10_999].left == 0.25 && output[12_000].left == 0.125)
    #expect(output[13_000...].allSatisfy { $0 == Frame(0, 0) })
    #expect(rig.news.filter { $0.contains("announcement") }.count == 2, "began, released")
    // There is no announcement left to end.
    rig.send(.endAnnouncement(1, ramp: .zero))
    rig.render(1000)
    #expect(rig.news.filter { $0.contains("announcement") }.count == 2)
  }

  /// An announcement that is ended before its first frame was played.
  @Test func oneThatIsEndedAtOnceIsNotHeard() {
    let rig = Rig()
    rig.send(announce(RingBox.kept(5000, Self.spoken)))
    rig.send(.endAnnouncement(1, ramp: Frames(2000)))
    rig.render(10_000)
    #expect(rig.output.allSatisfy { $0 == Frame(0, 0) })
    #expect(rig.news.last?.contains("released") == true)
  }
}

extension RingBox {
  private nonisolated(unsafe) static var all: [RingBox] = []

  /// A whole track that lives as long as the test process, because rigs retain only the rings of decks.
  static func kept(_ length: Int, _ sound: @escaping Sound) -> RingBox {
    let ring = RingBox(track: length, sound)
    lock.withLock { all.append(ring) }
    return ring
  }

  private static let lock = NSLock()
}
