// Finds a page in an Ogg stream that was entered at any byte. Worker process, one thread.

import Streaming

/// Looks for the next page that a decoder can begin with.
enum OggPageSearch {
  /// A page, by its first byte.
  struct Page: Equatable {
    let offset: Int64
    /// Whether it is the first one of a link.
    let isFirst: Bool
  }

  /// Bytes that are searched.
  static let maxBytes = 128 << 10
  /// Bytes of a page up to its serial number.
  private static let header = 18

  /// The first page from a byte on that begins a link, or that begins with a packet of the stream with a serial number. Waits for bytes;
  /// nil where there is none within `maxBytes`, or no more bytes come.
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

  /// Whether the bytes begin a page that can be entered, and whether that is a link's first one; nil where they do not.
  private static func judge(_ bytes: ArraySlice<UInt8>, serial: ArraySlice<UInt8>) -> Bool? {
    let start = bytes.startIndex
    guard bytes.starts(with: OggLinks.capture), bytes[start + 4] == 0 else { return nil }
    let kind = bytes[start + 5]
    if kind & OggLinks.first != 0 { return true }
    // Bit 0: it begins in the middle of a packet.
    return kind & 1 == 0 && bytes[(start + 14)...].elementsEqual(serial) ? false : nil
  }
}
