// Tracks the input position of a rate converter's next output frame. A pure value; worker process only.

/// Integrates the converter's ratio, including its slews. libsoxr buffers some frames internally, but its
/// output matches this position within two frames.
struct ConverterPlace {
  /// Input frames per output frame without correction.
  private let ratio: Double
  /// Output frames over which a new correction takes effect.
  private let slew: Double
  /// Position in the input, in frames since the last restart.
  private(set) var next = 0.0
  private var pace: Double
  private var wanted: Double
  private var left = 0.0

  init(from source: Int, to engine: Int) {
    ratio = Double(source) / Double(engine)
    slew = Double(engine / VariableResampler.turn)
    (pace, wanted) = (ratio, ratio)
  }

  /// Resets the position, as the converter restarts.
  mutating func restart() {
    next = 0
    pace = wanted
    left = 0
  }

  /// Records a correction that was passed to the converter.
  mutating func correct(by partsPerMillion: Double) {
    wanted = ratio * (1 + partsPerMillion / 1e6)
    left = slew
  }

  /// Advances by output frames.
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
