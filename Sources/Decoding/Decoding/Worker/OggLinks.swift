// Finds where an Ogg stream of unknown length begins anew: its chained streams, one for each track of a station. Pure; worker process.

/// Looks for the first pages (RFC 3533) that come behind sound. Pages are found by their first bytes alone, wherever these stand: what
/// comes before may have been broken off in mid-page. Who sends such bytes as sound ends their own stream's track.
struct OggLinks {
  /// What a piece of the stream is.
  enum Judgement: Equatable {
    /// All of it belongs to the present link.
    case none
    /// The next link begins at that byte of the piece.
    case link(Int)
    /// From that byte on, only more bytes can say.
    case unclear(Int)
  }

  /// "OggS", which every page begins with.
  static let capture: [UInt8] = [0x4F, 0x67, 0x67, 0x53]
  /// The same, and version 0.
  private static let magic = capture + [0]
  /// The magic, the page's kind, and the position, which a first page has not.
  private static let length = 14
  /// The bit of a page's kind that marks a first page.
  static let first: UInt8 = 2

  /// Whether the present link had pages after its first ones: those of all its streams come before any other.
  private var isBehindFirstPages: Bool

  /// Judges from a link's beginning on, or from its middle.
  init(isBehindFirstPages: Bool = false) { self.isBehindFirstPages = isBehindFirstPages }

  /// Judges a piece that follows, without a gap, what was judged before to be the present link's.
  mutating func look(at piece: UnsafeRawBufferPointer) -> Judgement {
    var place = 0
    while place < piece.count {
      guard piece[place] == Self.magic[0] else {
        place += 1
        continue
      }
      let matched = Self.magic.indices.prefix {
        place + $0 < piece.count && piece[place + $0] == Self.magic[$0]
      }
      .count
      guard matched == Self.magic.count else {
        if place + matched == piece.count { return .unclear(place) }
        place += 1
        continue
      }
      guard place + 5 < piece.count else { return .unclear(place) }
      if piece[place + 5] & Self.first == 0 {
        isBehindFirstPages = true
      } else if isBehindFirstPages {
        let position = piece[(place + 6)..<min(place + Self.length, piece.count)]
        if position.allSatisfy({ $0 == 0 }) {
          return place + Self.length > piece.count ? .unclear(place) : .link(place)
        }
      }
      place += Self.magic.count
    }
    return .none
  }
}
