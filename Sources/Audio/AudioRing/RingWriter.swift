// The writing end of a ring: publishes decoded frames to the audio thread. Runs on one thread of the codec worker
// process. It never blocks and never touches slots that the reader retains.

import Synchronization

/// Writes interleaved stereo frames into a mapped ring.
@usableFromInline package struct RingWriter: ~Copyable {
  private let layout: RingLayout
  private let base: UnsafeMutableRawPointer
  /// Sample format that this writer stores.
  package let samples: RingSamples
  /// Ring index of the next frame to be written.
  package private(set) var writeIndex: UInt64 = 0

  /// Starts a writer.
  ///
  /// - Parameters:
  ///   - layout: Layout of the ring.
  ///   - base: A zeroed mapping of `layout.totalBytes` bytes that outlives this value.
  ///   - samples: Sample format to write.
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

  /// The oldest index that the reader may still read. It advances during playback.
  package var retainIndex: UInt64 { retain.pointee.load(ordering: .acquiring) }

  /// Frames that can be written at present.
  package var free: Int {
    let used = Int64(bitPattern: writeIndex &- retainIndex)
    return max(0, min(layout.capacity, layout.capacity - Int(used)))
  }

  /// Free frames that are contiguous in memory.
  package var room: Int { min(free, layout.capacity - slot) }

  private var slot: Int { Int(writeIndex & UInt64(layout.capacity - 1)) }

  private var place: UnsafeMutableRawPointer {
    base + RingLayout.headerBytes + slot * samples.frameBytes
  }

  /// The contiguous free memory of a ring of floats, to decode into directly. Follow with `commit`.
  package func contiguous() -> UnsafeMutableBufferPointer<Float> {
    precondition(!samples.areIntegers, "integers are stored")
    return UnsafeMutableBufferPointer(start: place.assumingMemoryBound(to: Float.self), count: room * 2)
  }

  /// Converts and stores frames in the contiguous free memory of a ring of integers. Follow with `commit`.
  ///
  /// - Parameters:
  ///   - frames: Interleaved stereo samples that are multiples of 2^-15. Other values are rounded or become a wrong
  ///     value.
  ///   - count: Frames, at most `room`.
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

  /// Converts samples to 16-bit integers.
  @inline(__always)
  private static func steps(_ samples: SIMD8<Float>) -> SIMD8<Int16> {
    // Adding 384 leaves the sample as a multiple of 2^-15 in the low bits of the mantissa.
    let bias: Float = 384
    let biased = unsafeBitCast(samples + bias, to: SIMD8<Int32>.self)
    let steps = biased &- Int32(bitPattern: bias.bitPattern)
    // Clamping each lane lets the compiler use one saturating pack instruction; truncating takes five.
    var narrow = SIMD8<Int16>()
    for lane in 0..<8 { narrow[lane] = Int16(truncatingIfNeeded: min(max(steps[lane], -32768), 32767)) }
    return narrow
  }

  /// Advances by `frames` written frames and publishes them.
  package mutating func commit(_ frames: Int) {
    advance(frames)
    publish()
  }

  /// Advances by `frames` written frames; the reader sees them after `publish`.
  package mutating func advance(_ frames: Int) {
    precondition(frames >= 0 && frames <= free)
    writeIndex &+= UInt64(frames)
  }

  /// Publishes all written frames to the reader.
  package func publish() { published.pointee.store(writeIndex, ordering: .releasing) }

  /// Frames written and not yet published.
  package var unpublished: Int {
    Int(truncatingIfNeeded: writeIndex &- published.pointee.load(ordering: .relaxed))
  }

  /// Sets the end of the track to the present write index. All frames up to it must be published.
  package func finish() { end.pointee.store(writeIndex, ordering: .releasing) }

  /// Continues at another index after a seek. Frames already written beyond it are void.
  ///
  /// - Parameter index: Ring index that the engine chose.
  package mutating func restart(at index: UInt64) {
    end.pointee.store(RingLayout.noEnd, ordering: .releasing)
    writeIndex = index
    published.pointee.store(index, ordering: .releasing)
  }
}
