// The speaker filters in the mixer: their response, click-free changes, their tail, and exact output when
// they are off. Test threads.
import AudioRing
import Foundation
import PlaybackModel
import RealtimeAudio
import Testing

extension Rig {
  /// Sets the correction from the next frame on.
  fileprivate func correct(_ correction: SpeakerCorrection, volume: Volume = Volume(100), rate: Int = 44100) {
    let filters =
      correction.fixedFilters(at: SampleRate(rate))
      + correction.loudnessFilters(at: SampleRate(rate), volume: volume)
    for (i, filter) in filters.enumerated() { send(.setFilter(i, filter)) }
  }
}

private func band(
  _ shape: EqualizerBand.Shape, _ frequency: Double, _ gain: Double = 0, _ quality: Double = 0.707
) -> EqualizerBand {
  EqualizerBand(shape, frequency: frequency, gain: gain, quality: quality)!
}

@Suite struct SpeakerFilterTests {
  static let bands: [EqualizerBand] = [
    band(.peak, 80, 3), band(.peak, 1000, -12, 4), band(.peak, 12_000, 12, 1), band(.lowShelf, 120, 6),
    band(.lowShelf, 300, -9, 0.5), band(.highShelf, 8000, -4), band(.highShelf, 3000, 8, 1.2),
    band(.highPass, 80), band(.highPass, 200, 0, 2), band(.lowPass, 15_000), band(.lowPass, 400, 0, 0.5),
    band(.notch, 50, 0, 2), band(.peak, 20, 12, 1),
  ]

  @Test(arguments: [44100, 48000, 96000]) func anImpulseIsAnsweredAsTheCookbookSays(rate: Int) {
    for band in Self.bands {
      let rig = Rig(rate: rate)
      rig.correct(SpeakerCorrection(bands: [band]), rate: rate)
      rig.play(.a, RingBox(track: rate) { Frame($0 == 100 ? 0.25 : 0, $0 == 200 ? -0.25 : 0) })
      rig.render(rate)
      let headroom = SpeakerCorrection(bands: [band]).headroom(at: SampleRate(rate))
      let output = rig.output
      #expect(output[..<100].allSatisfy { $0 == Frame(0, 0) })
      let left = output[100...].map { Double($0.left) * 4 }
      let right = output[200...].map { Double($0.right) * -4 }
      for frequency in [10.0, 25, 49, 80, 110, 310, 990, 2500, 7900, 12_500, 19_000] {
        let wanted = cookbook(band, at: frequency, rate: rate) - headroom
        // Deep in a notch, a deviation of a tenth of a decibel does not matter.
        guard wanted > -50 else { continue }
        for side in [left, right] {
          let heard = level(side, at: frequency, rate: rate)
          #expect(abs(heard - wanted) < 0.1, "\(band) at \(frequency) Hz: \(heard), not \(wanted)")
        }
      }
    }
  }

  /// The plot and the headroom use the product's own formula.
  @Test func whatIsDrawnIsWhatTheCookbookSays() {
    for rate in [44100, 48000, 96000, 384_000] {
      for band in Self.bands {
        let response = FrequencyResponse(of: [band.filter(at: SampleRate(rate))], rate: SampleRate(rate))
        for frequency in [10.0, 25, 49, 80, 310, 990, 7900, 19_000] {
          let wanted = cookbook(band, at: frequency, rate: rate)
          guard wanted > -100 else { continue }
          #expect(abs(response.decibels(at: frequency) - wanted) < 1e-3, "\(band) at \(frequency)")
        }
      }
    }
  }

  @Test func highPassAndLoudnessAreHeard() {
    let correction = SpeakerCorrection(
      bands: [], highPass: 100, loudness: LoudnessContour(reference: Volume(80), curve: .cubic))
    let rig = Rig()
    rig.correct(correction, volume: Volume(20))
    rig.play(.a, RingBox(track: 44100) { Frame($0 == 0 ? 0.25 : 0, 0) })
    rig.render(44100)
    let impulse = rig.output.map { Double($0.left) * 4 }
    let response = correction.response(at: SampleRate(44100), volume: Volume(20))
    for frequency in [30.0, 100, 1000, 15_000] {
      #expect(abs(level(impulse, at: frequency, rate: 44100) - response.decibels(at: frequency)) < 0.1)
    }
    #expect(response.decibels(at: 50) < -1 && response.decibels(at: 15_000) > 1)
  }

