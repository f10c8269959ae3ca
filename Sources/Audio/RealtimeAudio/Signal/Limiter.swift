// A peak limiter that leaves samples up to full scale unchanged unless it recovers from a peak. Part of the mixer's restorable state. Audio thread: no
// locks, no allocation.

/// Reduces the gain at once at a frame that exceeds full scale, then recovers smoothly.
///
/// It depends only on earlier frames, so the result does not depend on how the frames are split into stretches.
struct Limiter: Sendable {
  /// Share of the missing gain that is restored per frame: about 100 ms at 48 kHz.
  static var recovery: Float {
    @_noLocks @_noAllocation get { 1.0 / 4800 }
  }
  /// Minimum gain restored per frame. Near 1, the share alone would be less than a Float's last digit, so that the gain
  /// would never reach 1.
  private static var leastRecovery: Float {
    @_noLocks @_noAllocation get { 1e-6 }
  }
  private(set) var gain: Float = 1

  @_noLocks @_noAllocation init() {}

  var isIdle: Bool {
    @_noLocks @_noAllocation get { gain == 1 }
  }

  /// Limits interleaved stereo frames in place.
  @_noLocks @_noAllocation
  mutating func process(_ samples: UnsafeMutablePointer<Float>, frames: Int) {
    if isIdle, Self.staysWithinFullScale(samples, count: frames * 2) { return }
    var i = 0
    while i < frames {
      let left = samples[2 * i]
      let right = samples[2 * i + 1]
      let peak = max(abs(left), abs(right))
      let wanted = peak > 1 ? 1 / peak : 1
      if wanted <= gain {
        gain = wanted
      } else {
        gain = min(wanted, gain + max((1 - gain) * Self.recovery, Self.leastRecovery))
      }
      samples[2 * i] = left * gain
      samples[2 * i + 1] = right * gain
      i += 1
    }
  }

  /// Whether no sample exceeds full scale; false for NaN.
  @_noLocks @_noAllocation
  static func staysWithinFullScale(_ samples: UnsafePointer<Float>, count: Int) -> Bool {
    let bytes = UnsafeRawPointer(samples)
    let one = SIMD8<Float>(repeating: 1)
    var within = SIMDMask<SIMD8<Int32>>(repeating: true)
    var i = 0
    while i + 8 <= count {
      let block = bytes.loadUnaligned(fromByteOffset: i * 4, as: SIMD8<Float>.self)
      within = within .& (block .<= one) .& (block .>= -one)
      i += 8
    }
    guard all(within) else { return false }
    while i < count {
      guard abs(samples[i]) <= 1 else { return false }
      i += 1
    }
    return true
  }
}
