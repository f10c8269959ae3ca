// A fade stopped in the middle, complete enough to be written to disk and taken up again on the same frame.
// Pure value; control thread.

/// One of the two players.
package enum Deck: UInt8, Hashable, Sendable, CaseIterable {
  case a, b

  /// Written out because the compiler's own comparison is not proved real-time safe.
  @_noLocks @_noAllocation
  package static func == (left: Deck, right: Deck) -> Bool {
    switch (left, right) {
    case (.a, .a), (.b, .b): true
    case (.a, .b), (.b, .a): false
    }
  }

  /// The other one.
  package var other: Deck {
    @_noLocks @_noAllocation get { self == .a ? .b : .a }
  }
}

/// A fade stopped in the middle. Gains are not stored: they follow from the frame index.
package struct CrossfadeSnapshot: Hashable, Sendable {
  /// The outgoing track's id.
  package var from: UInt64
  /// The incoming track's id.
  package var to: UInt64
  /// The next frame of the outgoing track.
  package var fromPosition: Frames
  /// The next frame of the incoming track.
  package var toPosition: Frames
  /// The next frame of the fade, and its length.
  package var progress: FadeProgress
  /// The fade's shape.
  package var curve: FadeCurve
  /// The rate the frames are counted at.
  package var rate: SampleRate
  /// The deck that plays the outgoing track.
  package var deck: Deck
  /// When it was taken, in nanoseconds of the engine's clock.
  package var time: UInt64

  /// A snapshot of a fade.
  package init(
    from: UInt64, to: UInt64, fromPosition: Frames, toPosition: Frames, progress: FadeProgress,
    curve: FadeCurve, rate: SampleRate, deck: Deck, time: UInt64
  ) {
    self.from = from
    self.to = to
    self.fromPosition = fromPosition
    self.toPosition = toPosition
    self.progress = progress
    self.curve = curve
    self.rate = rate
    self.deck = deck
    self.time = time
  }

  /// The fade as it was ordered.
  package var fade: Fade { Fade(length: progress.length, curve: curve) }

  /// The number of bytes of the written form.
  package static let byteCount = 64

  /// The written form: a version byte, curve, deck, a zero, the rate, then six 64-bit numbers and the
  /// time, all little-endian. The checkpoint that holds it carries the checksum.
  package var bytes: [UInt8] {
    var out: [UInt8] = [1, curve.rawValue, deck.rawValue, 0]
    out.reserveCapacity(Self.byteCount)
    out.append(littleEndian: UInt64(rate.hertz), bytes: 4)
    out.append(littleEndian: from, bytes: 8)
    out.append(littleEndian: to, bytes: 8)
    out.append(littleEndian: UInt64(bitPattern: fromPosition.count), bytes: 8)
    out.append(littleEndian: UInt64(bitPattern: toPosition.count), bytes: 8)
    out.append(littleEndian: UInt64(bitPattern: progress.index.count), bytes: 8)
    out.append(littleEndian: UInt64(bitPattern: progress.length.count), bytes: 8)
    out.append(littleEndian: time, bytes: 8)
    return out
  }

  /// Reads the written form; nil where any field is out of its bounds.
  package init?(bytes: [UInt8]) {
    guard bytes.count == Self.byteCount, bytes[0] == 1, bytes[3] == 0,
      let curve = FadeCurve(rawValue: bytes[1]), let deck = Deck(rawValue: bytes[2])
    else { return nil }
    func number(_ start: Int, _ count: Int) -> UInt64 {
      var value: UInt64 = 0
      for i in 0..<count { value |= UInt64(bytes[start + i]) << UInt64(8 * i) }
      return value
    }
    func frames(_ start: Int) -> Frames { Frames(Int64(bitPattern: number(start, 8))) }
    let hertz = number(4, 4)
    guard hertz >= 1, hertz <= 1_000_000, frames(24) >= .zero, frames(32) >= .zero,
      frames(40) >= .zero, frames(40) <= frames(48)
    else { return nil }
    self.init(
      from: number(8, 8), to: number(16, 8), fromPosition: frames(24), toPosition: frames(32),
      progress: FadeProgress(index: frames(40), length: frames(48)), curve: curve,
      rate: SampleRate(Int(hertz)), deck: deck, time: number(56, 8))
  }
}
