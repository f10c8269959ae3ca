// The shortest way of all: a CD's samples, at full volume, to a card that takes integers. Nothing is rounded, so nothing is
// checked. Audio thread; may not lock or allocate.

extension SampleEncoder {
  /// Copies all frames, of which a ring says that they are integers of 16 bits. One that is not comes out as some other
  /// sample.
  @_noLocks @_noAllocation
  func copySixteenBits(_ samples: UnsafePointer<Float>, frames: Int, into output: UnsafeMutableRawPointer) {
    let bytes = UnsafeRawPointer(samples)
    var i = 0
    if case .s16 = format {
      while i &+ 16 <= frames {
        store16(bytes + i &* 8, at: output + i &* 4)
        store16(bytes + (i &+ 4) &* 8, at: output + (i &+ 4) &* 4)
        store16(bytes + (i &+ 8) &* 8, at: output + (i &+ 8) &* 4)
        store16(bytes + (i &+ 12) &* 8, at: output + (i &+ 12) &* 4)
        i = i &+ 16
      }
    } else if case .s32 = format {
      while i &+ 8 <= frames {
        (output + i &* 8).storeBytes(of: wide(bytes + i &* 8), as: Integers.self)
        (output + (i &+ 4) &* 8).storeBytes(of: wide(bytes + (i &+ 4) &* 8), as: Integers.self)
        i = i &+ 8
      }
    } else {
      while i &+ 4 <= frames {
        store24(wide(bytes + i &* 8) &>> 8, at: output + i &* frameBytes)
        i = i &+ 4
      }
    }
    while i < frames {
      let block = UnsafeRawPointer(samples + 2 * i).loadUnaligned(as: SIMD2<Float>.self)
      storeOne(integer(block[0]), at: output + i * frameBytes)
      storeOne(integer(block[1]), at: output + i * frameBytes + format.bytes)
      i += 1
    }
  }

  /// Added to a sample: it then lies between 384 and 386, and its lower half is the integer with its highest bit turned.
  private static var bias: Float {
    @inline(__always) @_noLocks @_noAllocation get { 385 }
  }

  @inline(__always) @_noLocks @_noAllocation
  private func biased(_ source: UnsafeRawPointer) -> Integers {
    unsafeBitCast(source.loadUnaligned(as: Block.self) + Self.bias, to: Integers.self)
  }

  @inline(__always) @_noLocks @_noAllocation
  private func store16(_ source: UnsafeRawPointer, at place: UnsafeMutableRawPointer) {
    let steps = Self.saturated(biased(source) &- Int32(bitPattern: Self.bias.bitPattern))
    place.storeBytes(of: steps, as: SIMD8<Int16>.self)
  }

  /// The integers as S32.
  @inline(__always) @_noLocks @_noAllocation
  private func wide(_ source: UnsafeRawPointer) -> Integers { (biased(source) &<< 16) ^ .min }

  @_noLocks @_noAllocation
  private func integer(_ sample: Float) -> Int32 {
    let biased = Int32(bitPattern: (sample + Self.bias).bitPattern)
    if case .s16 = format {
      return min(max(biased &- Int32(bitPattern: Self.bias.bitPattern), -32768), 32767)
    }
    let value = (biased &<< 16) ^ .min
    if case .s32 = format { return value }
    return value &>> 8
  }
}
