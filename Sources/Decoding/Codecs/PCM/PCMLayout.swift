// Format and location of the samples in a WAV or AIFF file. A value; worker process only.

import CodecSupport

/// The result of the chunk parsers.
struct PCMLayout {
  var encoding: SampleEncoding
  var rate: UInt32
  var channels: UInt32
  /// Significant bits per sample; 24-bit samples may be stored in 32 bits.
  var significantBits: UInt32
  /// Offset of the first sample in bytes.
  var dataStart: Int64
  /// Size of the samples in bytes, limited to the file's length; nil if unknown.
  var dataBytes: Int64?

  var bytesPerFrame: Int { encoding.bytesPerSample * Int(channels) }

  /// The significant bits rounded up to 8, 16, 24 or 32.
  var bits: UInt32 {
    switch encoding {
    // G.711 expands to 16 bits.
    case .aLaw, .muLaw: return 16
    case .float32, .float64: return 32
    default:
      let container = UInt32(encoding.bytesPerSample * 8)
      guard significantBits >= 1, significantBits <= container else { return container }
      return (significantBits + 7) / 8 * 8
    }
  }
}

/// The header of a RIFF or IFF chunk: four letters and a size.
struct Chunk {
  let id: UInt32
  let size: UInt32
}

/// Reads the chunks of a file.
struct ChunkReader {
  let input: MediaInput
  /// Maximum number of chunks, to bound the work on hostile files.
  static let chunkLimit = 4096

  /// Reads `count` bytes at `offset`; nil if the file is shorter.
  func bytes(at offset: Int64, count: Int) throws(CodecFailure) -> [UInt8]? {
    let bytes = try input.bytes(at: offset, count: count)
    return bytes.count == count ? bytes : nil
  }

  /// Reads a text chunk of up to `count` bytes (at most 1024), cut at its first NUL.
  func text(at offset: Int64, count: Int64) throws(CodecFailure) -> [UInt8] {
    guard let bytes = try bytes(at: offset, count: Int(min(count, 1024))) else { return [] }
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