  private static func worstStep(_ frames: [Frame]) -> Float {
    zip(frames, frames.dropFirst()).reduce(0) { max($0, abs($1.1.left - $1.0.left)) }
  }

  /// The slope of a 200 Hz sine through two sets of filters that crossfade over 20 ms.
  @Test(
    arguments: [
      ([nil], [band(.peak, 200, 12)]),
      ([band(.peak, 200, 12)], [nil]),
      ([band(.peak, 200, 6)], [band(.peak, 200, 7)]),
      ([band(.lowPass, 20)], [band(.peak, 10_000, 12, 20)]),
      ([band(.peak, 10_000, 12, 20)], [band(.peak, 20, 12, 10)]),
      ([band(.highPass, 80)], [band(.highPass, 400, 0, 4)]),
      ([nil], [band(.highPass, 80), band(.lowShelf, 100, 12), band(.notch, 200, 0, 5)]),
    ] as [([EqualizerBand?], [EqualizerBand?])])
  func aChangeDoesNotClick(from: [EqualizerBand?], to: [EqualizerBand?]) {
    let amplitude: Float = 0.4
    for begin in stride(from: 20_000, to: 20_220, by: 37) {
      let rig = Rig()
      rig.correct(SpeakerCorrection(bands: from))
      rig.play(.a, RingBox(track: 60_000, sine(200, amplitude: amplitude)))
      rig.render(begin)
      rig.correct(SpeakerCorrection(bands: to))
      rig.render(60_000 - begin)
      // No frequency is boosted beyond the larger set: its own slope, plus a whole ramp between the extremes.
      let bound = amplitude * Float(2 * Double.pi * 200 / 44100) * 1.5 + 2 * amplitude / 882
      #expect(Self.worstStep(Array(rig.output[5000..<59_000])) < bound, "changed at \(begin)")
    }
  }

