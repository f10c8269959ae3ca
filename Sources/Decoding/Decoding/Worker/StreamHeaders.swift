// Determines the headers of a stream, which a decoder needs again when it starts in the middle. Pure; worker
// process only.

import MediaFormats

/// Finds the end of the headers of an Ogg link, FLAC or WAV. Other formats of stations have no headers before
/// their frames.
enum StreamHeaders {
  /// Maximum size of kept headers in bytes; comments may contain pictures.
  static let maxLength = 256 << 10

  enum Extent: Equatable {
    /// The headers are the first bytes, this many.
    case bytes(Int)
    /// More bytes are needed.
    case more
    /// The format has no known headers, or they are too long.
    case unknown
  }

  /// Inspects the beginning of a stream or link.
  static func extent(of bytes: UnsafeRawBufferPointer) -> Extent {
    guard bytes.count >= 4 else { return .more }
    if bytes.starts(with: OggPage.capture) { return ogg(bytes) }
    if bytes.starts(with: [0x66, 0x4C, 0x61, 0x43]) { return flac(bytes) }
    if bytes.starts(with: [0x52, 0x49, 0x46, 0x46]) { return wave(bytes) }
    return .unknown
  }

  /// Size in bytes of one frame of WAV, at whose multiples decoding can start; 1 for other formats.
  static func alignment(of headers: [UInt8]) -> Int64 {
    guard headers.starts(with: [0x52, 0x49, 0x46, 0x46]) else { return 1 }
    var place = 12
    while place + 24 <= headers.count {
      if headers[place..<(place + 4)].elementsEqual([0x66, 0x6D, 0x74, 0x20]) {
        return max(1, Int64(headers[place + 20]) | Int64(headers[place + 21]) << 8)
      }
      place += 8 + Self.size(headers[(place + 4)...])
    }
    return 1
  }

  /// The pages up to the first one with a granule position: header pages have none (RFC 3533, RFC 7845,
  /// mappings of Vorbis and FLAC).
  private static func ogg(_ bytes: UnsafeRawBufferPointer) -> Extent {
    var place = 0
    while true {
      guard let page = OggPage(bytes, at: place) else {
        return OggPage.isPartial(bytes.dropFirst(place)) ? .more : .unknown
      }
      if page.position != 0, page.position != -1 { return .bytes(place) }
      place += Int(page.size)
      guard place <= maxLength else { return .unknown }
    }
  }

  /// The metadata blocks up to the one marked as last.
  private static func flac(_ bytes: UnsafeRawBufferPointer) -> Extent {
    var place = 4
    while true {
      guard place + 4 <= bytes.count else { return .more }
      let size = Int(bytes[place + 1]) << 16 | Int(bytes[place + 2]) << 8 | Int(bytes[place + 3])
      let isLast = bytes[place] & 0x80 != 0
      place += 4 + size
      guard place <= maxLength else { return .unknown }
      if isLast { return place <= bytes.count ? .bytes(place) : .more }
    }
  }

  /// The chunks up to the beginning of the data chunk's content.
  private static func wave(_ bytes: UnsafeRawBufferPointer) -> Extent {
    var place = 12
    while true {
      guard place + 8 <= bytes.count else { return .more }
      if bytes[place..<(place + 4)].elementsEqual([0x64, 0x61, 0x74, 0x61]) { return .bytes(place + 8) }
      place += 8 + size(bytes[(place + 4)...])
      guard place <= maxLength else { return .unknown }
    }
  }

  /// Padded size of a chunk in bytes, limited to the maximum size of headers.
  private static func size(_ bytes: some Collection<UInt8>) -> Int {
    var (value, shift) = (UInt32(0), UInt32(0))
    for byte in bytes.prefix(4) {
      value |= UInt32(byte) << shift
      shift += 8
    }
    return Int(min(value, UInt32(maxLength)) + value % 2)
  }
}
