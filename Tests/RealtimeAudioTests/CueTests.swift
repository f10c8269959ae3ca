// Cues: over music, in a pause, one after another, and without clicks. Test threads.
import Foundation
import PlaybackModel
import RealtimeAudio
import Testing

@Suite struct CueTests {
  static let rate = 44100
  /// -12 dB.
  static let ducked: Float = 0.25118864

  /// A cue without music.
  private func alone(_ cue: CueSound, gain: Float = 1, frames: Int = 100_000) -> [Frame] {
    let rig = Rig()
    rig.send(.playCue(cue, gain: Gain(gain)))
    rig.render(frames)
    return rig.output
  }

  /// The largest step between successive samples.
  private func largestStep(_ output: [Frame]) -> Float {
    zip(output, output.dropFirst()).map { max(abs($1.left - $0.left), abs($1.right - $0.right)) }.max()!
  }

  @Test(arguments: CueName.allCases)
  func isHeardAndEndsWithoutAnEdge(name: CueName) {
    let sound = alone(.builtIn(name))
    let heard = sound.indices.filter { sound[$0] != Frame(0, 0) }
    #expect(heard.count > 3000 && heard.last! < 2 * Self.rate)
    let peak = sound.map { max(abs($0.left), abs($0.right)) }.max()!
    #expect(peak > 0.2 && peak <= 0.75)
    // The slope is that of a sine slightly above the highest partial, 1568 Hz.
    #expect(largestStep(sound) < 0.5 * 2 * .pi * 1800 / Float(Self.rate))
    #expect(abs(sound[0].left) < 0.001)
    for n in CueName.allCases { #expect((n.name == name.name) == (n == name)) }
    #expect(CueName(name: name.name) == name)
  }

  @Test func everyErrorHasItsOwn() {
    for kind in PlaybackError.Kind.allCases { #expect(CueName(name: PlaybackError(kind).cue) != nil) }
  }

  @Test func testToneIsLeftThenRight() {
    let sound = alone(.builtIn(.testTone))
    #expect(sound[..<44100].allSatisfy { $0.right == 0 })
    #expect(sound[44100...].allSatisfy { $0.left == 0 })
    for i in 1000..<43000 {
      let expected = 0.5 * Float(sin(2 * .pi * 440 * Double(i) / 44100))
      guard abs(sound[i].left - expected) < 1e-5 else {
        Issue.record("frame \(i): \(sound[i].left) instead of \(expected)")
        break
      }
      #expect(abs(sound[44100 + i].right - expected) < 1e-5)
    }
  }

  /// The output minus the cue is the ducked music: 50 ms down, 200 ms back, and exact after that.
  @Test func theRestIsTheMusicDucked() {
    let at = 5000
    let rig = Rig()
    rig.play(.a, RingBox(track: 120_000, sine(220, amplitude: 0.5)))
    rig.send(.playCue(.builtIn(.ready), gain: Gain(0.8)), at: at)
    rig.render(100_000)
    let cue = alone(.builtIn(.ready), gain: 0.8)
    let music = sine(220, amplitude: 0.5)
    let end = at + Int((0.6 * Double(Self.rate)).rounded())
    for i in 0..<100_000 {
      let down = min(1, max(0, Float(i - at) / 2205))
      let back = min(1, max(0, Float(i - end) / 8820))
      let gain = i < end ? 1 + (Self.ducked - 1) * down : Self.ducked + (1 - Self.ducked) * back
      let expected = music(i).left * gain + (i >= at ? cue[i - at].left : 0)
      guard abs(rig.output0(i) - expected) < 2e-6 else {
        Issue.record("frame \(i): \(rig.output0(i)) instead of \(expected)")
        return
      }
    }
    let output = rig.output
    #expect(output[..<at] == (0..<at).map(music)[...], "exact before")
    #expect(output[(end + 8820)...] == (end + 8820..<100_000).map(music)[...], "exact after")
  }

  /// A track that starts together with a cue, as after an error, starts ducked.
  @Test func whatBeginsWithACueFindsItsRoom() {
    let rig = Rig()
    rig.send(.playCue(.builtIn(.ready), gain: Gain(0.8)))
    rig.render(400)
    rig.play(.a, RingBox(track: 120_000, sine(220, amplitude: 0.5)))
    rig.render(20_000)
    let cue = alone(.builtIn(.ready), gain: 0.8)
    let loudest = (400..<20_000).map { abs(rig.output0($0) - cue[$0].left) }.max()!
    #expect(loudest > 0.4 * Self.ducked && loudest <= 0.5 * Self.ducked + 1e-5, "\(loudest)")
  }

  @Test func neitherVolumeNorGateApplies() {
    let expected = alone(.builtIn(.errorFile))
    let rig = Rig()
    rig.play(.a, RingBox(track: 60_000, coded))
    rig.send(.setVolume(.silence, ramp: .zero))
    rig.render(1000)
    rig.send(.closeGate(.pause, ramp: Frames(100)))
    rig.render(1000)
    rig.send(.playCue(.builtIn(.errorFile), gain: .unity))
    rig.render(40_000)
    #expect(rig.output[2000...] == expected[..<40_000])
    let isQuiescent = rig.mixer.isQuiescent
    #expect(isQuiescent)
    // The paused track has not advanced.
    rig.send(.setVolume(.unity, ramp: .zero))
    rig.send(.openGate(ramp: .zero))
    rig.render(1000)
    #expect(decode(rig.output[42_000]) == 1100)
  }

  @Test func oneThatSoundsIsNotSaidTwiceAndOthersWait() {
    let rig = Rig()
    for name in [CueName.volumeLimit, .volumeLimit, .ready, .ready, .errorFile, .errorOutput] {
      rig.send(.playCue(.builtIn(name), gain: .unity))
    }
    rig.render(100_000)
    let first = Int((0.14 * 44100).rounded())
    let second = Int((0.6 * 44100).rounded())
    var expected = Array(alone(.builtIn(.volumeLimit))[..<first])
    expected += alone(.builtIn(.ready))[..<second]
    expected += alone(.builtIn(.errorFile))
    #expect(rig.output == Array(expected[..<100_000]))
  }

  @Test func aClipIsPlayedAsItIs() {
    let samples = UnsafeMutablePointer<Float>.allocate(capacity: 2 * 3000)
    defer { samples.deallocate() }
    for i in 0..<6000 { samples[i] = Float(i) / 8192 }
    let sound = alone(.clip(CueClip(samples: samples, frames: 3000)), gain: 0.5, frames: 5000)
    for (i, frame) in sound.enumerated() {
      let expected = i < 3000 ? Frame(samples[2 * i] * 0.5, samples[2 * i + 1] * 0.5) : Frame(0, 0)
      guard frame == expected else {
        Issue.record("frame \(i) is \(frame)")
        return
      }
    }
  }

  @Test func monoHearsBothSidesOfTheTestTone() {
    let rig = Rig(.float32)
    rig.send(.setMono(true))
    rig.send(.playCue(.builtIn(.testTone), gain: .unity))
    rig.render(90_000)
    #expect(rig.output.allSatisfy { $0.left == $0.right })
    #expect(rig.output[20_000..<21_000].contains { abs($0.left) > 0.24 })
    #expect(rig.output[64_000..<65_000].contains { abs($0.left) > 0.24 })
  }

  // MARK: The loop

  /// The device starts for a cue and stops again; the paused track does not play.
  @Test func soundsInAPauseAndLetsTheDeviceRest() {
    let rig = LoopRig()
    rig.play(RingBox(track: 60_000, coded))
    rig.after(300) { rig.send(.closeGate(.pause, ramp: Frames(441))) }
    rig.run(milliseconds: 3000)
    #expect(rig.link.isParked)
    let before = rig.device.heardFrames
    rig.send(.playCue(.builtIn(.sleepTimer), gain: .unity))
    rig.run(milliseconds: 500)
    #expect(!rig.link.isParked)
    rig.run(milliseconds: 3000)
    #expect(rig.link.isParked)
    let expected = alone(.builtIn(.sleepTimer))
    let sound = rig.device.output[before...]
    #expect(Array(sound.prefix(40_000)) == Array(expected[..<40_000]))
    #expect(sound.dropFirst(45_000).allSatisfy { $0 == Frame(0, 0) })
    let turns = rig.device.waits
    rig.run(milliseconds: 60_000)
    #expect(rig.device.waits <= turns + 2, "a parked loop does not wake")
    rig.send(.openGate(ramp: .zero))
    rig.run(milliseconds: 3000)
    let music = heardRuns(Array(rig.device.output[..<before] + rig.device.output[(before + 45_000)...]))
    #expect(music.last?.upperBound == 59_999)
    #expect(gaps(music).allSatisfy { $0 == 0 })
  }

  @Test func isHeardWithinTheMarginOverMusic() throws {
    let rig = LoopRig()
    rig.play(RingBox(track: 60_000, sine(220)))
    var id: UInt32 = 0
    var given: UInt64 = 0
    rig.after(400) {
      given = rig.device.clock
      id = rig.send(.playCue(.builtIn(.volumeLimit), gain: .unity))
    }
    rig.run(milliseconds: 3000)
    let frame = try #require(rig.applied(id))
    #expect(rig.device.time(ofFrame: frame) - given <= 11_000_000)
    #expect(largestStep(Array(rig.device.output[..<59_000])) < 0.15)
  }

  @Test func aLostDeviceForgetsThem() {
    let device = FakeDevice()
    let rig = LoopRig(device)
    device.reopensFrom = device.clock + 3_000_000_000
    device.inject(.fault(.lost), at: device.clock + 300_000_000)
    rig.send(.playCue(.builtIn(.testTone), gain: .unity))
    rig.after(1000) { rig.send(.playCue(.builtIn(.errorOutput), gain: .unity)) }
    rig.run(milliseconds: 6000)
    #expect(rig.news == ["deviceLost", "paused", "deviceRestored"])
    #expect(rig.link.isParked)
    #expect(rig.device.heardFrames < 16_000)
  }
}

extension Rig {
  /// A left sample of float output.
  fileprivate func output0(_ frame: Int) -> Float {
    bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: 8 * frame, as: Float.self) }
  }
}
