// Sample formats of a ring, and a typed pointer to its frames. Plain values, also used on the audio thread: no locks,
// no allocation.

/// Sample format of a ring. CD-quality audio is stored as 16-bit integers to halve the memory.
package enum RingSamples: Sendable {
  /// Float32, full scale at 1.0.
  case floats
  /// Signed 16-bit integers.
  case integers

  /// Whether the samples are 16-bit integers.
  package var areIntegers: Bool {
    @inline(__always) @_noLocks @_noAllocation get {
      switch self {
      case .floats: false
      case .integers: true
      }
    }
  }

  /// Bytes of one stereo frame.
  package var frameBytes: Int {
    @_noLocks @_noAllocation get { areIntegers ? 4 : 8 }
  }
}

/// Contiguous stereo frames in shared memory that the writer may still change; read each sample once.
package struct RingFrames {
  /// Address of the first frame's left sample.
  package let start: UnsafeRawPointer
  /// Sample format of the frames.
  package let samples: RingSamples

  /// Frames that start at an address.
  @_noLocks @_noAllocation
  package init(_ start: UnsafeRawPointer, _ samples: RingSamples) {
    self.start = start
    self.samples = samples
  }

  /// The frames after the first `frames` ones.
  @_noLocks @_noAllocation
  package func dropFirst(_ frames: Int) -> RingFrames {
    RingFrames(start + frames * samples.frameBytes, samples)
  }

  /// The frame at an offset, converted to Float32.
  @_noLocks @_noAllocation
  package subscript(_ frame: Int) -> SIMD2<Float> {
    let place = start + frame * samples.frameBytes
    guard samples.areIntegers else { return place.loadUnaligned(as: SIMD2<Float>.self) }
    return SIMD2<Float>(place.loadUnaligned(as: SIMD2<Int16>.self)) * 0x1p-15
  }
}
