// Messages from the engine to a worker, and their wire format. Written on the control thread, parsed in the
// worker.

import Platform

/// A message from the engine to a worker.
enum EngineMessage: Equatable {
  /// Seek to a frame of the track (engine's rate) and continue writing at a ring index. `generation` numbers
  /// the seeks.
  case seek(generation: UInt32, position: Int64, index: UInt64)
  /// The ring is being read again: end an unlimited sleep.
  case wake
  /// Report the ring index at which the audio of a byte offset in the stream begins.
  case mark(offset: UInt64)
  /// The ring has run empty: end an unlimited sleep, and publish frames once there are enough to resume
  /// playback.
  case refill
  /// Discard a live source's audio until it falls silent and starts again, or until `wake`.
  case dismiss

  var bytes: [UInt8] {
    var packet = PacketWriter()
    switch self {
    case .seek(let generation, let position, let index):
      packet.put(1 as UInt32)
      packet.put(generation)
      packet.put(position)
      packet.put(index)
    case .wake:
      packet.put(2 as UInt32)
    case .mark(let offset):
      packet.put(3 as UInt32)
      packet.put(offset)
    case .refill:
      packet.put(4 as UInt32)
    case .dismiss:
      packet.put(5 as UInt32)
    }
    return packet.bytes
  }

  init?(_ bytes: ArraySlice<UInt8>) {
    var packet = PacketReader(bytes)
    switch packet.uint32() {
    case 1:
      guard let generation = packet.uint32(), let position = packet.int64(), let index = packet.uint64()
      else { return nil }
      self = .seek(generation: generation, position: position, index: index)
    case 2: self = .wake
    case 3:
      guard let offset = packet.uint64() else { return nil }
      self = .mark(offset: offset)
    case 4: self = .refill
    case 5: self = .dismiss
    default: return nil
    }
    guard packet.isAtEnd else { return nil }
  }
}
