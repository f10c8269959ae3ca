// Biquads in a row, with what they remember: transposed direct form II, in Double (docs/decisions/0017-speaker-care.md says why).
// Part of the mixer's restorable state; audio thread; may not lock or allocate.

import PlaybackModel

/// What one biquad remembers of both channels.
struct BiquadMemory: Sendable {
  var first = SIMD2<Double>.zero
  var second = SIMD2<Double>.zero

  @_noLocks @_noAllocation init() {}

  /// What is smaller than this is nothing: before it becomes a denormal number, which some processors are slow with.
  private static var nothing: Double {
    @_noLocks @_noAllocation get { 1e-20 }
  }
  /// What is larger never came of sound: a cue's file may hold anything.
  private static var absurd: Double {
    @_noLocks @_noAllocation get { 1e6 }
  }

  /// Drops what is next to nothing, in each channel by itself, and everything where something is absurd.
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

  /// Whether everything in it is smaller than `limit`. What is no number is not.
  @_noLocks @_noAllocation
  func isBelow(_ limit: Double) -> Bool {
    first.x.magnitude < limit && first.y.magnitude < limit && second.x.magnitude < limit
      && second.y.magnitude < limit
  }
}

/// The filters of a `SpeakerCorrection` at work. It looks only back, so any split of the same frames into stretches gives
/// the same samples.
struct FilterBank: Sendable {
  /// Filters in a row; the first is a factor only.
  static var count: Int {
    @_noLocks @_noAllocation get { 14 }
  }
  /// Frames that are filtered at a time, at most: from one place of the timeline to the next, where memories are tended.
  static var blockFrames: Int {
    @_noLocks @_noAllocation get { 64 }
  }
  /// A tail below this, −140 dB, is not heard.
  private static var inaudible: Double {
    @_noLocks @_noAllocation get { 1e-7 }
  }

  var biquads = InlineArray<14, Biquad>(repeating: .unity)
  private var memories = InlineArray<14, BiquadMemory>(repeating: BiquadMemory())

  /// Passes everything as it is.
  @_noLocks @_noAllocation init() {}

  /// Whether everything passes as it is.
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

  /// Whether nothing would be heard of what it remembers.
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

  /// Forgets what it has heard.
  @_noLocks @_noAllocation
  mutating func silence() {
    var i = 0
    while i < Self.count {
      memories[i] = BiquadMemory()
      i += 1
    }
  }

  /// Takes another filter, which begins with nothing remembered: what the former remembers could be a bang to it.
  @_noLocks @_noAllocation
  mutating func replace(_ index: Int, by biquad: Biquad) {
    biquads[index] = biquad
    memories[index] = BiquadMemory()
  }

  /// Rids the memories of what is next to nothing and of what is absurd. At places of the timeline that do not depend on how
  /// frames are split.
  @_noLocks @_noAllocation
  mutating func tend() {
    var i = 1
    while i < Self.count {
      if !biquads[i].isUnity { memories[i].tend() }
      i += 1
    }
  }

  /// Filters stereo frames in place.
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
