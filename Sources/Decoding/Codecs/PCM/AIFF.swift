// Parser for AIFF and AIFF-C (Apple "Audio Interchange File Format", versions 1.3 and C). Worker process
// only.

import CodecSupport
import MediaFormats

/// Parses the chunks of an AIFF file, including tags.
struct AIFFParser {
  let reader: ChunkReader
  let description: StreamDescription
  private var common: Common?
  private var data: (start: Int64, size: Int64?)?
  /// Whether the artists come from AUTH chunks of the file, not from an ID3 tag.
  private var isInAuthors = false

  private struct Common {
    var encoding: SampleEncoding
    var rate: UInt32
    var channels: UInt32
    var significantBits: UInt32
    var frames: Int64
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
    let isCompressible = header.big32(8) == UInt32(characters: "AIFC")
    let length = reader.input.length
    var offset: Int64 = 12
    for _ in 0..<ChunkReader.chunkLimit {
      guard let head = try reader.bytes(at: offset, count: 8) else { break }
      let size = Int64(head.big32(4))
      let body = offset + 8
      switch head.big32(0) {
      case UInt32(characters: "COMM"):
        if common == nil { common = try parseCommon(at: body, size: size, isCompressible: isCompressible) }
      case UInt32(characters: "SSND"):
        if data == nil, let fields = try reader.bytes(at: body, count: 8) {
          let start = body + 8 + Int64(fields.big32(0))
          let stated: Int64? = size <= 8 || size == 0xFFFF_FFFF ? nil : max(0, body + size - start)
          let rest = length.map { max(0, $0 - start) }
          data = (start, stated.map { min($0, rest ?? $0) } ?? rest)
        }
      // The format allows one NAME and any number of AUTH chunks.
      case UInt32(characters: "NAME"):
        try reader.text(at: body, count: size).withUnsafeBufferPointer {
          description.setGuessedTextIfEmpty(.title, $0)
        }
      case UInt32(characters: "AUTH"): try addAuthor(at: body, size)
      case UInt32(characters: "ID3 "), UInt32(characters: "id3 "):
        isInAuthors = false
        if let header = try reader.bytes(at: body, count: ID3Tag.headerSize) {
          header.withUnsafeBufferPointer {
            ID3Tag(header: $0, at: body)?.read(from: reader.input, into: description)
          }
        }
      default: break
      }
      // The chunks after the audio of a stream have not arrived.
      if length == nil || reader.input.farReads == .wait, data != nil, common != nil { return try layout() }
      offset = body + size + size & 1
      if let length, offset >= length { break }
    }
    return try layout()
  }

  private func layout() throws(CodecFailure) -> PCMLayout {
    guard let common else {
      throw CodecFailure(.corrupt, "The AIFF file has no COMM chunk that says what its samples are.")
    }
    guard let data else {
      throw CodecFailure(.corrupt, "The AIFF file has no SSND chunk: it ends before its samples.")
    }
    var layout = PCMLayout(
      encoding: common.encoding, rate: common.rate, channels: common.channels,
      significantBits: common.significantBits, dataStart: data.start, dataBytes: data.size)
    // The frame count of COMM; 0 if a recorder did not complete the header.
    if common.frames > 0 {
      let counted = common.frames * Int64(layout.bytesPerFrame)
      layout.dataBytes = min(data.size ?? counted, counted)
    }
    return layout
  }

  private func parseCommon(
    at offset: Int64, size: Int64, isCompressible: Bool
  ) throws(CodecFailure) -> Common {
    let needed = isCompressible ? 22 : 18
    guard size >= needed, let bytes = try reader.bytes(at: offset, count: needed) else {
      throw CodecFailure(.corrupt, "The AIFF file's COMM chunk at byte \(offset) is cut short.")
    }
    let channels = bytes.big16(0)
    let bits = bytes.big16(6)
    guard let rate = rate(bytes) else {
      throw CodecFailure(
        .corrupt, "The AIFF file's COMM chunk at byte \(offset) states no rate that is playable.")
    }
    guard channels >= 1, channels <= 8 else {
      throw CodecFailure(.unsupported, "The AIFF file has \(channels) channels; 1 to 8 are playable.")
    }
    let width = Int((bits + 7) / 8)
    let linear: SampleEncoding? = width == 1 ? .signed8 : .integer(bytes: width, .big)
    let compression = isCompressible ? bytes.big32(18) : UInt32(characters: "NONE")
    let encoding: SampleEncoding? =
      switch compression {
      case UInt32(characters: "NONE"), UInt32(characters: "twos"): linear
      case UInt32(characters: "sowt"): width == 1 ? .signed8 : .integer(bytes: width, .little)
      case UInt32(characters: "raw "): width == 1 ? .unsigned8 : nil
      case UInt32(characters: "fl32"), UInt32(characters: "FL32"): .float32(.big)
      case UInt32(characters: "fl64"), UInt32(characters: "FL64"): .float64(.big)
      case UInt32(characters: "in24"): .int24(.big)
      case UInt32(characters: "in32"): .int32(.big)
      case UInt32(characters: "alaw"), UInt32(characters: "ALAW"): .aLaw
      case UInt32(characters: "ulaw"), UInt32(characters: "ULAW"): .muLaw
      default: nil
      }
    guard let encoding else {
      throw CodecFailure(
        .unsupported,
        "AIFF with \(bits) bits a sample and the compression in the COMM chunk at byte \(offset) "
          + "is not playable; linear, float, A-law and µ-law are.")
    }
    return Common(
      encoding: encoding, rate: rate, channels: channels, significantBits: bits,
      frames: Int64(bytes.big32(2)))
  }

  /// Converts the rate, an 80-bit extended float (IEEE 754), to an integer.
  private func rate(_ bytes: [UInt8]) -> UInt32? {
    let exponent = Int(bytes.big16(8)) - 16383
    guard exponent >= 0, exponent < 32 else { return nil }
    let rate = (UInt64(bytes.big32(10)) + (1 << (30 - UInt64(min(exponent, 30))))) >> UInt64(31 - exponent)
    return UInt32(exactly: rate)
  }

  private mutating func addAuthor(at offset: Int64, _ count: Int64) throws(CodecFailure) {
    if !isInAuthors { description.beginTag() }
    isInAuthors = true
    try reader.text(at: offset, count: count).withUnsafeBufferPointer {
      description.addGuessedText(.artist, $0)
    }
  }
}
