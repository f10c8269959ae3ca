// The speaker correction as numbers: headroom, loudness, and omitted filters. Test threads.

import Foundation
import PlaybackModel
import Testing

@Suite struct SpeakerTests {
  private static let rate = SampleRate(44100)

  private static func peak(_ frequency: Double, _ gain: Double, _ quality: Double = 0.707) -> EqualizerBand? {
    EqualizerBand(.peak, frequency: frequency, gain: gain, quality: quality)
  }

  private static func highest(_ correction: SpeakerCorrection, _ rate: SampleRate) -> Double {
    let response = correction.response(at: rate)
    // Two hundred points per octave.
    var highest = -300.0
    var frequency = 5.0
    while frequency < Double(rate.hertz) / 2 {
      highest = max(highest, response.decibels(at: frequency))
      frequency *= 1.00347
    }
    return highest
  }

  @Test(arguments: [8000, 44100, 48000, 96000, 384_000]) func noBoostIsLouderThanTheSourceWas(hertz: Int) {
    var random = ShuffleGenerator(seed: UInt64(hertz))
    let rate = SampleRate(hertz)
    for _ in 0..<12 {
      let bands = (0..<10).map { _ in
        let shape = EqualizerBand.Shape.allCases.randomElement(using: &random)!
        return EqualizerBand(
          shape, frequency: Double.random(in: 10...20_000, using: &random),
          gain: shape.hasGain ? Double.random(in: -24...12, using: &random) : 0,
          quality: Double.random(in: 0.1...20, using: &random))
      }
      let correction = SpeakerCorrection(bands: bands)
      #expect(Self.highest(correction, rate) < 0.02, "\(bands)")
    }
  }

  @Test func theHeadroomIsWhatTheHighestBoostNeeds() {
    #expect(SpeakerCorrection().headroom(at: Self.rate) == 0)
    #expect(SpeakerCorrection().isOff)
    #expect(abs(SpeakerCorrection(bands: [Self.peak(1000, 6)]).headroom(at: Self.rate) - 6) < 1e-6)
    #expect(SpeakerCorrection(bands: [Self.peak(1000, -6)]).headroom(at: Self.rate) < 1e-9)
    let both = SpeakerCorrection(bands: [Self.peak(1000, 6), nil, Self.peak(1000, 3)])
    #expect(abs(both.headroom(at: Self.rate) - 9) < 1e-6)
    // Two adjacent bands have their maximum between them.
    let pair = SpeakerCorrection(bands: [Self.peak(990, 6, 5), Self.peak(1010, 6, 5)])
    let summit = pair.headroom(at: Self.rate)
    #expect(summit > 11.5 && summit < 12)
    #expect(abs(Self.highest(pair, Self.rate)) < 0.01)
  }

  @Test func aBandAboveTheRateDoesNothing() {
    let band = EqualizerBand(.highPass, frequency: 15_000)
    #expect(band?.filter(at: SampleRate(22050)).isUnity == true)
    #expect(band?.filter(at: Self.rate).isUnity == false)
    #expect(EqualizerBand(.peak, frequency: 9, gain: 3) == nil)
    #expect(EqualizerBand(.notch, frequency: 100, gain: 3) == nil)
    #expect(EqualizerBand(.peak, frequency: 100, gain: 12.5) == nil)
    #expect(EqualizerBand(.peak, frequency: 100, gain: 1, quality: .nan) == nil)
  }

  @Test(arguments: [Float(100), 60], VolumeCurve.allCases)
  func loudnessFollowsTheVolumeAndNeverExceedsIt(reference: Float, curve: VolumeCurve) throws {
    let correction = SpeakerCorrection(
      bands: [], loudness: LoudnessContour(reference: Volume(reference), curve: curve))
    #expect(correction.headroom(at: Self.rate) == 0)
    func levels(_ percent: Float) -> (bass: Double, middle: Double, treble: Double) {
      let response = correction.response(at: Self.rate, volume: Volume(percent))
      return (response.decibels(at: 10), response.decibels(at: 1200), response.decibels(at: 20_000))
    }
    for percent in [reference, 100] {
      #expect(levels(percent) == (0, 0, 0))
    }
    var bass = 0.0
    for percent in stride(from: Float(reference), through: 0, by: -1) {
      let now = levels(percent)
      #expect(now.bass >= bass && now.bass <= 12.01 && now.treble <= 2.41 && abs(now.middle) < 0.9)
      bass = now.bass
      let taken = Double(Volume(percent).gain(curve).factor)
      #expect(taken == 0 || now.bass + 20 * log10(taken) <= 1e-6, "louder than at 100 %")
    }
    let high = try #require(curve.decibels(at: Volume(reference)))
    let low = try #require(curve.decibels(at: Volume(reference / 2)))
    #expect(abs(levels(reference / 2).bass - 0.3 * (high - low)) < 0.1)
    #expect(abs(levels(reference / 2).treble - 0.06 * (high - low)) < 0.1)
    #expect(abs(levels(0).bass - 12) < 0.1 && abs(levels(0).treble - 2.4) < 0.1)
  }

  /// 12 dB per octave below the corner frequency, at which it is -3 dB.
  @Test(arguments: [40, 200, 500]) func aHighPassTakesTwelveDecibelsAnOctave(corner: Double) throws {
    let response = SpeakerCorrection(bands: [], highPass: corner).response(at: Self.rate, volume: Volume(100))
    #expect(abs(response.decibels(at: corner) + 3) < 0.1)
    for octaves in [2.0, 3] {
      let frequency = corner / pow(2, octaves)
      let slope = response.decibels(at: 2 * frequency) - response.decibels(at: frequency)
      #expect(abs(slope - 12) < 0.6, "\(slope) dB above \(frequency) Hz")
    }
  }
}
