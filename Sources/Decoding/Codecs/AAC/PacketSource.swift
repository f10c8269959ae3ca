// Where AAC packets come from: an ADTS stream or an MP4 file. Worker process only.

import CodecSupport

/// What `PacketSource.next` found.
enum PacketRead {
  /// A packet of so many bytes, written to the buffer.
  case packet(Int)
  /// A packet that has a place in time and no bytes that could be one.
  case missing
  /// Bytes of a stream are missing before the next packet, which the host is left at.
  case gap
  /// No more packets.
  case end
}

/// The packets of one track, one after the other.
protocol PacketSource: AnyObject {
  /// Packets of the track, if known.
  var packetCount: Int64? { get }
  /// The file offset of the packet that `next` read last, in bytes.
  var position: Int64 { get }
  /// Reads the next packet into a buffer of `PacketLimit.bytes`.
  func next(into buffer: UnsafeMutablePointer<UInt8>) throws(CodecFailure) -> PacketRead
  /// Makes `packet` the next one, or the end if there are not so many.
  func seek(to packet: Int64) throws(CodecFailure)
}

/// Bounds of packets.
enum PacketLimit {
  /// Bytes of a packet: the standard allows 768 for each channel; ADTS counts to 8191.
  static let bytes = 1 << 16
}
