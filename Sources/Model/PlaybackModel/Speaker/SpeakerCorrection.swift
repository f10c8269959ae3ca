// All that is done for the sake of the speaker: equaliser, high-pass, loudness, and the headroom that they need.
// Pure values; any thread.

/// How the sound is corrected for a speaker.
package struct SpeakerCorrection: Hashable, Sendable {
  /// Bands of the equaliser.
  package static let bandCount = 10
  /// Filters in a row: the factor that leaves headroom, the high-pass, the bands, the two shelves of the loudness.
  package static let filterCount = bandCount + 4

  /// The equaliser's bands; nil is off. There are `bandCount`.
  package private(set) var bands: [EqualizerBand?] = Array(
    repeating: nil, count: SpeakerCorrection.bandCount)
  /// Below this frequency, in Hz, nothing reaches the speaker; 12 dB less with each octave. Nil is off.
  package private(set) var highPass: Double?
  /// Loudness that follows the volume; nil is off.
  package private(set) var loudness: LoudnessContour?

  /// None.
  package init() {}

  /// Bands, of which the first `bandCount` count; high-pass and loudness.
  package init(bands: [EqualizerBand?], highPass: Double? = nil, loudness: LoudnessContour? = nil) {
    for (i, band) in bands.prefix(Self.bandCount).enumerated() { self.bands[i] = band }
    self.highPass = highPass
    self.loudness = loudness
  }

  /// Whether nothing is done.
  package var isOff: Bool { highPass == nil && loudness == nil && !bands.contains { $0 != nil } }

  /// The filters that do not depend on the volume, without the factor for headroom: the high-pass and the bands.
  private func plainFilters(at rate: SampleRate) -> [Biquad] {
    let pass = highPass.flatMap { EqualizerBand(.highPass, frequency: $0) }
    return ([pass] + bands).map { $0?.filter(at: rate) ?? .unity }
  }

  /// The filters in their order, but for the loudness: it depends on the volume.
  package func fixedFilters(at rate: SampleRate) -> [Biquad] {
    let headroom = headroom(at: rate)
    let factor = headroom > 0 ? Polynomial.exp2(headroom * -0.16609640474436813) : 1
    return [Biquad(gain: factor)] + plainFilters(at: rate)
  }

  /// The two shelves of the loudness at a volume; where there is no volume, they do nothing.
  package func loudnessFilters(at rate: SampleRate, volume: Volume?) -> [Biquad] {
    guard let loudness, let volume else { return [.unity, .unity] }
    let shelves = loudness.filters(at: rate, volume: volume)
    return [shelves.bass, shelves.treble]
  }

  /// How loud each frequency comes out, headroom taken off; without the loudness where there is no volume.
  package func response(at rate: SampleRate, volume: Volume? = nil) -> FrequencyResponse {
    FrequencyResponse(
      of: fixedFilters(at: rate) + loudnessFilters(at: rate, volume: volume), rate: rate)
  }

  /// By how many decibels everything is made quieter so that no frequency comes out louder than it went in: the highest
  /// point of the response of high-pass and bands. The loudness needs none: it never adds more than the volume takes away.
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
      // The narrowest hump is wider than two steps.
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

  /// From one frequency to the next in the search for summits: 1/48 octave.
  private static let step = 1.0145453349375237

  /// The highest level between two frequencies with one summit between them.
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
