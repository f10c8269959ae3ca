// The sound of simulated tracks: from every sample one can tell which track it belongs to, and which frame it is.
// Pure functions; any thread.

/// What simulated decoders decode. The left channel is constant and carries the gain; the right one is the left one
/// times a mark that looks random and belongs to one frame of one track.
enum Signal {
  /// The left channel at unity gain. Exact in a Float; two decks at full gain stay far below full scale.
  static let level: Float = 0.25

  /// The mark of a frame, between -0.6 and 0.6. Exact in a Float times `level`, too.
  @inline(__always)
  static func mark(track: Int, frame: Int) -> Float {
    var bits = UInt32(truncatingIfNeeded: track &+ 1) &* 0x9E37_79B1 ^ UInt32(truncatingIfNeeded: frame)
    bits = (bits ^ (bits >> 16)) &* 0x7FEB_352D
    bits = (bits ^ (bits >> 15)) &* 0x846C_A68B
    bits ^= bits >> 16
    return Float(Int32(bits >> 9) &- 4_194_304) * (0.6 / 4_194_304)
  }

  /// What lies in a ring that must not be read any more. No track sounds like it: its left channel is negative.
  static let poison: Float = -0.7

  /// The frame of a track whose mark lies nearest to another frame, among all tracks that there are: for telling
  /// people what they heard. Looks at the marks of several frames in a row; nil where nothing fits.
  static func identify(_ marks: [Float], tracks: [(number: Int, length: Int)]) -> (track: Int, frame: Int)? {
    guard let first = marks.first else { return nil }
    for (number, length) in tracks {
      for frame in 0..<max(0, length) where abs(mark(track: number, frame: frame) - first) < 1e-6 {
        let fits = marks.indices.allSatisfy { abs(mark(track: number, frame: frame + $0) - marks[$0]) < 1e-6 }
        if fits { return (number, frame) }
      }
    }
    return nil
  }
}
