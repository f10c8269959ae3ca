// Signal of healthy tracks: each frame identifies its track and frame number at any gain. Pure.

/// Both channels carry the gain; their ratio, between 0.5 and 1, encodes track and frame.
enum HealthySignal {
  /// Number of tracks, and of frames per track, that can be distinguished.
  static let tracks = 8
  static let frames = 1 << 15
  private static let codes: UInt32 = 1 << 18

  /// Spreads neighbouring codes apart, so that a mix of two tracks is not mistaken for a third: a Feistel network of
  /// four rounds on two halves of nine bits.
  @inline(__always)
  private static func scattered(_ value: UInt32) -> UInt32 {
    var (left, right) = (value >> 9, value & 511)
    for round in 0..<4 as Range<UInt32> { (left, right) = (right, left ^ mixed(right, round)) }
    return left << 9 | right
  }

  @inline(__always)
  private static func gathered(_ code: UInt32) -> UInt32 {
    var (left, right) = (code >> 9, code & 511)
    for round in (0..<4 as Range<UInt32>).reversed() { (left, right) = (right ^ mixed(left, round), left) }
    return left << 9 | right
  }

  @inline(__always)
  private static func mixed(_ half: UInt32, _ round: UInt32) -> UInt32 {
    let bits = (half &+ round &* 77 &+ 1) &* 0x9E37_79B1
    return ((bits ^ bits >> 15) &* 0x85EB_CA6B) >> 23
  }

  /// Left channel at unity gain.
  static let level: Float = 0.25

  /// Ratio of right to left channel for each frame of each track.
  private static let ratios: [Float] = (0..<codes).map {
    0.5 + (Float(scattered($0)) + 0.5) / Float(2 * codes)
  }

  /// The ratio of right to left channel for a code.
  @inline(__always)
  static func ratio(_ place: Int) -> Float { ratios[place] }

  /// Whether a frame matches a code.
  @inline(__always)
  static func sounds(_ left: Float, _ right: Float, like place: Int) -> Bool {
    left > 1e-30 && abs(right / left - ratios[place]) < 0.35 / Float(2 * codes)
  }

  /// The code of a frame, with the track in the bits from 15 up and the frame below; nil if it has none.
  @inline(__always)
  static func place(_ left: Float, _ right: Float) -> Int? {
    guard left > 1e-30 else { return nil }
    let scaled = (right / left - 0.5) * Float(2 * codes) - 0.5
    guard scaled > -0.4, scaled < Float(codes) - 0.6 else { return nil }
    let code = (scaled + 0.5).rounded(.down)
    guard abs(scaled - code) < 0.35 else { return nil }
    return Int(gathered(UInt32(code)))
  }
}
