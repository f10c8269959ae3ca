// The writing end of a spool: keeps the newest bytes of a stream in its window. Fetcher process, one thread.

import Platform
import Synchronization

/// Appends bytes, and lets the oldest go.
struct SpoolWriter: ~Copyable {
  let header: SpoolHeader
  private let layout: SpoolLayout
  private let memory: SharedMemory
  /// The oldest byte that is there, and one past the newest.
  private(set) var start: Int64 = 0
  private(set) var end: Int64 = 0
  private var seams = 0

  /// Takes a mapping of `layout.totalBytes`, zeroed.
  init(_ memory: consuming SharedMemory, _ layout: SpoolLayout) {
    header = SpoolHeader(base: memory.base)
    header.length = SpoolLayout.unknown
    self.layout = layout
    self.memory = memory
  }

  var capacity: Int { layout.capacity }

  /// Bytes that can be appended while the byte at `kept` stays.
  func room(keeping kept: Int64) -> Int {
    max(0, layout.capacity - Int(clamping: end - max(start, min(kept, end))))
  }

  /// A station's connection begins anew: what comes next does not follow what came before.
  mutating func noteSeam() {
    guard end > 0 else { return }
    header.setSeam(seams % SpoolLayout.seamCount, end)
    seams += 1
  }

  /// Appends bytes, no more than the window holds.
  mutating func append(_ bytes: UnsafeRawBufferPointer) {
    guard let source = bytes.baseAddress, bytes.count <= layout.capacity else { return }
    let oldest = end + Int64(bytes.count) - Int64(layout.capacity)
    if oldest > start {
      start = oldest
      header.start = start
      // Before any of what is let go is written over.
      atomicMemoryFence(ordering: .sequentiallyConsistent)
    }
    let window = memory.base + SpoolLayout.headerBytes
    let place = Int(end & Int64(layout.capacity - 1))
    let first = min(bytes.count, layout.capacity - place)
    (window + place).copyMemory(from: source, byteCount: first)
    window.copyMemory(from: source + first, byteCount: bytes.count - first)
    end += Int64(bytes.count)
    header.end = end
  }

  /// Lets all bytes go: the next one is that at an offset. In such an order that no byte seems to be there meanwhile.
  mutating func restart(at offset: Int64) {
    if offset < start {
      header.end = offset
      atomicMemoryFence(ordering: .sequentiallyConsistent)
      header.start = offset
    } else {
      header.start = offset
      atomicMemoryFence(ordering: .sequentiallyConsistent)
      header.end = offset
    }
    (start, end) = (offset, offset)
  }
}
