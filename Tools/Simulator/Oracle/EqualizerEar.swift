// Undoes the speaker equalizer in the recorded output, so that the rest of the oracle can ignore it. A value; one
// thread.

import PlaybackModel

/// Inverts the equalizer's filters. Exact but for the rounding of the output, because it tracks the filters' state.
/// The bands must be peaks and shelves: a filter that blocks a frequency entirely has no inverse.
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
  /// Factor by which rounding errors may grow through the inversion: the sum of the inverse's impulse response.
  private var growth = 0.0
  /// Peak level of the recent past.
  private var recent = 0.0
  /// Interleaved samples of the last call, without the equalizer.
  private(set) var samples: [Float] = []
  /// Error bound of `samples`.
  private(set) var error: Float = 0

  /// Creates an inverse for the bands that a configuration sets; nil if it sets none.
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

  /// The band of a line such as `set eq.1 peak 500Hz +6dB Q1`; nil for any other line.
  private static func band(_ line: String) -> EqualizerBand? {
    let words = line.split(separator: " ")
    guard words.count == 6, words[0] == "set", words[1].hasPrefix("eq."),
      let shape = EqualizerBand.Shape.allCases.first(where: { $0.name == words[2] }),
      let frequency = Double(words[3].dropLast(2)), let gain = Double(words[4].dropLast(2)),
      let quality = Double(words[5].dropFirst())
    else { return nil }
    return EqualizerBand(shape, frequency: frequency, gain: gain, quality: quality)
  }

  /// Processes frames of the output into `samples`.
  /// - Parameters:
  ///   - heard: Interleaved stereo.
  ///   - frames: Number of frames.
  mutating func hear(_ heard: UnsafePointer<Float>, frames: Int) {
    samples.removeAll(keepingCapacity: true)
    var worst = 0.0
    for i in 0..<frames {
      var frame = SIMD2(Double(heard[2 * i]), Double(heard[2 * i + 1]))
      // A ringing filter is never exactly silent, so silence means that the filters' state is zero.
      if frame == .zero { forget() }
      recent = max(recent * 0.98, frame.x.magnitude, frame.y.magnitude)
      frame = input(of: frame)
      // The output was rounded to Float.
      let error = max(1.2e-6, 2.5e-7 * growth) * recent + 1e-10
      worst = max(worst, error)
      let isSilent = frame.x.magnitude <= error && frame.y.magnitude <= error
      samples.append(isSilent ? 0 : Float(frame.x))
      samples.append(isSilent ? 0 : Float(frame.y))
    }
    error = Float(worst)
  }

  /// Resets the filter state, after the output has started anew.
  mutating func forget() {
    for place in stages.indices { (stages[place].first, stages[place].second) = (.zero, .zero) }
    recent = 0
  }
}
