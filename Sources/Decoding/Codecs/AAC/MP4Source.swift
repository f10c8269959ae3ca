// Reads the AAC packets of MP4 and M4A files by their sample tables. Worker process only.

import CodecSupport
import MediaFormats

/// The packets of the first AAC track.
final class MP4Source: PacketSource {
  private let input: MediaInput
  private var tables: SampleTables
  private let end: Int64
  private(set) var position: Int64 = 0

  var packetCount: Int64? { isCut ? nil : tables.packetCount }
  /// Whether the last packet is beyond the end of the file.
  private let isCut: Bool

  /// Opens the packets of a file without fragments.
  init(_ file: MP4File) throws(CodecFailure) {
    input = file.reader.input
    tables = file.track.tables
    end = file.end
    guard tables.packetCount > 0 else {
      throw CodecFailure(.corrupt, "The MP4 file's track at byte \(file.track.box.start) has no packets.")
    }
    var last = tables
    try last.seek(to: tables.packetCount - 1)
    isCut = try last.next().map { [end] in $0.offset > end - $0.bytes } ?? true
  }

  func next(into buffer: UnsafeMutablePointer<UInt8>) throws(CodecFailure) -> PacketRead {
    guard let packet = try tables.next() else { return .end }
    position = packet.offset
    guard packet.bytes > 0, packet.bytes <= Int64(PacketLimit.bytes), packet.offset >= 0 else {
      return .missing
    }
    // The end of a truncated file.
    guard packet.offset <= end - packet.bytes else { return isCut ? .end : .missing }
    guard input.seek(to: packet.offset) else { throw .read(at: packet.offset) }
    let got = input.readFully(into: buffer, count: Int(packet.bytes))
    guard got >= 0 else { throw .read(at: packet.offset) }
    return got == Int(packet.bytes) ? .packet(got) : .end
  }

  func seek(to packet: Int64) throws(CodecFailure) { try tables.seek(to: packet) }
}
