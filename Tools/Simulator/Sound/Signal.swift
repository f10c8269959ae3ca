// The sound of simulated tracks: from every sample one can tell which decoder it came from, and which frame it is.
// Pure functions; any thread.

/// What simulated decoders decode. The left channel is constant and carries the gain; the right one is the left one
/// times a mark that looks random and belongs to one frame of one decoder: two that decode the same track sound different,
/// so that nobody has to guess which of them is heard.
enum Signal {
  /// The left channel at unity gain. Exact in a Float; two decks at full gain stay far below full scale.
  static let level: Float = 0.25

  /// What tells the marks of one decoder from those of another.
  struct Source: Equatable {
    fileprivate let seed: UInt32

    init(decoder: Int) { seed = UInt32(truncatingIfNeeded: decoder &+ 1) &* 0x9E37_79B1 }
  }

  /// No mark is farther from zero.
  static let maxMark: Float = 0.6

  /// The mark of a frame. Exact in a Float times `level`, too.
  @inline(__always)
  static func mark(_ source: Source, _ frame: Int) -> Float {
    var bits = source.seed ^ UInt32(truncatingIfNeeded: frame)
    bits = (bits ^ (bits >> 16)) &* 0x7FEB_352D
    bits = (bits ^ (bits >> 15)) &* 0x846C_A68B
    bits ^= bits >> 16
    return Float(Int32(bits >> 9) &- 4_194_304) * (0.6 / 4_194_304)
  }

  /// What lies in a ring that must not be read any more. No track sounds like it: its left channel is negative.
  static let poison: Float = -0.7
}
