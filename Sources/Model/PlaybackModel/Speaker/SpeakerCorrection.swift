// Speaker correction: equaliser, high-pass, loudness compensation, and the headroom for them. Pure values; any thread.

/// Correction of the sound for a speaker.
package struct SpeakerCorrection: Hashable, Sendable {
  /// Number of equaliser bands.
  package static let bandCount = 10
  /// Number of filters in the cascade: headroom gain, high-pass, equaliser bands, and two loudness shelves.
  package static let filterCount = bandCount + 4

  /// The equaliser bands; nil entries are off. Always has `bandCount` entries.
  package private(set) var bands: [EqualizerBand?] = Array(
    repeating: nil, count: SpeakerCorrection.bandCount)
  /// Corner frequency in Hz of the high-pass, with 12 dB per octave; nil if it is off.
  package private(set) var highPass: Double?
  /// Loudness compensation; nil if it is off.
  package private(set) var loudness: LoudnessContour?

  /// No correction.
  package init() {}

  /// A correction; only the first `bandCount` bands are used.
  package init(bands: [EqualizerBand?], highPass: Double? = nil, loudness: LoudnessContour? = nil) {
    for (i, band) in bands.prefix(Self.bandCount).enumerated() { self.bands[i] = band }
    self.highPass = highPass
    self.loudness = loudness
  }

  /// Whether no filter is configured.
  package var isOff: Bool { highPass == nil && loudness == nil && !bands.contains { $0 != nil } }

  /// High-pass and bands, without the headroom gain.
  private func plainFilters(at rate: SampleRate) -> [Biquad] {
    let pass = highPass.flatMap { EqualizerBand(.highPass, frequency: $0) }
    return ([pass] + bands).map { $0?.filter(at: rate) ?? .unity }
  }

  /// All filters except loudness, in order; they do not depend on the volume.
  package func fixedFilters(at rate: SampleRate) -> [Biquad] {
    let headroom = headroom(at: rate)
    let factor = headroom > 0 ? Polynomial.exp2(headroom * -0.16609640474436813) : 1
    return [Biquad(gain: factor)] + plainFilters(at: rate)
  }

  /// The two loudness shelves at a volume; without a volume, they have no effect.
  package func loudnessFilters(at rate: SampleRate, volume: Volume?) -> [Biquad] {
    guard let loudness, let volume else { return [.unity, .unity] }
    let shelves = loudness.filters(at: rate, volume: volume)
    return [shelves.bass, shelves.treble]
  }

  /// The frequency response including headroom; without a volume, loudness is left out.
  package func response(at rate: SampleRate, volume: Volume? = nil) -> FrequencyResponse {
    FrequencyResponse(
      of: fixedFilters(at: rate) + loudnessFilters(at: rate, volume: volume), rate: rate)
  }

  /// Attenuation in dB that keeps the response at or below 0 dB: the maximum of high-pass and bands.
  ///
  /// Loudness needs no headroom, since it adds less than the volume removes.
  package func headroom(at rate: SampleRate) -> Double {
    let response = FrequencyResponse(of: plainFilters(at: rate), rate: rate)
    guard !response.isFlat else { return 0 }
    let end = Double(rate.hertz) / 2
    var highest = max(0, response.decibels(at: 0), response.decibels(at: end))
    var before = -300.0
    var here = -300.0
    var frequency = 5.0
    while frequency < end * Self.step {
      let next = frequency < end ? response.decibels(at: frequency) : -300
      // The narrowest peak is wider than two steps.
      if here >= before, here >= next {
        highest = max(
          highest,
          Self.summit(of: response, below: min(frequency, end), above: frequency / Self.step / Self.step))
      }
      (before, here) = (here, next)
      frequency *= Self.step
    }
    return highest
  }

  /// Frequency ratio between two samples of the response: 1/48 octave.
  private static let step = 1.0145453349375237

  /// Maximum between two frequencies with a single peak between them (ternary search).
  private static func summit(of response: FrequencyResponse, below end: Double, above start: Double) -> Double
  {
    var low = start
    var high = end
    for _ in 0..<40 {
      let third = (high - low) / 3
      if response.decibels(at: low + third) < response.decibels(at: high - third) {
        low += third
      } else {
        high -= third
      }
    }
    return response.decibels(at: (low + high) / 2)
  }
}
