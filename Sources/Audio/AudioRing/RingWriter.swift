// The writing end of a ring: publishes decoded frames. Runs in the codec worker, one thread.
// May not block and may not touch slots that the reader still retains.

import Synchronization

/// Writes interleaved stereo frames into a mapped ring.
@usableFromInline package struct RingWriter: ~Copyable {
  private let layout: RingLayout
  private let base: UnsafeMutableRawPointer
  /// In what form it writes.
  package let samples: RingSamples
  /// Ring index of the next frame to be written.
  package private(set) var writeIndex: UInt64 = 0

  /// Takes a mapping of `layout.totalBytes` bytes, zeroed, that outlives this value.
  package init(layout: RingLayout, base: UnsafeMutableRawPointer, samples: RingSamples = .floats) {
    self.layout = layout
    self.base = base
    self.samples = samples
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

  /// The longest run of free frames that lie one after another in memory.
  package var room: Int { min(free, layout.capacity - slot) }

  private var slot: Int { Int(writeIndex & UInt64(layout.capacity - 1)) }

  private var place: UnsafeMutableRawPointer {
    base + RingLayout.headerBytes + slot * samples.frameBytes
  }

  /// The place of that run in a ring of floats, to decode straight into. Follow with `commit`.
  package func contiguous() -> UnsafeMutableBufferPointer<Float> {
    precondition(!samples.areIntegers, "integers are stored")
    return UnsafeMutableBufferPointer(start: place.assumingMemoryBound(to: Float.self), count: room * 2)
  }

  /// Stores frames at the start of that run in a ring of integers. Follow with `commit`. They are integers of 16 bits: one that
  /// is not comes out as the nearest, or as some other one.
  package func store(_ frames: UnsafePointer<Float>, count: Int) {
    precondition(samples.areIntegers && count <= room)
    let (source, target) = (UnsafeRawPointer(frames), place)
    var i = 0
    let whole = count & ~7
    while i < whole {
      let blocks = source + i &* 8
      target.storeBytes(
        of: Self.steps(blocks.loadUnaligned(as: SIMD8<Float>.self)), toByteOffset: i &* 4,
        as: SIMD8<Int16>.self)
      target.storeBytes(
        of: Self.steps((blocks + 32).loadUnaligned(as: SIMD8<Float>.self)), toByteOffset: i &* 4 &+ 16,
        as: SIMD8<Int16>.self)
      i = i &+ 8
    }
    while i < count {
      for side in 0..<2 {
        let step = Self.steps(SIMD8(repeating: frames[2 * i + side]))[0]
        target.storeBytes(of: step, toByteOffset: i * 4 + side * 2, as: Int16.self)
      }
      i += 1
    }
  }

  /// Samples as integers of 16 bits.
  @inline(__always)
  private static func steps(_ samples: SIMD8<Float>) -> SIMD8<Int16> {
    // Added to a sample, it leaves its step of 2^-15 in the low bits.
    let bias: Float = 384
    let biased = unsafeBitCast(samples + bias, to: SIMD8<Int32>.self)
    let steps = biased &- Int32(bitPattern: bias.bitPattern)
    // What is cut to its range, lane by lane, is packed by one instruction; what is cut to its low bits takes five.
    var narrow = SIMD8<Int16>()
    for lane in 0..<8 { narrow[lane] = Int16(truncatingIfNeeded: min(max(steps[lane], -32768), 32767)) }
    return narrow
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
