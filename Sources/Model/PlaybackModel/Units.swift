// Frames, seconds, gain and sample rate as distinct types, so that they cannot be confused. Pure values; any thread,
// including the audio thread (hence the annotations).

/// A count of frames, or a position in frames: one sample per channel at the engine's rate.
package struct Frames: Hashable, Comparable, Sendable {
  /// Number of frames.
  package var count: Int64

  /// A number of frames.
  @_noLocks @_noAllocation package init(_ count: Int64) { self.count = count }

  /// No frames, or the first frame.
  package static var zero: Frames {
    @_noLocks @_noAllocation get { Frames(0) }
  }

  /// Orders by count.
  @_noLocks @_noAllocation package static func < (a: Frames, b: Frames) -> Bool { a.count < b.count }

  // Defined explicitly for the audio thread: the default operators of `Comparable` are generic and may look up metadata
  // at run time.

  /// Orders by count.
  @_noLocks @_noAllocation package static func <= (a: Frames, b: Frames) -> Bool { a.count <= b.count }

  /// Orders by count.
  @_noLocks @_noAllocation package static func > (a: Frames, b: Frames) -> Bool { a.count > b.count }

  /// Orders by count.
  @_noLocks @_noAllocation package static func >= (a: Frames, b: Frames) -> Bool { a.count >= b.count }

  /// The sum; wraps on overflow, which takes 6 million years at 48 kHz.
  @_noLocks @_noAllocation package static func + (a: Frames, b: Frames) -> Frames {
    Frames(a.count &+ b.count)
  }

  /// The difference; wraps on overflow.
  @_noLocks @_noAllocation package static func - (a: Frames, b: Frames) -> Frames {
    Frames(a.count &- b.count)
  }

  /// Adds in place.
  @_noLocks @_noAllocation package static func += (a: inout Frames, b: Frames) { a = a + b }

  /// Subtracts in place.
  @_noLocks @_noAllocation package static func -= (a: inout Frames, b: Frames) { a = a - b }
}

/// A duration or position in seconds, as used in commands and displays.
package struct Seconds: Hashable, Comparable, Sendable {
  /// Number of seconds.
  package var value: Double

  /// A number of seconds.
  @_noLocks @_noAllocation package init(_ value: Double) { self.value = value }

  /// Orders by value.
  @_noLocks @_noAllocation package static func < (a: Seconds, b: Seconds) -> Bool { a.value < b.value }

  /// Zero seconds.
  package static var zero: Seconds {
    @_noLocks @_noAllocation get { Seconds(0) }
  }
}

/// A linear amplitude factor.
package struct Gain: Hashable, Comparable, Sendable {
  /// The factor.
  package var factor: Float

  /// A factor.
  @_noLocks @_noAllocation package init(_ factor: Float) { self.factor = factor }

  /// Orders by factor.
  @_noLocks @_noAllocation package static func < (a: Gain, b: Gain) -> Bool { a.factor < b.factor }

  /// A factor of 1.
  package static var unity: Gain {
    @_noLocks @_noAllocation get { Gain(1) }
  }

  /// A factor of 0.
  package static var silence: Gain {
    @_noLocks @_noAllocation get { Gain(0) }
  }
}

/// A sample rate.
package struct SampleRate: Hashable, Sendable {
  /// Frames per second, at least 1.
  package let hertz: Int

  /// A rate in Hz; must be at least 1.
  @_noLocks @_noAllocation package init(_ hertz: Int) {
    precondition(hertz >= 1)
    self.hertz = hertz
  }

  /// The nearest frame to a time, clamped to ±9e15.
  @_noLocks @_noAllocation package func frames(_ time: Seconds) -> Frames {
    let exact = time.value * Double(hertz)
    guard exact < 9e15 else { return Frames(9_000_000_000_000_000) }
    guard exact > -9e15 else { return Frames(-9_000_000_000_000_000) }
    return Frames(Int64(exact < 0 ? exact - 0.5 : exact + 0.5))
  }

  /// Duration of a number of frames.
  @_noLocks @_noAllocation package func seconds(_ frames: Frames) -> Seconds {
    Seconds(Double(frames.count) / Double(hertz))
  }
}
