// Reads the AAC packets of MP4 and M4A files by their sample tables. Worker process only.

import CodecSupport

/// The packets of the first AAC track.
final class MP4Source: PacketSource {
  let track: MP4Track
  /// Encoder delay and padding from the tags; nil if absent.
  let gapless: GaplessTag?
  private let input: MediaInput
  private var tables: SampleTables
  private(set) var position: Int64 = 0

  var packetCount: Int64? { isCut ? nil : tables.packetCount }
  /// Whether the last packet is beyond the end of the file.
  private let isCut: Bool

  /// Probes for MP4 with audio. Returns a score of 0 to 100.
  static func score(_ bytes: Bytes) -> Int32 {
    if hasMagic(bytes, "ftyp", at: 4) {
      for brand in ["M4A ", "M4B ", "M4P "] as [StaticString] where hasMagic(bytes, brand, at: 8) {
        return 100
      }
      return 90
    }
    // Files from before `ftyp` was defined.
    for first in ["moov", "mdat", "wide", "free", "skip", "pnot"] as [StaticString]
    where hasMagic(bytes, first, at: 4) { return 45 }
    return 0
  }

  /// Finds the track and reads the tags.
  init(_ input: MediaInput, _ description: StreamDescription) throws(CodecFailure) {
    guard let length = input.length else {
      throw CodecFailure(.unsupported, "An MP4 file that comes as a stream without a length is not played.")
    }
    let reader = BoxReader(input: input)
    var movie: Box?
    var hasFragments = false
    try reader.forEach(from: 0, to: length) { (box) throws(CodecFailure) in
      switch box.kind {
      case Box.kind("moov"): movie = box
      case Box.kind("moof"), Box.kind("styp"): hasFragments = true
      default: break
      }
      return movie == nil
    }
    guard let movie else {
      throw hasFragments
        ? Self.fragmented
        : CodecFailure(
          .corrupt,
          "The MP4 file has no table of contents (moov) up to byte \(length); its end may be missing.")
    }
    track = try MP4Track(reader, movie: movie)
    if track.tables.packetCount == 0, try reader.child("mvex", of: movie) != nil { throw Self.fragmented }
    gapless = try MP4Tags(reader, movie: movie, into: description).gapless
    self.input = input
    tables = track.tables
    guard tables.packetCount > 0 else {
      throw CodecFailure(.corrupt, "The MP4 file's track at byte \(movie.start) has no packets.")
    }
    var last = track.tables
    try last.seek(to: tables.packetCount - 1)
    let end = try last.next()
    isCut = end.map { $0.offset > length - $0.bytes } ?? true
  }

  private static var fragmented: CodecFailure {
    CodecFailure(
      .unsupported, "Fragmented MP4 files, as streams are cut into, are not played; whole ones are.")
  }

  func next(into buffer: UnsafeMutablePointer<UInt8>) throws(CodecFailure) -> PacketRead {
    guard let packet = try tables.next() else { return .end }
    position = packet.offset
    guard packet.bytes > 0, packet.bytes <= Int64(PacketLimit.bytes), packet.offset >= 0 else {
      return .missing
    }
    // The end of a truncated file.
    guard packet.offset <= (input.length ?? .max) - packet.bytes else { return isCut ? .end : .missing }
    guard input.seek(to: packet.offset) else { throw .read(at: packet.offset) }
    let got = input.readFully(into: buffer, count: Int(packet.bytes))
    guard got >= 0 else { throw .read(at: packet.offset) }
    return got == Int(packet.bytes) ? .packet(got) : .end
  }

  func seek(to packet: Int64) throws(CodecFailure) { try tables.seek(to: packet) }
}
