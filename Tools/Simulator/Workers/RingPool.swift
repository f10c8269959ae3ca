// Memory for the rings of simulated workers. Returned rings are filled with a poison value, so that a late read is
// heard and a late write is detected. One thread.

import AudioRing
import RealtimeAudio

/// Lends rings, and keeps returned ones in quarantine before their memory is reused.
final class RingPool {
  let layout: RingLayout
  private var rested: [UnsafeMutableRawPointer] = []
  /// Number of rings in use.
  private(set) var lent = 0
  /// Number of rings written to after they were returned.
  private(set) var misused = 0
  private static let quarantine = 6

  init(_ layout: RingLayout) { self.layout = layout }

  deinit {
    for base in rested { base.deallocate() }
  }

  func lend() -> UnsafeMutableRawPointer {
    lent += 1
    let base: UnsafeMutableRawPointer
    if rested.count > Self.quarantine {
      base = rested.removeFirst()
      inspect(base)
    } else {
      base = .allocate(byteCount: layout.totalBytes, alignment: 4096)
    }
    base.initializeMemory(as: UInt8.self, repeating: 0, count: 256)
    return base
  }

  func giveBack(_ base: UnsafeMutableRawPointer) {
    lent -= 1
    // An index far beyond any position that a reader could take for valid.
    base.storeBytes(of: UInt64.max >> 1, toByteOffset: RingLayout.writeIndexOffset, as: UInt64.self)
    base.storeBytes(of: 0, toByteOffset: RingLayout.retainIndexOffset, as: UInt64.self)
    base.storeBytes(of: RingLayout.noEnd, toByteOffset: RingLayout.endIndexOffset, as: UInt64.self)
    (base + RingLayout.headerBytes).assumingMemoryBound(to: Float.self)
      .update(repeating: Signal.poison, count: 2 * layout.capacity)
    rested.append(base)
  }

  /// Checks whether any returned ring was written to since.
  func inspect() {
    for base in rested { inspect(base) }
  }

  private func inspect(_ base: UnsafeMutableRawPointer) {
    if base.load(fromByteOffset: RingLayout.retainIndexOffset, as: UInt64.self) != 0 { misused += 1 }
    base.storeBytes(of: 0, toByteOffset: RingLayout.retainIndexOffset, as: UInt64.self)
  }
}
