// The writing end of a spool: keeps the newest bytes of a stream in its window. Fetcher process, one thread.

import Platform
import Synchronization

/// Appends bytes to the window and evicts the oldest.
struct SpoolWriter: ~Copyable {
  let header: SpoolHeader
  private let layout: SpoolLayout
  private let memory: SharedMemory
  /// The oldest buffered byte, and the offset after the newest.
  private(set) var start: Int64 = 0
  private(set) var end: Int64 = 0
  private var seams = 0

  /// Creates a writer.
  ///
  /// - Parameters:
  ///   - memory: A zeroed mapping of `layout.totalBytes`.
  ///   - layout: Sizes of the spool.
  init(_ memory: consuming SharedMemory, _ layout: SpoolLayout) {
    header = SpoolHeader(base: memory.base)
    header.length = SpoolLayout.unknown
    self.layout = layout
    self.memory = memory
  }

  var capacity: Int { layout.capacity }

  /// Number of bytes that can be appended without evicting the byte at `kept`.
  func room(keeping kept: Int64) -> Int {
    max(0, layout.capacity - Int(clamping: end - max(start, min(kept, end))))
  }

  /// Records a reconnect of a station: the next byte does not continue the previous ones.
  mutating func noteSeam() {
    guard end > 0 else { return }
    header.setSeam(seams % SpoolLayout.seamCount, end)
    seams += 1
  }

  /// Appends bytes, at most the size of the window.
  mutating func append(_ bytes: UnsafeRawBufferPointer) {
    guard let source = bytes.baseAddress, bytes.count <= layout.capacity else { return }
    let oldest = end + Int64(bytes.count) - Int64(layout.capacity)
    if oldest > start {
      start = oldest
      header.start = start
      // Publishes the eviction before the evicted bytes are overwritten.
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

  /// Evicts all bytes and continues at an offset. Updates the fields in an order in which the reader sees an
  /// empty window until both are updated.
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
