// Exact output: what passes unchanged, when dither is used, and what the limiter leaves unchanged. Test
// threads.
import Foundation
import PlaybackModel
import RealtimeAudio
import Testing

@Suite struct ExactnessTests {
  /// All 16-bit values, including the extremes.
  static let every16: Sound = { index in
    Frame(
      Float(Int16(truncatingIfNeeded: index)) / 32768, Float(Int16(truncatingIfNeeded: index &* 7)) / 32768)
  }
  /// 24-bit values across the range.
  static let many24: Sound = { index in
    let value = Int32(truncatingIfNeeded: index &* 2_654_435_761) >> 8
    return Frame(Float(value) / 8_388_608, Float(~value) / 8_388_608)
  }

  /// A volume ramp in silence would affect what starts after it.
  @Test func aVolumeSetInSilenceHoldsFromTheFirstFrameOn() {
    let rig = Rig()
    let ring = RingBox(track: 5000, coded)
    rig.cue(.a, ring)
    rig.send(.setVolume(Gain(0.25), ramp: Frames(882)))
    rig.send(.start(.a, ramp: .zero))
    rig.render(1000)
    rig.send(.closeGate(.pause, ramp: .zero))
    rig.render(10)
    rig.send(.setVolume(Gain(0.5), ramp: Frames(882)))
    rig.send(.openGate(ramp: .zero))
    rig.render(1000)
    #expect(rig.output[..<1000].allSatisfy { $0.right == 0.125 })
    #expect(rig.output[1010...].allSatisfy { $0.right == 0.25 })
  }

  @Test(arguments: [SampleFormat.s16, .s24, .s24Packed, .s32])
  func sixteenBitsPassUntouched(format: SampleFormat) {
    let rig = Rig(format)
    rig.play(.a, RingBox(track: 66_000, Self.every16))
    rig.render(66_000, chunk: 777)
    let shift: Int32 = [SampleFormat.s16: 0, .s24: 8, .s24Packed: 8, .s32: 16][format]!
    let got = rig.integers
    let isEqual = (0..<66_000).allSatisfy {
      got[2 * $0] == Int32(Int16(truncatingIfNeeded: $0)) << shift
        && got[2 * $0 + 1] == Int32(Int16(truncatingIfNeeded: $0 &* 7)) << shift
    }
    #expect(isEqual)
  }

