// The sound of healthy tracks: a frame says which track it belongs to and which of its frames it is, at any gain. Pure.

/// Both channels carry the gain; their ratio, between a half and one, carries track and frame.
enum HealthySignal {
  /// Tracks that can be told apart, and frames of each.
  static let tracks = 8
  static let frames = 1 << 15
  private static let codes: UInt32 = 1 << 18

  /// Integrations sound nothing alike, so that a mix of two tracks is not taken for a third: four rounds of a Feistel network on
  /// two halves of nine bits.
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

  /// The left channel.
  static let level: Float = 0.25

  /// The right channel of every frame of every track, as parts of the left one.
  private static let ratios: [Float] = (0..<codes).map {
    0.5 + (Float(scattered($0)) + 0.5) / Float(2 * codes)
  }

  /// The right channel of a frame, as a part of the left one.
  @inline(__always)
  static func ratio(_ place: Int) -> Float { ratios[place] }

  /// Whether a frame sounds like that at a place.
  @inline(__always)
  static func sounds(_ left: Float, _ right: Float, like place: Int) -> Bool {
    left > 1e-30 && abs(right / left - ratios[place]) < 0.35 / Float(2 * codes)
  }

  /// The place that a frame was heard from, as track and frame in one number; nil where it sounds like none.
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
