// Memory for the rings of simulated workers. A ring that is given back is poisoned, so that whoever still reads it is
// heard, and whoever writes to it is found out. One thread.

import AudioRing
import RealtimeAudio

/// Lends rings, and keeps those that came back away from use for a while.
final class RingPool {
  let layout: RingLayout
  private var rested: [UnsafeMutableRawPointer] = []
  /// How many rings are lent.
  private(set) var lent = 0
  /// How many rings were written to after they were given back.
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
    // No reader can take an index so far away for a place in its ring.
    base.storeBytes(of: UInt64.max >> 1, toByteOffset: RingLayout.writeIndexOffset, as: UInt64.self)
    base.storeBytes(of: 0, toByteOffset: RingLayout.retainIndexOffset, as: UInt64.self)
    base.storeBytes(of: RingLayout.noEnd, toByteOffset: RingLayout.endIndexOffset, as: UInt64.self)
    (base + RingLayout.headerBytes).assumingMemoryBound(to: Float.self)
      .update(repeating: Signal.poison, count: 2 * layout.capacity)
    rested.append(base)
  }

  /// Looks whether any ring was written to after it was given back.
  func inspect() {
    for base in rested { inspect(base) }
  }

  private func inspect(_ base: UnsafeMutableRawPointer) {
    if base.load(fromByteOffset: RingLayout.retainIndexOffset, as: UInt64.self) != 0 { misused += 1 }
    base.storeBytes(of: 0, toByteOffset: RingLayout.retainIndexOffset, as: UInt64.self)
  }
}
