// The fast paths from a ring to the card, and their vectorized sums: bit-identical to the general path. Test
// threads.
import AudioRing
import Foundation
import PlaybackModel
import RealtimeAudio
import Testing

@Suite struct DirectWayTests {
  /// Special samples that must be detected within vectors of four and sixteen.
  private static let odd: [Float] = [
    0.9999, 0.99999994, 1, 1.0001, -0.9999, -1, -1.0001, 8, -9, 127, 128, 32767, -32769, 383.99, -384.01,
    1e30, -1e30,
    .infinity, -.infinity, .nan, -.nan, .leastNonzeroMagnitude,
  ]

  /// Samples 1 to 2^17 units in the last place around full scale, above and below.
  private static let ends: [Float] = {
    var ends: [Float] = []
    for power in 0...17 {
      let distance = Float(1 << power) * Float(1).ulp
      ends += [1 + distance, 1 - distance, -1 - distance, -1 + distance]
    }
    return ends
  }()

  /// A sample just beyond full scale is clipped and does not wrap to the opposite sign.
  @Test(arguments: SampleFormat.allCases, [(Float(1), Float(1)), (1, 0.999), (1.001, 1), (1.9, 0.52631)])
  func samplesAroundFullScaleKeepTheirSign(format: SampleFormat, gains: (own: Float, master: Float)) {
    for end in Self.ends {
      // A single such sample: after it, the limiter keeps the fast path disabled.
      let sound: Sound = { Frame($0 == 325 ? end : 0.5, -0.25) }
      let outputs = [1, 4096].map { chunk in
        let rig = Rig(format)
        rig.send(.setVolume(Gain(gains.master), ramp: .zero))
        rig.play(.a, RingBox(track: 800, sound), gain: gains.own)
        rig.render(800, chunk: chunk)
        return rig.bytes
      }
      #expect(outputs[1] == outputs[0], "\(end)")
    }
  }

  /// Integer samples with a gain that takes them beyond full scale.
  @Test(arguments: SampleFormat.allCases, [(Float(1.9), Float(1)), (1.0001, 1), (1.9, 0.6)])
  func integersBeyondFullScaleKeepTheirSign(format: SampleFormat, gains: (own: Float, master: Float)) {
    let steps: [Float] = [-32768, -32767, 32767, 17_246, -17_247, 0]
    let sound: Sound = { Frame(steps[$0 / 3 % steps.count] / 32768, 0.25) }
    let outputs = [1, 4096].map { chunk in
      let rig = Rig(format)
      rig.send(.setVolume(Gain(gains.master), ramp: .zero))
      rig.play(.a, RingBox(track: 6_000, sound, samples: .integers), gain: gains.own)
      rig.render(6_000, chunk: chunk)
      return rig.bytes
    }
    #expect(outputs[1] == outputs[0])
  }

  /// Rendering single frames never uses a fast path; rendering larger blocks does where possible.
  @Test(arguments: SampleFormat.allCases, [(Float(1), Float(1)), (0.7, 0.216), (1, 0.216), (1.9, 1), (0, 1)])
  func aTurnIsWhatItsFramesAre(format: SampleFormat, gains: (own: Float, master: Float)) {
    let music = noise(seed: 5, amplitude: 0.9)
    let sound: Sound = { index in
      guard index > 2500, index % 97 == 3 else { return music(index) }
      return Frame(Self.odd[index / 97 % Self.odd.count], music(index).right)
    }
    let outputs = [1, 7, 4096].map { chunk in
      let rig = Rig(format)
      rig.send(.setVolume(Gain(gains.master), ramp: .zero))
      rig.play(.a, RingBox(track: 9_000, sound), gain: gains.own)
      rig.render(9_000, chunk: chunk)
      return rig.bytes
    }
    #expect(outputs[1] == outputs[0])
    #expect(outputs[2] == outputs[0])
  }

  @Test(arguments: SampleFormat.allCases)
  func aTurnIsWhatItsFramesAreInMono(format: SampleFormat) {
    let outputs = [1, 4096].map { chunk in
      let rig = Rig(format)
      rig.send(.setMono(true))
      rig.play(.a, RingBox(track: 6_000, noise(seed: 2, amplitude: 1)), gain: 0.9)
      rig.render(6_000, chunk: chunk)
      return rig.bytes
    }
    #expect(outputs[1] == outputs[0])
  }

