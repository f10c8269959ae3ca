// Where a WAV or AIFF file keeps its samples, and in which form. A value; worker process only.

import CodecSupport

/// What the chunk parsers find out.
struct PCMLayout {
  var encoding: SampleEncoding
  var rate: UInt32
  var channels: UInt32
  /// Bits of a sample that carry sound: a 24-bit sample may lie in 32.
  var significantBits: UInt32
  /// The first sample's offset in bytes.
  var dataStart: Int64
  /// Bytes of samples as the file says, trimmed to its length; nil if neither is known.
  var dataBytes: Int64?

  var bytesPerFrame: Int { encoding.bytesPerSample * Int(channels) }

  /// 8, 16, 24 or 32: the narrowest word that holds the significant bits.
  var bits: UInt32 {
    switch encoding {
    // G.711 expands to 16-bit values.
    case .aLaw, .muLaw: return 16
    case .float32, .float64: return 32
    default:
      let container = UInt32(encoding.bytesPerSample * 8)
      guard significantBits >= 1, significantBits <= container else { return container }
      return (significantBits + 7) / 8 * 8
    }
  }
}

/// A chunk's header, as RIFF and IFF have them: four letters and a size.
struct Chunk {
  let id: UInt32
  let size: UInt32

  /// Four ASCII letters as a number, the first one highest.
  static func id(_ name: StaticString) -> UInt32 {
    let text = name.utf8Start
    return UInt32(text[0]) << 24 | UInt32(text[1]) << 16 | UInt32(text[2]) << 8 | UInt32(text[3])
  }
}

/// A file's bytes at an offset, read whole or not at all.
struct ChunkReader {
  let input: MediaInput
  /// Chunks looked at before the file counts as hostile.
  static let chunkLimit = 4096

  /// Reads `count` bytes at `offset`; nil if the file ends before them.
  func bytes(at offset: Int64, count: Int) throws(CodecFailure) -> [UInt8]? {
    let bytes = try input.bytes(at: offset, count: count)
    return bytes.count == count ? bytes : nil
  }

  /// Reads a text chunk of up to `count` bytes (1024 at most), cut at its first NUL.
  func text(at offset: Int64, count: Int) throws(CodecFailure) -> [UInt8] {
    guard let bytes = try bytes(at: offset, count: min(count, 1024)) else { return [] }
    return Array(bytes.prefix { $0 != 0 })
  }
}

extension Array where Element == UInt8 {
  func little16(_ offset: Int) -> UInt32 { UInt32(self[offset]) | UInt32(self[offset + 1]) << 8 }

  func little32(_ offset: Int) -> UInt32 { little16(offset) | little16(offset + 2) << 16 }

  func little64(_ offset: Int) -> UInt64 {
    UInt64(little32(offset)) | UInt64(little32(offset + 4)) << 32
  }

  func big16(_ offset: Int) -> UInt32 { UInt32(self[offset]) << 8 | UInt32(self[offset + 1]) }

  func big32(_ offset: Int) -> UInt32 { big16(offset) << 16 | big16(offset + 2) }
}