  /// A quickly turned knob with loudness compensation.
  @Test func manyChangesInARowDoNotClickAndTheLastOneHolds() {
    let rig = Rig()
    let correction = SpeakerCorrection(
      bands: [], loudness: LoudnessContour(reference: Volume(100), curve: .cubic))
    rig.play(.a, RingBox(track: 100_000, sine(60, amplitude: 0.2)))
    rig.render(10_000)
    for step in 0..<40 {
      let shelves = correction.loudnessFilters(at: SampleRate(44100), volume: Volume(Float(100 - 2 * step)))
      for (i, filter) in shelves.enumerated() { rig.send(.setFilter(12 + i, filter)) }
      rig.render(331)
    }
    rig.render(60_000)
    let gain = pow(10, correction.response(at: SampleRate(44100), volume: Volume(22)).decibels(at: 60) / 20)
    let output = rig.output
    #expect(
      Self.worstStep(output) < 0.2 * Float(gain) * Float(2 * Double.pi * 60 / 44100) + 0.2 * Float(gain) / 882
    )
    let peak = output[50_000...].reduce(0) { max($0, $1.left) }
    #expect(abs(peak - 0.2 * Float(gain)) < 0.001)
  }

  @Test(arguments: [SampleFormat.s16, .float32]) func whatIsOffLeavesEveryBitAsItWas(format: SampleFormat) {
    let plain = Rig(format)
    let rig = Rig(format)
    for rig in [plain, rig] { rig.play(.a, RingBox(track: 60_000, coded)) }
    plain.render(60_000)
    rig.correct(SpeakerCorrection(bands: []))
    rig.render(10_000)
    let before = rig.bytes == Array(plain.bytes[..<rig.bytes.count])
    #expect(before, "nothing was ordered")
    rig.correct(SpeakerCorrection(bands: [band(.peak, 500, 6)], highPass: 50))
    rig.render(10_000)
    rig.correct(SpeakerCorrection())
    // 30 ms of change, and at most half a second of dither.
    rig.render(40_000)
    let after =
      Array(rig.bytes[(48_000 * rig.frameBytes)...]) == Array(plain.bytes[(48_000 * rig.frameBytes)...])
    #expect(after)
    #expect(rig.bytes != plain.bytes)
  }

  @Test func aFullScaleSineAtTheHighestPointIsNotLimited() {
    for band in [band(.peak, 1000, 12, 3), band(.lowShelf, 2000, 12), band(.highPass, 900, 0, 6)] {
      let rig = Rig()
      rig.correct(SpeakerCorrection(bands: [band]))
      rig.play(.a, RingBox(track: 44100, sine(1000, amplitude: 1)))
      rig.render(44100)
      let peak = rig.output[20_000...].reduce(0) { max($0, abs($1.left)) }
      #expect(peak <= 1)
      let response = SpeakerCorrection(bands: [band]).response(at: SampleRate(44100))
      #expect(abs(20 * log10(Double(peak)) - response.decibels(at: 1000)) < 0.05, "\(band): \(peak)")
    }
  }

  /// The reference is direct form I in Double; using Float for either would be 60 dB worse.
  @Test func aLowBandAtAHighRateIsQuiet() {
    let rate = 96000
    let filter = band(.highPass, 80, 0, 0.707).filter(at: SampleRate(rate))
    let source = sine(997, amplitude: 0.9, rate: rate)
    let rig = Rig(rate: rate)
    rig.correct(SpeakerCorrection(bands: [band(.highPass, 80)]), rate: rate)
    rig.play(.a, RingBox(track: rate, source))
    rig.render(rate)
    var (x1, x2, y1, y2) = (0.0, 0.0, 0.0, 0.0)
    var worst = 0.0
    for (i, frame) in rig.output.enumerated() {
      let x = Double(source(i).left)
      let y = filter.b0 * x + filter.b1 * x1 + filter.b2 * x2 - filter.a1 * y1 - filter.a2 * y2
      (x1, x2, y1, y2) = (x, x1, y, y1)
      worst = max(worst, abs(Double(frame.left) - y))
    }
    // The rounding of the float output.
    #expect(worst < 1e-7, "\(20 * log10(worst)) dB")
  }

  /// Some CPUs are a hundred times slower with denormal numbers.
  @Test func aTailEndsInSilenceBeforeItsNumbersBecomeDenormal() {
    let rig = Rig()
    rig.correct(
      SpeakerCorrection(bands: [band(.peak, 300, -12, 0.3), band(.highShelf, 9000, 3)], highPass: 80))
    // One channel continues.
    rig.play(.a, RingBox(track: 100_000) { Frame($0 < 1000 ? 0.5 : 0, Float($0 % 100) / 200) })
    rig.render(100_000)
    let output = rig.output
    #expect(output[1010].left != 0)
    #expect(output.allSatisfy { $0.left == 0 || abs($0.left) > 1e-35 })
    #expect(output[90_000...].allSatisfy { $0.left == 0 })
    #expect(output[99_999].right != 0)
  }

  @Test func aPauseLetsTheFiltersRingOutAndRests() {
    let rig = Rig()
    rig.correct(SpeakerCorrection(bands: [band(.peak, 100, 12, 10)]))
    rig.play(.a, RingBox(track: 100_000, sine(100, amplitude: 0.5)))
    rig.render(30_000)
    rig.send(.closeGate(.pause, ramp: Frames(441)))
    rig.render(1000)
    let isAtRest = rig.mixer.isQuiescent
    #expect(!isAtRest)
    let tail = rig.output[30_600...].reduce(0) { max($0, abs($1.left)) }
    #expect(tail > 0.01)
    rig.render(60_000)
    let isAtRestThen = rig.mixer.isQuiescent
    #expect(isAtRestThen)
    #expect(rig.output.last == Frame(0, 0))
    // Later sound starts from silence, like the first one.
    let other = Rig()
    other.correct(SpeakerCorrection(bands: [band(.peak, 100, 12, 10)]))
    let ring = RingBox(track: 4000, noise(seed: 5))
    rig.send(.release(.a, ramp: .zero))
    rig.send(.openGate(ramp: .zero))
    let begin = rig.frame
    rig.play(.b, ring)
    rig.render(4000)
    other.play(.b, ring)
    other.render(4000)
    #expect(Array(rig.output[begin...]) == other.output)
  }

  /// After an unplanned gap, the filters' ringing from before it is gone.
  @Test func whatRangBeforeAGapIsNotHeardAfterIt() {
    let rig = Rig()
    rig.correct(SpeakerCorrection(bands: [band(.peak, 100, 12, 10)]))
    rig.play(.a, RingBox(track: 50_000) { $0 < 20_000 ? sine(100)($0) : Frame(0, 0) })
    rig.render(20_000)
    rig.send(.rampIn(Frames(353)))
    rig.render(1000)
    #expect(rig.output[20_000...].allSatisfy { $0 == Frame(0, 0) })
  }
}
