// The interface of AAC packet sources: ADTS streams and MP4 files. Worker process only.

import CodecSupport

/// The result of `PacketSource.next`.
enum PacketRead {
  /// A packet, of this many bytes, was written to the buffer.
  case packet(Int)
  /// A packet with a duration, but without valid bytes.
  case missing
  /// Bytes of a stream are missing before the next packet. The host's offset is that packet's.
  case gap
  /// There are no more packets.
  case end
}

/// The packets of one track, in order.
protocol PacketSource: AnyObject {
  /// Number of packets; nil if unknown.
  var packetCount: Int64? { get }
  /// File offset in bytes of the packet that `next` read last.
  var position: Int64 { get }
  /// Reads the next packet into a buffer of `PacketLimit.bytes`.
  func next(into buffer: UnsafeMutablePointer<UInt8>) throws(CodecFailure) -> PacketRead
  /// Makes `packet` the next one; past the last, the end.
  func seek(to packet: Int64) throws(CodecFailure)
}

/// A source whose packets have no table and must be counted.
protocol CountedSource: PacketSource {
  /// Offset of the first packet of another format; nil if unknown or there is none.
  var next: Int64? { get }
  /// Sum of the packets' durations in the track's time units: `Int64.max` until `packetCount` is known; nil if packets
  /// have no durations.
  var duration: Int64? { get }
  /// Counts packets, independently of decoding.
  ///
  /// - Parameter bytes: About how many bytes to read.
  /// - Returns: Number of packets so far. `packetCount` is set at the end.
  func count(bytes: Int64) throws(CodecFailure) -> Int64
}

/// Limits for packets.
enum PacketLimit {
  /// Maximum size of a packet in bytes. The standard allows 768 per channel; ADTS 8191.
  static let bytes = 1 << 16
}