  @Test(arguments: [SampleFormat.s24, .s24Packed, .s32])
  func twentyFourBitsPassUntouched(format: SampleFormat) {
    let rig = Rig(format)
    rig.play(.a, RingBox(track: 20_000, Self.many24))
    rig.render(20_000, chunk: 333)
    let shift: Int32 = format == .s32 ? 8 : 0
    let got = rig.integers
    #expect(
      (0..<20_000).allSatisfy {
        got[2 * $0] == (Int32(truncatingIfNeeded: $0 &* 2_654_435_761) >> 8) << shift
      })
  }

  @Test func floatsPassUntouched() {
    let sound = noise(seed: 5, amplitude: 1)
    let rig = Rig()
    rig.play(.a, RingBox(track: 20_000, sound))
    rig.render(20_000, chunk: 99)
    #expect(rig.output == (0..<20_000).map { sound($0) })
  }

  /// Inexact samples are dithered: triangular, mean 0, variance 1/6 of a squared step.
  @Test func ditherIsTriangular() {
    let level: Float = 1000.3 / 32768
    let rig = Rig(.s16)
    rig.play(.a, RingBox(track: 200_000, { _ in Frame(level, level) }))
    rig.render(200_000, chunk: 4096)
    let errors = rig.integers.map { Double($0) - 1000.3 }
    let mean = errors.reduce(0, +) / Double(errors.count)
    let variance = errors.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(errors.count)
    #expect(abs(mean) < 0.01)
    // 1/6 from the dither and 1/12 from the rounding.
    #expect(abs(variance - 0.25) < 0.01)
    #expect(errors.allSatisfy { abs($0) < 1.5 })
    // Successive errors are uncorrelated, across channels and frames.
    let pairs = zip(errors, errors.dropFirst()).reduce(0) { $0 + $1.0 * $1.1 } / Double(errors.count)
    #expect(abs(pairs) < 0.01)
  }

  @Test func ditherDoesNotDependOnHowItIsSplit() {
    let outputs = [1, 3, 255, 256, 4096].map { chunk in
      let rig = Rig(.s16)
      rig.play(.a, RingBox(track: 12_000, noise(seed: 3)))
      rig.render(12_000, chunk: chunk)
      return rig.bytes
    }
    #expect(outputs.allSatisfy { $0 == outputs[0] })
  }

  /// Large blocks are dithered in vectors of sixteen as long as no sample is near full scale; single frames
  /// are dithered one by one.
  @Test(arguments: [
    0.9999, 1, 1.0001, -0.9999, -1, -1.0001, 127, 128, 383.99, -383.99, -384, -384.01, 1e30, -1e30, .infinity,
    -.infinity, .nan, -.nan, .leastNonzeroMagnitude,
  ])
  func ditherInBulkIsWhatItIsFrameByFrame(odd: Float) {
    let music = noise(seed: 5)
    let sound: Sound = { $0 == 3000 ? Frame(odd, music($0).right) : music($0) }
    let outputs = [1, 4096].map { chunk in
      let rig = Rig(.s16)
      rig.play(.a, RingBox(track: 6_000, sound))
      rig.render(6_000, chunk: chunk)
      return rig.bytes
    }
    #expect(outputs[0] == outputs[1])
  }

  @Test func ditherEndsAfterTheLastInexactFrame() {
    let rig = Rig(.s16)
    rig.play(
      .a, RingBox(track: 30_000, { $0 == 100 ? Frame(0.1, 0.1) : coded($0) }))
    rig.render(30_000)
    let got = rig.integers
    let exact = { (i: Int) in got[2 * i] == Int32(i % 32767 + 1) && got[2 * i + 1] == 16384 }
    #expect((0..<100).allSatisfy(exact))
    #expect(!(101..<8000).allSatisfy(exact))
    #expect((100 + 8193..<30_000).allSatisfy(exact))
  }

  @Test func silenceIsDigital() {
    let rig = Rig(.s16)
    rig.render(5000)
    #expect(rig.bytes.allSatisfy { $0 == 0 })
  }

  @Test func nothingEverExceedsFullScale() {
    let rig = Rig()
    let loud: Sound = { index in
      let value = 3 * Float(sin(Double(index) * 0.031)) * Float(sin(Double(index) * 0.00071))
      return Frame(value, -value * 0.9)
    }
    rig.play(.a, RingBox(track: 60_000, loud), gain: 1.5)
    rig.render(60_000)
    #expect(rig.output.allSatisfy { abs($0.left) <= 1 && abs($0.right) <= 1 })
    #expect(rig.output.contains { abs($0.left) > 0.99 })
  }

  @Test func theLimiterLetsGoAgain() {
    let rig = Rig()
    rig.play(.a, RingBox(track: 120_000, { $0 == 50 ? Frame(1.4, 0) : Frame(0.5, -0.25) }))
    rig.render(120_000)
    #expect(rig.output[49] == Frame(0.5, -0.25))
    // Over a tenth of a second, not at the next block.
    let rest = rig.output[51...]
    let step = zip(rest, rest.dropFirst()).map { abs($0.left - $1.left) }.max()!
    #expect(rig.output[51].left < 0.36 && step < 0.001, "\(step)")
    #expect(rig.output[119_000] == Frame(0.5, -0.25), "exactly transparent again")
  }

  @Test(arguments: [SampleFormat.s16, .float32])
  func monoIsHalfTheSumOnBothChannels(format: SampleFormat) {
    let rig = Rig(format)
    // Before any sound, no ramp is needed.
    rig.send(.setMono(true))
    rig.play(.a, RingBox(track: 4000, { _ in Frame(0.5, -0.25) }))
    rig.render(1000)
    if format == .float32 {
      #expect(rig.output.allSatisfy { $0 == Frame(0.125, 0.125) })
    } else {
      #expect(rig.integers.allSatisfy { $0 == 4096 })
    }
  }

  /// During playback the channels merge over the de-click ramp, from any state.
  @Test func monoComesAndGoesWithoutAStep() {
    let rig = Rig()
    rig.play(.a, RingBox(track: 30_000, { _ in Frame(0.5, -0.5) }))
    for (isMono, frames) in [(true, 1000), (false, 1000), (true, 100), (false, 77), (true, 1000)] {
      rig.send(.setMono(isMono), at: rig.frame + 50)
      rig.render(frames)
    }
    rig.render(1000)
    let output = rig.output
    let steps = zip(output, output.dropFirst()).map { max(abs($0.left - $1.left), abs($0.right - $1.right)) }
    #expect(steps.max()! <= 0.5 / 352 + 1e-6, "8 ms for half of full scale")
    #expect(output[..<50].allSatisfy { $0 == Frame(0.5, -0.5) })
    #expect(output[500..<1000].allSatisfy { $0 == Frame(0, 0) })
    #expect(output[1500..<2000].allSatisfy { $0 == Frame(0.5, -0.5) }, "and exactly as they were again")
    #expect(output.last == Frame(0, 0))
  }

  @Test func aSingleChannelTakesBoth() {
    let rig = Rig(.s16, channels: 1)
    rig.play(.a, RingBox(track: 4000, { _ in Frame(0.5, -0.25) }))
    rig.render(1000)
    #expect(rig.integers.count == 1000 && rig.integers.allSatisfy { $0 == 4096 })
  }

  /// Volume changes linearly, from its present value.
  @Test func volumeIsSmooth() {
    let rig = Rig()
    rig.play(.a, RingBox(track: 20_000, { _ in Frame(0.5, 0.5) }))
    rig.render(1000)
    rig.send(.setVolume(Gain(0.2), ramp: Frames(400)))
    rig.render(200)
    rig.send(.setVolume(Gain(1), ramp: Frames(400)))
    rig.render(1000)
    let gains = rig.output.map { $0.left * 2 }
    for i in 0..<200 { #expect(abs(gains[1000 + i] - (1 - 0.8 * Float(i) / 400)) < 1e-5) }
    for i in 0..<400 { #expect(abs(gains[1200 + i] - (0.6 + 0.4 * Float(i) / 400)) < 1e-5) }
    #expect(gains[1600...].allSatisfy { $0 == 1 })
  }

  @Test func trackGainScales() {
    let rig = Rig()
    rig.play(.a, RingBox(track: 1000, { _ in Frame(0.5, -0.5) }), gain: 0.25)
    rig.render(500)
    #expect(rig.output.allSatisfy { $0 == Frame(0.125, -0.125) })
  }
}
