// A paused crossfade, complete enough to be saved to disk and resumed at the same frame. A pure value; control thread.

/// One of the two decks.
package enum Deck: UInt8, Hashable, Sendable, CaseIterable {
  case a, b

  /// Defined explicitly, because the synthesized operator is not proved real-time safe.
  @_noLocks @_noAllocation
  package static func == (left: Deck, right: Deck) -> Bool {
    switch (left, right) {
    case (.a, .a), (.b, .b): true
    case (.a, .b), (.b, .a): false
    }
  }

  /// The other deck.
  package var other: Deck {
    @_noLocks @_noAllocation get { self == .a ? .b : .a }
  }
}

/// A paused crossfade. Gains are not stored: they follow from the frame index.
package struct CrossfadeSnapshot: Hashable, Sendable {
  /// Id of the outgoing track.
  package var from: UInt64
  /// Id of the incoming track.
  package var to: UInt64
  /// Next frame of the outgoing track.
  package var fromPosition: Frames
  /// Next frame of the incoming track.
  package var toPosition: Frames
  /// Next frame of the fade, and its length.
  package var progress: FadeProgress
  /// Curve of the fade.
  package var curve: FadeCurve
  /// Sample rate of all frame counts.
  package var rate: SampleRate
  /// Deck of the outgoing track.
  package var deck: Deck
  /// Time of the snapshot, in nanoseconds of the engine's clock.
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

  /// The fade as requested.
  package var fade: Fade { Fade(length: progress.length, curve: curve) }

  /// Size of the encoded form in bytes.
  package static let byteCount = 64

  /// The encoded form: version, curve, deck and a zero as bytes, the rate in 32 bits, six 64-bit numbers and the time,
  /// all little-endian.
  ///
  /// The checkpoint that contains it has the checksum.
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

  /// Decodes the encoded form; nil if a field is out of range.
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
