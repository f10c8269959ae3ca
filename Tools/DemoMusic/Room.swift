// Reverberation for the demo's music. Pure computation.

/// Feedback delay network of eight lines, whose lengths have no common factor, with a Hadamard feedback matrix.
struct Room {
  private static let milliseconds = [29.7, 37.1, 41.1, 43.7, 53.3, 61.9, 67.7, 79.1]
  private var lines: [[Float]]
  private var places = [Int](repeating: 0, count: 8)
  private var damped = [Float](repeating: 0, count: 8)
  private let feedback: Float = 0.83

  /// Creates a silent room.
  init(rate: Int) {
    lines = Self.milliseconds.map { [Float](repeating: 0, count: Int($0 * Double(rate) / 1000)) }
  }

  /// Processes one frame and returns the reverberation.
  mutating func answer(_ left: Float, _ right: Float) -> (left: Float, right: Float) {
    var taps = InlineArray<8, Float>(repeating: 0)
    for i in 0..<8 {
      // Damp high frequencies, as air and curtains do.
      damped[i] += 0.42 * (lines[i][places[i]] - damped[i])
      taps[i] = damped[i]
    }
    let out = (taps[0] + taps[2] - taps[4] + taps[6], taps[1] - taps[3] + taps[5] + taps[7])
    var step = 1
    while step < 8 {
      var i = 0
      while i < 8 {
        for j in i..<(i + step) {
          (taps[j], taps[j + step]) = (taps[j] + taps[j + step], taps[j] - taps[j + step])
        }
        i += step * 2
      }
      step *= 2
    }
    for i in 0..<8 {
      lines[i][places[i]] = (i % 2 == 0 ? left : right) * 0.5 + taps[i] * 0.35355339 * feedback
      places[i] = places[i] + 1 == lines[i].count ? 0 : places[i] + 1
    }
    return (out.0 * 0.4, out.1 * 0.4)
  }
}