  /// Ramps of volume and gate at the same time, starting and ending at arbitrary frames.
  @Test(arguments: SampleFormat.allCases)
  func rampsDoNotDependOnHowTheyAreSplit(format: SampleFormat) {
    let outputs = [1, 5, 4096].map { chunk in
      let rig = Rig(format)
      rig.play(.a, RingBox(track: 20_000, noise(seed: 6, amplitude: 0.9)), gain: 0.8)
      rig.send(.setVolume(Gain(0.3), ramp: Frames(1001)), at: 1003)
      rig.send(.closeGate(.pause, ramp: Frames(777)), at: 1500)
      rig.send(.openGate(ramp: Frames(2222)), at: 1999)
      rig.send(.setVolume(Gain(0.9), ramp: Frames(13)), at: 2001)
      rig.send(.setMono(true), at: 2010)
      rig.render(9000, chunk: chunk)
      return rig.bytes
    }
    #expect(outputs[1] == outputs[0])
    #expect(outputs[2] == outputs[0])
  }

  /// A ring of integers gives the same output as a ring of equal floats: at full and reduced volume, during
  /// ramps and fades, and with track gains, also excessive ones.
  @Test(arguments: SampleFormat.allCases, [(1, Float(1)), (61, 1), (4096, 1), (4096, 0.7), (4096, 1.4)])
  func integersSoundAsFloatsThatHoldThem(format: SampleFormat, way: (chunk: Int, gain: Float)) {
    let outputs = [RingSamples.floats, .integers].map { samples in
      let rig = Rig(format)
      rig.play(.a, RingBox(track: 66_000, ExactnessTests.every16, samples: samples), gain: way.gain)
      rig.cue(.b, RingBox(track: 20_000, ExactnessTests.every16, samples: samples))
      rig.send(.setVolume(Gain(0.5), ramp: Frames(300)), at: 30_000)
      rig.send(.setVolume(.unity, ramp: Frames(300)), at: 35_000)
      rig.send(.fadeNow(from: .a, to: .b, Fade(length: Frames(10_001), curve: .logarithmic)), at: 50_003)
      rig.render(66_000, chunk: way.chunk)
      return rig.bytes
    }
    let isSame = outputs[0] == outputs[1]
    #expect(isSame)
  }

  /// At full volume each 16-bit integer reaches the card unchanged.
  @Test(arguments: [SampleFormat.s16, .s24, .s24Packed, .s32])
  func integersReachTheCardAsTheyAre(format: SampleFormat) {
    let rig = Rig(format)
    rig.play(.a, RingBox(track: 66_000, ExactnessTests.every16, samples: .integers))
    rig.render(66_000, chunk: 4093)
    let shift: Int32 = [SampleFormat.s16: 0, .s24: 8, .s24Packed: 8, .s32: 16][format]!
    let wanted = (0..<66_000).flatMap { index in
      let frame = ExactnessTests.every16(index)
      return [frame.left, frame.right].map { Int32($0 * 32768) << shift }
    }
    // The arrays are not passed to #expect, because printing their difference would take an hour.
    let isSame = rig.integers == wanted
    #expect(isSame)
  }

  /// Invalid samples are noise only; what follows is exact.
  @Test(arguments: [SampleFormat.s16, .s24, .s24Packed, .s32])
  func samplesThatAreNoIntegersDoNoMoreThanSound(format: SampleFormat) {
    let sound: Sound = { $0 < 4000 ? Frame(Self.odd[$0 % Self.odd.count], .nan) : coded($0) }
    let rig = Rig(format)
    rig.play(.a, RingBox(track: 9000, sound, samples: .integers))
    rig.render(9000, chunk: 4096)
    let shift: Int32 = [SampleFormat.s16: 0, .s24: 8, .s24Packed: 8, .s32: 16][format]!
    let rest = rig.integers.suffix(10_000).enumerated()
    #expect(rest.allSatisfy { $1 == ($0 % 2 == 0 ? Int32((4000 + $0 / 2) % 32767 + 1) : 16384) << shift })
  }

