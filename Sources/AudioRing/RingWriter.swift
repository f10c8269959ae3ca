// The writing end of a ring: publishes decoded frames. Runs in the codec worker, one thread.
// May not block and may not touch slots that the reader still retains.

import Synchronization

/// Writes interleaved stereo Float32 frames into a mapped ring.
@usableFromInline package struct RingWriter: ~Copyable {
  private let layout: RingLayout
  private let base: UnsafeMutableRawPointer
  /// Ring index of the next frame to be written.
  package private(set) var writeIndex: UInt64 = 0

  /// Takes a mapping of `layout.totalBytes` bytes, zeroed, that outlives this value.
  package init(layout: RingLayout, base: UnsafeMutableRawPointer) {
    self.layout = layout
    self.base = base
    end.pointee.store(RingLayout.noEnd, ordering: .releasing)
  }

  private var published: UnsafeMutablePointer<Atomic<UInt64>> {
    (base + RingLayout.writeIndexOffset).assumingMemoryBound(to: Atomic<UInt64>.self)
  }
  private var retain: UnsafeMutablePointer<Atomic<UInt64>> {
    (base + RingLayout.retainIndexOffset).assumingMemoryBound(to: Atomic<UInt64>.self)
  }
  private var end: UnsafeMutablePointer<Atomic<UInt64>> {
    (base + RingLayout.endIndexOffset).assumingMemoryBound(to: Atomic<UInt64>.self)
  }

  /// The oldest index that the reader may still want. It moves while the track is heard.
  package var retainIndex: UInt64 { retain.pointee.load(ordering: .acquiring) }

  /// Frames that may be written now.
  package var free: Int {
    let used = Int64(bitPattern: writeIndex &- retainIndex)
    return max(0, min(layout.capacity, layout.capacity - Int(used)))
  }

  /// The longest run of free frames that lie one after another in memory, to decode straight into.
  /// Follow with `commit`.
  package func contiguous() -> UnsafeMutableBufferPointer<Float> {
    let slot = Int(writeIndex & UInt64(layout.capacity - 1))
    let count = min(free, layout.capacity - slot)
    let samples = (base + RingLayout.headerBytes).assumingMemoryBound(to: Float.self)
    return UnsafeMutableBufferPointer(start: samples + slot * 2, count: count * 2)
  }

  /// Publishes `frames` frames that were written at the start of `contiguous()`.
  package mutating func commit(_ frames: Int) {
    advance(frames)
    publish()
  }

  /// The same, but for the reader, which learns of them by `publish`.
  package mutating func advance(_ frames: Int) {
    precondition(frames >= 0 && frames <= free)
    writeIndex &+= UInt64(frames)
  }

  /// Shows the reader all that was written.
  package func publish() { published.pointee.store(writeIndex, ordering: .releasing) }

  /// Frames that the reader does not know of yet.
  package var unpublished: Int {
    Int(truncatingIfNeeded: writeIndex &- published.pointee.load(ordering: .relaxed))
  }

  /// Declares that the track ends at the present write index, up to which all is published.
  package func finish() { end.pointee.store(writeIndex, ordering: .releasing) }

  /// After a seek: goes on at `index`, which the engine named; what lay behind it is void.
  package mutating func restart(at index: UInt64) {
    end.pointee.store(RingLayout.noEnd, ordering: .releasing)
    writeIndex = index
    published.pointee.store(index, ordering: .releasing)
  }
}
