// A cascade of biquad filters: transposed direct form II, in Double (reasons in docs/decisions/0017-speaker-care.md).
// Part of the mixer's restorable state. Audio thread: no locks, no allocation.

import PlaybackModel

/// State of one biquad for both channels.
struct BiquadMemory: Sendable {
  var first = SIMD2<Double>.zero
  var second = SIMD2<Double>.zero

  @_noLocks @_noAllocation init() {}

  /// Smaller values are set to zero before they become denormals, which are slow on some processors.
  private static var nothing: Double {
    @_noLocks @_noAllocation get { 1e-20 }
  }
  /// Larger values cannot result from valid audio, but a cue file may contain any sample.
  private static var absurd: Double {
    @_noLocks @_noAllocation get { 1e6 }
  }

  /// Sets tiny values to zero, per channel; resets the whole state if any value is absurd.
  @_noLocks @_noAllocation
  mutating func tend() {
    guard isBelow(Self.absurd) else {
      self = BiquadMemory()
      return
    }
    first = Self.tended(first)
    second = Self.tended(second)
  }

  @inline(__always) @_noLocks @_noAllocation
  private static func tended(_ values: SIMD2<Double>) -> SIMD2<Double> {
    SIMD2(
      values.x.magnitude < nothing ? 0 : values.x, values.y.magnitude < nothing ? 0 : values.y)
  }

  /// Whether all values are smaller than `limit`; false for NaN.
  @_noLocks @_noAllocation
  func isBelow(_ limit: Double) -> Bool {
    first.x.magnitude < limit && first.y.magnitude < limit && second.x.magnitude < limit
      && second.y.magnitude < limit
  }
}

/// The filters of a `SpeakerCorrection` with their state. The result does not depend on how the frames are split into
/// stretches.
struct FilterBank: Sendable {
  /// Number of filters; the first is only a gain.
  static var count: Int {
    @_noLocks @_noAllocation get { 14 }
  }
  /// Largest number of frames per call. Filter states are cleaned at multiples of it on the timeline.
  static var blockFrames: Int {
    @_noLocks @_noAllocation get { 64 }
  }
  /// A tail below this value, −140 dB, is inaudible.
  private static var inaudible: Double {
    @_noLocks @_noAllocation get { 1e-7 }
  }

  var biquads = InlineArray<14, Biquad>(repeating: .unity)
  private var memories = InlineArray<14, BiquadMemory>(repeating: BiquadMemory())

  /// Filters that pass all samples unchanged.
  @_noLocks @_noAllocation init() {}

  /// Whether all samples pass unchanged.
  var isUnity: Bool {
    @_noLocks @_noAllocation get {
      var i = 0
      while i < Self.count {
        if !biquads[i].isUnity { return false }
        i += 1
      }
      return true
    }
  }

  /// Whether the decaying output of all filters is inaudible.
  var isSilent: Bool {
    @_noLocks @_noAllocation get {
      var i = 0
      while i < Self.count {
        if !memories[i].isBelow(Self.inaudible) { return false }
        i += 1
      }
      return true
    }
  }

  /// Clears the history of all filters.
  @_noLocks @_noAllocation
  mutating func silence() {
    var i = 0
    while i < Self.count {
      memories[i] = BiquadMemory()
      i += 1
    }
  }

  /// Replaces a filter and clears its history, which could cause a loud transient in the new one.
  @_noLocks @_noAllocation
  mutating func replace(_ index: Int, by biquad: Biquad) {
    biquads[index] = biquad
    memories[index] = BiquadMemory()
  }

  /// Cleans tiny and absurd values from all filter states. Called at fixed timeline frames, independent of the split
  /// into stretches.
  @_noLocks @_noAllocation
  mutating func tend() {
    var i = 1
    while i < Self.count {
      if !biquads[i].isUnity { memories[i].tend() }
      i += 1
    }
  }

  /// Filters stereo frames in place.
  ///
  /// - Parameters:
  ///   - block: Stereo frames.
  ///   - frames: Number of frames, at most `blockFrames`.
  @_noLocks @_noAllocation
  mutating func process(_ block: UnsafeMutablePointer<SIMD2<Double>>, frames: Int) {
    let gain = biquads[0].b0
    if gain != 1 {
      var i = 0
      while i < frames {
        block[i] *= gain
        i = i &+ 1
      }
    }
    var n = 1
    while n < Self.count {
      let biquad = biquads[n]
      if !biquad.isUnity { Self.run(biquad, &memories[n], block, frames: frames) }
      n += 1
    }
  }

  @inline(__always) @_noLocks @_noAllocation
  private static func run(
    _ biquad: Biquad, _ memory: inout BiquadMemory, _ block: UnsafeMutablePointer<SIMD2<Double>>, frames: Int
  ) {
    var first = memory.first
    var second = memory.second
    var i = 0
    while i < frames {
      let x = block[i]
      let y = x * biquad.b0 + first
      first = (x * biquad.b1 + second) - y * biquad.a1
      second = x * biquad.b2 - y * biquad.a2
      block[i] = y
      i = i &+ 1
    }
    memory.first = first
    memory.second = second
  }
}