  /// At volume 60 and with a track gain, each sample is rounded to the nearest S32 value.
  @Test func volumeOnS32IsTheProductRounded() {
    let sound = noise(seed: 11, amplitude: 1)
    let (own, master) = (Float(0.8), Volume(60).gain(.cubic))
    let rig = Rig(.s32)
    rig.send(.setVolume(master, ramp: .zero))
    rig.play(.a, RingBox(track: 20_000, sound), gain: own)
    rig.render(20_000, chunk: 4096)
    let got = rig.integers
    let isNearest = (0..<20_000).allSatisfy { i in
      let frame = sound(i)
      return [frame.left, frame.right].enumerated().allSatisfy { channel, sample in
        let exact = Double(sample * own * master.factor) * 2_147_483_648
        return got[2 * i + channel] == Int32(exact.rounded(.toNearestOrEven))
      }
    }
    #expect(isNearest)
  }

  /// At volume 60, S24 output is dithered with triangular noise of mean 0.
  @Test(arguments: [SampleFormat.s24, .s24Packed])
  func volumeOnS24IsDithered(format: SampleFormat) {
    let sound = noise(seed: 11, amplitude: 0.25)
    let master = Volume(60).gain(.cubic)
    let rig = Rig(format)
    rig.send(.setVolume(master, ramp: .zero))
    rig.play(.a, RingBox(track: 60_000, sound))
    rig.render(60_000, chunk: 4096)
    let errors = zip(rig.integers, (0..<60_000).flatMap { [sound($0).left, sound($0).right] }).map {
      Double($0) - Double($1 * master.factor) * 8_388_608
    }
    let mean = errors.reduce(0, +) / Double(errors.count)
    let variance = errors.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(errors.count)
    #expect(errors.allSatisfy { abs($0) <= 1.6 })
    #expect(abs(mean) < 0.02 && abs(variance - 0.25) < 0.02)
  }

  /// A non-finite sample is replaced by silence and does not trigger the limiter.
  @Test(arguments: [Float.infinity, -.infinity, .nan])
  func whatIsNoNumberIsSilence(odd: Float) {
    let rig = Rig()
    rig.play(.a, RingBox(track: 4000, { $0 == 1000 ? Frame(odd, 0.25) : Frame(0.5, 0.25) }))
    rig.render(4000, chunk: 4096)
    #expect(rig.output[1000] == Frame(0, 0.25))
    #expect(rig.output[1001...].allSatisfy { $0 == Frame(0.5, 0.25) })
  }

  // MARK: Fades

  private func faded(_ format: SampleFormat, chunk: Int, length: Int64 = 40_000) -> Rig {
    let rig = Rig(format)
    rig.send(.setVolume(Volume(80).gain(.cubic), ramp: .zero))
    rig.play(.a, RingBox(track: 60_000, noise(seed: 4, amplitude: 0.9)))
    rig.cue(.b, RingBox(track: 60_000, noise(seed: 8, amplitude: 0.9)))
    rig.render(1003)
    rig.send(.fadeNow(from: .a, to: .b, Fade(length: Frames(length), curve: .logarithmic)))
    rig.render(49_000, chunk: chunk)
    return rig
  }

  /// Gains are interpolated on segments counted from the start of the fade, not from the start of a render
  /// call.
  @Test(arguments: SampleFormat.allCases)
  func aFadeDoesNotDependOnHowItIsSplit(format: SampleFormat) {
    let whole = faded(format, chunk: 4096).bytes
    #expect(faded(format, chunk: 61).bytes == whole)
    #expect(faded(format, chunk: 1).bytes == whole)
  }

  /// After a power cut the fade resumes at a frame within a segment.
  @Test(arguments: [1, 77, 12_345, 39_999])
  func aFadeTakenUpAgainIsTheSameToTheBit(at index: Int) {
    let whole = faded(.float32, chunk: 4096).output
    let rig = Rig()
    let fade = Fade(length: Frames(40_000), curve: .logarithmic)
    rig.send(.setVolume(Volume(80).gain(.cubic), ramp: .zero))
    rig.send(.closeGate(.pause, ramp: .zero))
    rig.cue(.a, RingBox(track: 60_000, noise(seed: 4, amplitude: 0.9)), at: UInt64(1003 + index))
    rig.cue(.b, RingBox(track: 60_000, noise(seed: 8, amplitude: 0.9)), at: UInt64(index))
    rig.send(.restoreFade(from: .a, to: .b, fade, at: Frames(Int64(index))))
    rig.render(100)
    rig.send(.openGate(ramp: .zero))
    rig.render(5000)
    #expect(rig.output[100...].elementsEqual(whole[(1003 + index)...].prefix(5000)))
  }
}
