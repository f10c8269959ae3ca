// Search for a page in an Ogg stream that was entered at an arbitrary byte. Worker process, one thread.

import MediaFormats
import Streaming

/// Finds the next page at which a decoder can start.
enum OggPageSearch {
  /// A page, located by its first byte.
  struct Page: Equatable {
    let offset: Int64
    /// Whether it is the first page of a link.
    let isFirst: Bool
  }

  /// Maximum number of bytes searched.
  static let maxBytes = 128 << 10
  /// Size in bytes of a page header up to its serial number.
  private static let header = 18

  /// Finds the next page that begins a link, or that begins with a packet of the stream `serial`. Blocks
  /// until its bytes arrive.
  ///
  /// - Parameters:
  ///   - offset: Where the search starts in the stream.
  ///   - serial: Serial number of the logical stream.
  ///   - spool: The stream.
  /// - Returns: Nil if there is none within `maxBytes`, or the stream ends.
  static func page(from offset: Int64, serial: ArraySlice<UInt8>, in spool: SpoolReader) -> Page? {
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 4096)
    var place = 0
    while place < maxBytes {
      let size = piece.count
      let from = offset + Int64(bytes.count)
      guard
        case .bytes(let count) = piece.withUnsafeMutableBytes({ spool.read($0.baseAddress!, size, at: from) }),
        count > 0
      else { return nil }
      bytes += piece.prefix(count)
      while place + header <= bytes.count {
        if let isFirst = judge(bytes[place..<(place + header)], serial: serial) {
          return Page(offset: offset + Int64(place), isFirst: isFirst)
        }
        place += 1
      }
    }
    return nil
  }

  /// Checks for a page at which a decoder can start. Returns whether it is the first of a link; nil if there
  /// is none.
  private static func judge(_ bytes: ArraySlice<UInt8>, serial: ArraySlice<UInt8>) -> Bool? {
    let start = bytes.startIndex
    guard bytes.starts(with: OggPage.capture), bytes[start + 4] == 0 else { return nil }
    let kind = bytes[start + 5]
    if kind & OggPage.firstBit != 0 { return true }
    // A page that continues a packet is no start.
    return kind & OggPage.continuedBit == 0 && bytes[(start + 14)...].elementsEqual(serial) ? false : nil
  }
}
