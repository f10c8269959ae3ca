// Frames, seconds, gain and rate as distinct types, so that none can be taken for another.
// Pure values; any thread, the audio thread included (hence the annotations).

/// A count of frames, or a position in frames: one sample per channel at the engine's rate.
package struct Frames: Hashable, Comparable, Sendable {
  /// The number of frames.
  package var count: Int64

  /// Wraps a number of frames.
  @_noLocks @_noAllocation package init(_ count: Int64) { self.count = count }

  /// No frames, or the first frame.
  package static var zero: Frames {
    @_noLocks @_noAllocation get { Frames(0) }
  }

  /// Orders by count.
  @_noLocks @_noAllocation package static func < (a: Frames, b: Frames) -> Bool { a.count < b.count }

  // The audio thread compares frames, and what `Comparable` makes of `<` is generic: it may look for metadata.

  /// Orders by count.
  @_noLocks @_noAllocation package static func <= (a: Frames, b: Frames) -> Bool { a.count <= b.count }

  /// Orders by count.
  @_noLocks @_noAllocation package static func > (a: Frames, b: Frames) -> Bool { a.count > b.count }

  /// Orders by count.
  @_noLocks @_noAllocation package static func >= (a: Frames, b: Frames) -> Bool { a.count >= b.count }

  /// The sum; wraps on overflow, which 6 million years of 48 kHz do not reach.
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

/// A length of time, or a position, in seconds: what people and commands speak.
package struct Seconds: Hashable, Comparable, Sendable {
  /// The number of seconds.
  package var value: Double

  /// Wraps a number of seconds.
  @_noLocks @_noAllocation package init(_ value: Double) { self.value = value }

  /// Orders by value.
  @_noLocks @_noAllocation package static func < (a: Seconds, b: Seconds) -> Bool { a.value < b.value }

  /// No time at all.
  package static var zero: Seconds {
    @_noLocks @_noAllocation get { Seconds(0) }
  }
}

/// A linear amplitude factor: 1 leaves samples as they are.
package struct Gain: Hashable, Comparable, Sendable {
  /// The factor.
  package var factor: Float

  /// Wraps a factor.
  @_noLocks @_noAllocation package init(_ factor: Float) { self.factor = factor }

  /// Orders by factor.
  @_noLocks @_noAllocation package static func < (a: Gain, b: Gain) -> Bool { a.factor < b.factor }

  /// Leaves samples exactly as they are.
  package static var unity: Gain {
    @_noLocks @_noAllocation get { Gain(1) }
  }

  /// Digital silence.
  package static var silence: Gain {
    @_noLocks @_noAllocation get { Gain(0) }
  }
}

/// Frames a second.
package struct SampleRate: Hashable, Sendable {
  /// The number of frames in one second, at least 1.
  package let hertz: Int

  /// Wraps a rate; below 1 is a programming error.
  @_noLocks @_noAllocation package init(_ hertz: Int) {
    precondition(hertz >= 1)
    self.hertz = hertz
  }

  /// The frame nearest to a time, saturating far beyond any real length.
  @_noLocks @_noAllocation package func frames(_ time: Seconds) -> Frames {
    let exact = time.value * Double(hertz)
    guard exact < 9e15 else { return Frames(9_000_000_000_000_000) }
    guard exact > -9e15 else { return Frames(-9_000_000_000_000_000) }
    return Frames(Int64(exact < 0 ? exact - 0.5 : exact + 0.5))
  }

  /// How long that many frames last.
  @_noLocks @_noAllocation package func seconds(_ frames: Frames) -> Seconds {
    Seconds(Double(frames.count) / Double(hertz))
  }
}
