// Takes the speaker's equaliser out of what is heard: behind it the sound is as if there were none. A value; one thread.

import PlaybackModel

/// Computes what went into the filters from what came out of them. It remembers what they do, so it is exact but for the
/// rounding of what came out. Filters that let nothing of a frequency through cannot be turned round: bands must be peaks and
/// shelves.
struct EqualizerEar {
  private struct Stage {
    let filter: Biquad
    var first = SIMD2<Double>.zero
    var second = SIMD2<Double>.zero

    mutating func input(of output: SIMD2<Double>) -> SIMD2<Double> {
      let input = (output - first) / filter.b0
      first = filter.b1 * input - filter.a1 * output + second
      second = filter.b2 * input - filter.a2 * output
      return input
    }
  }

  private var stages: [Stage]
  /// By how much what is rounded may grow on its way back, as the sum of what one sample leaves behind.
  private var growth = 0.0
  /// The loudest sample of late.
  private var recent = 0.0
  /// The samples of the last call without the equaliser, interleaved.
  private(set) var samples: [Float] = []
  /// By how much each of them may be wrong.
  private(set) var error: Float = 0

  /// An ear for the bands that a configuration sets; nil where it sets none.
  init?(_ configuration: [String], rate: Int) {
    let bands = configuration.compactMap { Self.band($0) }
    guard !bands.isEmpty else { return nil }
    stages = SpeakerCorrection(bands: bands).fixedFilters(at: SampleRate(rate)).filter { !$0.isUnity }.map {
      Stage(filter: $0)
    }
    for i in 0..<400 { growth += input(of: SIMD2(repeating: i == 0 ? 1 : 0)).x.magnitude }
    forget()
  }

  private mutating func input(of output: SIMD2<Double>) -> SIMD2<Double> {
    var frame = output
    for place in stages.indices.reversed() { frame = stages[place].input(of: frame) }
    return frame
  }

  /// The band of a line such as `set eq.1 peak 500Hz +6dB Q1`; nil of any other line.
  private static func band(_ line: String) -> EqualizerBand? {
    let words = line.split(separator: " ")
    guard words.count == 6, words[0] == "set", words[1].hasPrefix("eq."),
      let shape = EqualizerBand.Shape.allCases.first(where: { $0.name == words[2] }),
      let frequency = Double(words[3].dropLast(2)), let gain = Double(words[4].dropLast(2)),
      let quality = Double(words[5].dropFirst())
    else { return nil }
    return EqualizerBand(shape, frequency: frequency, gain: gain, quality: quality)
  }

  /// Hears some frames.
  mutating func hear(_ heard: UnsafePointer<Float>, frames: Int) {
    samples.removeAll(keepingCapacity: true)
    var worst = 0.0
    for i in 0..<frames {
      var frame = SIMD2(Double(heard[2 * i]), Double(heard[2 * i + 1]))
      // Filters that ring are heard; those that are at rest begin anew.
      if frame == .zero { forget() }
      recent = max(recent * 0.98, frame.x.magnitude, frame.y.magnitude)
      frame = input(of: frame)
      // What comes out is rounded.
      let error = max(1.2e-6, 2.5e-7 * growth) * recent + 1e-10
      worst = max(worst, error)
      let isSilent = frame.x.magnitude <= error && frame.y.magnitude <= error
      samples.append(isSilent ? 0 : Float(frame.x))
      samples.append(isSilent ? 0 : Float(frame.y))
    }
    error = Float(worst)
  }

  /// The filters have begun anew: what they heard before is gone.
  mutating func forget() {
    for place in stages.indices { (stages[place].first, stages[place].second) = (.zero, .zero) }
    recent = 0
  }
}
