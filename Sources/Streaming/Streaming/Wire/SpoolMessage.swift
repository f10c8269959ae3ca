// Messages from a worker to the fetcher of its stream, as bytes. Written in the worker, read in the fetcher. What comes back is a
// message of any content: look again.

import Platform

/// A message from worker to fetcher.
enum SpoolMessage: Equatable {
  /// Say when there are so many bytes from an offset on, or no more will come.
  case want(Int64, count: UInt32)
  /// All before that offset has been read.
  case read(upTo: Int64)
  /// The reader goes to the present: a station that lags behind itself is joined anew.
  case renew

  /// What the fetcher answers.
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

  /// Nil unless it is one, exactly, of an offset that can be.
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
