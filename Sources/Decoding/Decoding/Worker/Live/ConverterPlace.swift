// Where in what went into a rate converter the frame lies that comes out next. A pure value; worker only.

/// Counts by the ratio that the converter was given, as it moves. libsoxr holds back some frames, but what comes out lies where its ratio says, to
/// two frames.
struct ConverterPlace {
  /// Frames of the input in one of the output, while nothing is corrected.
  private let ratio: Double
  /// Frames of the output over which a new correction comes into force.
  private let slew: Double
  /// Of the input, since the last restart.
  private(set) var next = 0.0
  private var pace: Double
  private var wanted: Double
  private var left = 0.0

  init(from source: Int, to engine: Int) {
    ratio = Double(source) / Double(engine)
    slew = Double(engine / VariableResampler.turn)
    (pace, wanted) = (ratio, ratio)
  }

  /// The converter begins anew.
  mutating func restart() {
    next = 0
    pace = wanted
    left = 0
  }

  /// The converter was told of a correction.
  mutating func correct(by partsPerMillion: Double) {
    wanted = ratio * (1 + partsPerMillion / 1e6)
    left = slew
  }

  /// So many frames have come out.
  mutating func advance(_ written: Int) {
    let count = Double(written)
    let steered = min(count, left)
    if steered > 0 {
      let last = pace + (wanted - pace) * steered / left
      next += steered * (pace + last) / 2
      pace = last
      left -= steered
    }
    if left <= 0 { pace = wanted }
    next += (count - steered) * pace
  }
}
