// Parser for RIFF/WAVE and its 64-bit forms RF64 and BW64 (Microsoft "Multimedia Data Standards Update", EBU
// Tech 3306). Tolerates the errors of common recorders and streams. Worker process only.

import CodecSupport
import MediaFormats

/// Parses the chunks of a WAVE file, including tags.
struct WAVParser {
  let reader: ChunkReader
  let description: StreamDescription
  private var format: Format?
  private var data: (start: Int64, size: Int64?)?
  /// Data size from `ds64`, used if the 32-bit size is 0xFFFFFFFF.
  private var longDataSize: Int64?

  /// In a stream of unknown length, a data size from this on means "unknown".
  private static let endless: UInt32 = 0x7FFF_0000

  private struct Format {
    var encoding: SampleEncoding
    var rate: UInt32
    var channels: UInt32
    var significantBits: UInt32
  }

  init(_ input: MediaInput, _ description: StreamDescription) {
    reader = ChunkReader(input: input)
    self.description = description
  }

  /// Parses the file.
  ///
  /// - Parameter header: Its first twelve bytes.
  /// - Returns: Format and location of the samples.
  /// - Throws: `corrupt` or `unsupported` if it cannot be played.
  mutating func parse(header: [UInt8]) throws(CodecFailure) -> PCMLayout {
    let length = reader.input.length
    let isLong = header[0] != 0x52 || header[1] == 0x46  // RF64 or BW64, not RIFF
    let riffEnd = Int64(header.little32(4)) + 8
    var offset: Int64 = 12
    for _ in 0..<ChunkReader.chunkLimit {
      guard let head = try reader.bytes(at: offset, count: 8) else { break }
      let chunk = Chunk(id: head.big32(0), size: head.little32(4))
      var size = Int64(chunk.size)
      let body = offset + 8
      switch chunk.id {
      case UInt32(characters: "ds64"):
        if size >= 28, let sizes = try reader.bytes(at: body, count: 16) {
          longDataSize = Int64(exactly: sizes.little64(8))
        }
      case UInt32(characters: "fmt "):
        if format == nil { format = try parseFormat(at: body, size: size) }
      case UInt32(characters: "data"):
        if data == nil {
          let isClosed = length.map { abs($0 - riffEnd) <= 1 } ?? false
          data = (body, dataSize(chunk.size, at: body, isLong: isLong, isClosed: isClosed))
        }
        // The chunks after the audio of a stream have not arrived.
        guard length != nil, reader.input.farReads != .wait, let known = data?.size else {
          return try layout()
        }
        size = known
      case UInt32(characters: "LIST"):
        try parseList(at: body, size: size)
      case UInt32(characters: "id3 "), UInt32(characters: "ID3 "):
        try readID3(at: body)
      default: break
      }
      // Chunks begin at even offsets. A chunk that extends past the file's end is the last.
      offset = body + size + size & 1
      if let length, offset >= length { break }
    }
    return try layout()
  }

  /// Validates the size of the data chunk.
  ///
  /// The samples extend to the end of the file if the size is 0 or 0xFFFFFFFF (header not completed) or
  /// exceeds the file (truncated), or is near 2 GiB in a stream, as SoX writes to pipes.
  ///
  /// - Returns: The size in bytes; nil if unknown.
  private func dataSize(_ size: UInt32, at start: Int64, isLong: Bool, isClosed: Bool) -> Int64? {
    let rest = reader.input.length.map { max(0, $0 - start) }
    if size == .max, isLong, let longDataSize, longDataSize > 0 {
      return rest.map { min($0, longDataSize) } ?? longDataSize
    }
    if size == .max || (size == 0 && !isClosed) { return rest }
    if rest == nil, size >= Self.endless { return nil }
    return rest.map { min($0, Int64(size)) } ?? Int64(size)
  }

