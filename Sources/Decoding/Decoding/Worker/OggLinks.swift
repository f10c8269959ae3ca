// Detects the start of the next link in a chained Ogg stream of unknown length. Pure; worker process only.

import MediaFormats

/// Searches for first pages (RFC 3533) after the audio of a link.
///
/// Pages are recognised by their first bytes anywhere in the data, because the previous page may be cut off.
/// A station that sends such bytes inside its audio only ends its own link.
struct OggLinks {
  /// The result for a piece of the stream.
  enum Judgement: Equatable {
    /// All bytes belong to the present link.
    case none
    /// The next link begins at this index of the piece.
    case link(Int)
    /// From this index on, more bytes are needed to decide.
    case unclear(Int)
  }

  /// The capture pattern followed by version 0.
  private static let magic = OggPage.capture + [0]
  /// Bytes inspected: magic, header type, and granule position, which is 0 in a first page.
  private static let length = 14

  /// Whether the present link had pages after its first ones. The first pages of all streams of a link
  /// precede its other pages.
  private var isBehindFirstPages: Bool

  /// Creates a detector.
  ///
  /// - Parameter isBehindFirstPages: Whether it starts in the middle of a link.
  init(isBehindFirstPages: Bool = false) { self.isBehindFirstPages = isBehindFirstPages }

  /// Inspects the next piece of the stream. It must follow the bytes that were found to belong to the present
  /// link.
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
      if piece[place + 5] & OggPage.firstBit == 0 {
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
