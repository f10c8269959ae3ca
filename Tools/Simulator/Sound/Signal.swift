// Signal of simulated tracks: each sample identifies its decoder and its frame number. Pure functions; any thread.

/// Signal of simulated decoders. The left channel is constant and carries the gain; the right one is the left one
/// times a pseudorandom mark that depends on decoder and frame. Two decoders of the same track sound different, so
/// the oracle can always tell which one is heard.
enum Signal {
  /// Left channel at unity gain. Exact in a Float; two decks at full gain stay far below full scale.
  static let level: Float = 0.25

  /// Identifies the marks of one decoder.
  struct Source: Equatable {
    fileprivate let seed: UInt32

    init(decoder: Int) { seed = UInt32(truncatingIfNeeded: decoder &+ 1) &* 0x9E37_79B1 }
  }

  /// Upper bound of a mark's magnitude.
  static let maxMark: Float = 0.6

  /// The mark of a frame. Its product with `level` is exact in a Float, too.
  @inline(__always)
  static func mark(_ source: Source, _ frame: Int) -> Float {
    var bits = source.seed ^ UInt32(truncatingIfNeeded: frame)
    bits = (bits ^ (bits >> 16)) &* 0x7FEB_352D
    bits = (bits ^ (bits >> 15)) &* 0x846C_A68B
    bits ^= bits >> 16
    return Float(Int32(bits >> 9) &- 4_194_304) * (0.6 / 4_194_304)
  }

  /// Value that fills rings that must not be read any more. No track contains it: a track's left channel is never
  /// negative.
  static let poison: Float = -0.7
}