  private func layout() throws(CodecFailure) -> PCMLayout {
    guard let format else {
      throw CodecFailure(.corrupt, "The WAV file has no \"fmt \" chunk that says what its samples are.")
    }
    guard let data else {
      throw CodecFailure(.corrupt, "The WAV file has no \"data\" chunk: it ends before its samples.")
    }
    return PCMLayout(
      encoding: format.encoding, rate: format.rate, channels: format.channels,
      significantBits: format.significantBits, dataStart: data.start, dataBytes: data.size)
  }

  private func parseFormat(at offset: Int64, size: Int64) throws(CodecFailure) -> Format {
    guard size >= 16, let bytes = try reader.bytes(at: offset, count: Int(min(size, 40))) else {
      throw CodecFailure(.corrupt, "The WAV file's \"fmt \" chunk at byte \(offset) is cut short.")
    }
    var tag = bytes.little16(0)
    let channels = bytes.little16(2)
    let rate = bytes.little32(4)
    let blockAlign = bytes.little16(12)
    let statedBits = bytes.little16(14)
    var significantBits = statedBits
    if tag == 0xFFFE, bytes.count >= 26 {
      if bytes.little16(18) > 0 { significantBits = bytes.little16(18) }
      tag = bytes.little16(24)  // The sub-format GUID begins with the format tag.
    }
    guard channels >= 1, channels <= 8 else {
      throw CodecFailure(
        .unsupported, "The WAV file has \(channels) channels; 1 to 8 are playable.")
    }
    // The block alignment gives the sample's size in bytes more reliably than the bit count.
    var width = Int((statedBits + 7) / 8)
    if blockAlign > 0, blockAlign % channels == 0 { width = Int(blockAlign / channels) }
    let encoding: SampleEncoding? =
      switch tag {
      case 1: width == 1 ? .unsigned8 : .integer(bytes: width, .little)
      case 3: .floatingPoint(bytes: width, .little)
      case 6: .aLaw
      case 7: .muLaw
      default: nil
      }
    guard let encoding else {
      throw CodecFailure(
        .unsupported,
        "WAV with format tag \(tag) and \(statedBits) bits a sample (\"fmt \" chunk at byte \(offset)) "
          + "is not playable; linear, float, A-law and µ-law are.")
    }
    return Format(encoding: encoding, rate: rate, channels: channels, significantBits: significantBits)
  }

  private func parseList(at start: Int64, size: Int64) throws(CodecFailure) {
    guard size >= 4, let kind = try reader.bytes(at: start, count: 4),
      kind.big32(0) == UInt32(characters: "INFO")
    else { return }
    description.beginTag()
    var offset = start + 4
    let end = start + size
    for _ in 0..<256 {
      guard offset + 8 <= end, let head = try reader.bytes(at: offset, count: 8) else { return }
      let count = Int64(head.little32(4))
      guard offset + 8 + count <= end else { return }
      switch head.big32(0) {
      case UInt32(characters: "INAM"): try addText(.title, at: offset + 8, count)
      case UInt32(characters: "IART"): try addText(.artist, at: offset + 8, count)
      case UInt32(characters: "IPRD"): try addText(.album, at: offset + 8, count)
      case UInt32(characters: "IGNR"): try addText(.genre, at: offset + 8, count)
      case UInt32(characters: "ICRD"): try addText(.date, at: offset + 8, count)
      case UInt32(characters: "ITRK"), UInt32(characters: "IPRT"), UInt32(characters: "TRCK"):
        try reader.text(at: offset + 8, count: count).withUnsafeBufferPointer {
          description.setTrackNumberIfUnknown($0)
        }
      default: break
      }
      offset += 8 + count + count & 1
    }
  }

  /// Adds a text. A repeated chunk gives several values.
  private func addText(
    _ field: StreamDescription.TextField, at offset: Int64, _ count: Int64
  ) throws(CodecFailure) {
    try reader.text(at: offset, count: count).withUnsafeBufferPointer {
      description.addGuessedText(field, $0)
    }
  }

  private func readID3(at offset: Int64) throws(CodecFailure) {
    guard let header = try reader.bytes(at: offset, count: ID3Tag.headerSize) else { return }
    header.withUnsafeBufferPointer {
      ID3Tag(header: $0, at: offset)?.read(from: reader.input, into: description)
    }
  }
}
