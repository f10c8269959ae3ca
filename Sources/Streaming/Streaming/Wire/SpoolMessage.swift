// Messages from a worker to its stream's fetcher, and their wire format. Written in the worker, parsed in the
// fetcher. The fetcher's answer has no content and only wakes the worker.

import Platform

/// A message from a worker to a fetcher.
enum SpoolMessage: Equatable {
  /// Send a wake-up when this many bytes from an offset on are available, or no more will arrive.
  case want(Int64, count: UInt32)
  /// All bytes before the offset have been read.
  case read(upTo: Int64)
  /// Move to the live position: reconnect a station that lags behind live.
  case renew

  /// The fetcher's answer.
  static let wake: [UInt8] = [1]

  var bytes: [UInt8] {
    var packet = PacketWriter()
    switch self {
    case .want(let offset, let count):
      packet.put(1 as UInt32)
      packet.put(offset)
      packet.put(count)
    case .read(let offset):
      packet.put(2 as UInt32)
      packet.put(offset)
    case .renew:
      packet.put(3 as UInt32)
      packet.put(0 as Int64)
    }
    return packet.bytes
  }

  /// Parses a message; nil unless `bytes` are exactly one with a valid offset.
  init?(_ bytes: ArraySlice<UInt8>) {
    var packet = PacketReader(bytes)
    guard let kind = packet.uint32(), let offset = packet.int64(),
      (0...SpoolLayout.maxLength).contains(offset)
    else { return nil }
    switch kind {
    case 1:
      guard let count = packet.uint32() else { return nil }
      self = .want(offset, count: count)
    case 2: self = .read(upTo: offset)
    case 3:
      guard offset == 0 else { return nil }
      self = .renew
    default: return nil
    }
    guard packet.isAtEnd else { return nil }
  }
}
