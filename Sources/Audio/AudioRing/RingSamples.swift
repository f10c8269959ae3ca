// In what form the samples of a ring lie there, and where some of them are. Values; the audio thread, too: no locks, no memory.

/// The form of a ring's samples. What is a CD's stays as small as it is.
package enum RingSamples: Sendable {
  /// Float32, full scale at 1.0.
  case floats
  /// Integers of 16 bits.
  case integers

  /// Whether they are no floats.
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

/// Stereo frames that lie one after another. Whoever wrote them may go on writing: nothing that was read once is read again.
package struct RingFrames {
  /// The first one's left sample.
  package let start: UnsafeRawPointer
  /// How they lie there.
  package let samples: RingSamples

  /// Frames at a place.
  @_noLocks @_noAllocation
  package init(_ start: UnsafeRawPointer, _ samples: RingSamples) {
    self.start = start
    self.samples = samples
  }

  /// Those behind so many of them.
  @_noLocks @_noAllocation
  package func dropFirst(_ frames: Int) -> RingFrames {
    RingFrames(start + frames * samples.frameBytes, samples)
  }

  /// One of them, as Float32.
  @_noLocks @_noAllocation
  package subscript(_ frame: Int) -> SIMD2<Float> {
    let place = start + frame * samples.frameBytes
    guard samples.areIntegers else { return place.loadUnaligned(as: SIMD2<Float>.self) }
    return SIMD2<Float>(place.loadUnaligned(as: SIMD2<Int16>.self)) * 0x1p-15
  }
}
