// Mixes one stretch: a run of frames in which only ramps change. Audio thread: no locks, no allocation.

import AudioRing
import PlaybackModel

extension Mixer {
  /// Number of frames that can be rendered before the next decision.
  @_noLocks @_noAllocation
  func stretchLength(limit: Int) -> Int {
    let quantum = Int64(quantum)
    var length = min(Int64(limit), quantum - state.frame % quantum)
    if let next = timeline.nextFrame { length = min(length, max(1, next - state.frame)) }
    if let cue = state.announcer.running { length = min(length, max(1, cue.end - state.frame)) }
    length = min(length, stretchLength(of: state.announcer.deck))
    if hasLiveInput { length = min(length, stretchLength(of: state.liveInput.deck)) }
    if state.filters.isCrossing { length = min(length, max(1, state.filters.crossing.end - state.frame)) }
    switch state.gate.phase {
    case .closed: return Int(length)
    case .closing: length = min(length, max(1, state.gate.ramp.end - state.frame))
    case .open: break
    }
    if let fade = state.fade { length = min(length, max(1, fade.remaining)) }
    length = min(length, stretchLength(of: .a))
    length = min(length, stretchLength(of: .b))
    return Int(length)
  }

  @_noLocks @_noAllocation
  private func stretchLength(of id: Deck) -> Int64 {
    let deck = state.decks[id]
    var length = stretchLength(of: deck)
    if deck.isAudible, case .crossfade(let from, to: _, let at, _, ends: _) = state.join, from == id,
      at > deck.index
    {
      length = min(length, Int64(clamping: at - deck.index))
    }
    return max(1, length)
  }

  @_noLocks @_noAllocation
  private func stretchLength(of deck: DeckState) -> Int64 {
    guard deck.isAudible, let ring = deck.ring else { return Int64(quantum) }
    var length = Int64(ring.contiguous(from: deck.index))
    // Ramps whose end is a decision or an event.
    let isEnding = if case .stopping = deck.activity { true } else { deck.level.to == 0 }
    if isEnding, deck.level.end > state.frame { length = min(length, deck.level.end - state.frame) }
    let left = deck.framesToEnd
    if left > 0 {
      length = min(length, deck.endsSoftly && left > declick ? left - declick : left)
    }
    return max(1, length)
  }

  /// Renders `count` frames and advances all positions.
  @_noLocks @_noAllocation
  mutating func renderStretch(_ count: Int, into output: UnsafeMutableRawPointer) {
    var done = 0
    if encoder.isDirect, state.limiter.isIdle, let sound = soundHeardAlone(count) {
      while done < count, state.limiter.isIdle {
        done += encoder.encodeDirectly(
          sound.frames.dropFirst(done), count: count - done, gains: sound.gains,
          at: state.frame + Int64(done), dither: &state.dither, into: output + done * encoder.frameBytes)
        guard done < count else { break }
        // Mix the part that stopped direct encoding, up to a boundary where it may resume.
        let piece = Self.piece - Int((state.frame + Int64(done)) % Int64(Self.piece))
        let end = min(count, done + piece)
        mixStretch(from: done, to: end, into: output)
        done = end
      }
    }
    if done < count { mixStretch(from: done, to: count, into: output) }
    advance(count)
  }

  /// Frames to mix when direct encoding stops at a frame.
  private static var piece: Int {
    @_noLocks @_noAllocation get { 64 }
  }

  /// The single audible deck's frames and gains, if the output equals frames times constant gains; else nil.
  @_noLocks @_noAllocation
  private func soundHeardAlone(_ count: Int) -> (frames: RingFrames, gains: SourceGains)? {
    let frame = state.frame
    guard state.fade == nil, !state.filters.isOn, state.mono.constantValue(from: frame, count: count) == 0,
      !state.gate.isClosed,
      let gate = state.gate.ramp.constantValue(from: frame, count: count),
      let volume = state.volume.constantValue(from: frame, count: count),
      let entry = state.entry.constantValue(from: frame, count: count), state.announcer.isIdle,
      state.announcer.duck.constantValue(from: frame, count: count) == 1, !hasLiveInput
    else { return nil }
    let a = state.decks[.a].isAudible
    guard a != state.decks[.b].isAudible else { return nil }
    let deck = state.decks[a ? .a : .b]
    guard let ring = deck.ring, let level = deck.level.constantValue(from: frame, count: count),
      deck.readable(count) == count
    else { return nil }
    let gains = SourceGains(own: level * deck.trackGain, master: gate * volume * entry)
    return (ring.frames(at: deck.index), gains)
  }

  @_noLocks @_noAllocation
  private mutating func mixStretch(from first: Int, to last: Int, into output: UnsafeMutableRawPointer) {
    let count = last - first
    if state.gate.isClosed {
      silence(from: first, to: last)
    } else {
      let isAny = add(.a, from: first, to: last, isFirst: true)
      if !add(.b, from: first, to: last, isFirst: !isAny), !isAny { silence(from: first, to: last) }
      applyMaster(from: first, to: last)
    }
    if hasLiveInput { addLiveInput(from: first, to: last) }
    if isAnnouncing { addAnnouncements(from: first, to: last) }
    if encoder.channels == 1 || state.mono.constantValue(from: state.frame + Int64(first), count: count) != 0
    {
      sumChannels(from: first, to: last)
    }
    if state.filters.isOn { filterMix(from: first, to: last) }
    state.limiter.process(mix + 2 * first, frames: count)
    encoder.encode(
      mix + 2 * first, frames: count, at: state.frame + Int64(first), dither: &state.dither,
      into: output + first * encoder.frameBytes)
  }

  @_noLocks @_noAllocation
  private func silence(from first: Int, to last: Int) {
    (mix + 2 * first).update(repeating: 0, count: 2 * (last - first))
  }

  /// Adds a deck's part of a stretch to the mix, or starts the mix with it.
  ///
  /// - Returns: False if the deck has no frames.
  @_noLocks @_noAllocation
  private func add(_ id: Deck, from first: Int, to last: Int, isFirst: Bool) -> Bool {
    let deck = state.decks[id]
    guard deck.isAudible, let ring = deck.ring else { return false }
    // Silence replaces frames that the worker has not written yet.
    let end = deck.readable(last)
    guard first < end else { return false }
    if isFirst, end < last { silence(from: end, to: last) }
    add(id, from: ring, first, to: end, isFirst: isFirst)
    return true
  }

  @_noLocks @_noAllocation
  private func add(_ id: Deck, from ring: RingReader, _ first: Int, to end: Int, isFirst: Bool) {
    let deck = state.decks[id]
    let frames = ring.frames(at: deck.index)
    let count = end - first
    if let level = deck.level.constantValue(from: state.frame + Int64(first), count: count) {
      let gain = level * deck.trackGain
      guard let fade = state.fade, takesPartInFade(id) else {
        return BlockMath.add(
          frames.dropFirst(first), times: gain, to: mix + 2 * first, count: count, areFirst: isFirst)
      }
      var i = first
      while i < end {
        let line = fade.gainLine(of: id, after: Int64(i))
        let next = min(end, i + line.frames)
        BlockMath.add(
          frames.dropFirst(i), times: line, gain, to: mix + 2 * i, count: next - i, areFirst: isFirst)
        i = next
      }
      return
    }
    var i = first
    while i < end {
      let level = deck.level.value(at: state.frame + Int64(i)) * deck.trackGain
      let line = GainLine(first: fadeGain(of: id, after: Int64(i)), step: 0, offset: 0, frames: 1)
      BlockMath.add(frames.dropFirst(i), times: line, level, to: mix + 2 * i, count: 1, areFirst: isFirst)
      i += 1
    }
  }

  @_noLocks @_noAllocation
  func takesPartInFade(_ id: Deck) -> Bool {
    guard let fade = state.fade, fade.from == id || fade.to == id else { return false }
    if case .stopping = state.decks[id].activity { return false }
    return true
  }

  @_noLocks @_noAllocation
  private func fadeGain(of id: Deck, after frames: Int64) -> Float {
    guard let fade = state.fade, takesPartInFade(id) else { return 1 }
    return fade.gain(of: id, after: frames)
  }

  /// Applies volume, gate, the ramp after a gap, and ducking.
  @_noLocks @_noAllocation
  private func applyMaster(from first: Int, to last: Int) {
    let frame = state.frame + Int64(first)
    let count = last - first
    let gate = state.gate.ramp.constantValue(from: frame, count: count)
    let volume = state.volume.constantValue(from: frame, count: count)
    let entry = state.entry.constantValue(from: frame, count: count)
    let duck = state.announcer.duck.constantValue(from: frame, count: count)
    if let gate, let volume, let entry, let duck {
      let gain = gate * volume * entry * duck
      if gain != 1 { BlockMath.scale(mix + 2 * first, by: gain, frames: count) }
    } else {
      var i = first
      let end = frame + Int64(count)
      let areBrief =
        (gate != nil || state.gate.ramp.movesBriefly(near: end))
        && (volume != nil || state.volume.movesBriefly(near: end))
        && (entry != nil || state.entry.movesBriefly(near: end))
        && (duck != nil || state.announcer.duck.movesBriefly(near: end))
      while areBrief, i + 4 <= last {
        let now = state.frame + Int64(i)
        var gains = Self.gains(gate, state.gate.ramp, at: now)
        gains *= Self.gains(volume, state.volume, at: now)
        gains *= Self.gains(entry, state.entry, at: now)
        gains *= Self.gains(duck, state.announcer.duck, at: now)
        BlockMath.scale(mix + 2 * i, by: gains)
        i += 4
      }
      while i < last {
        let now = state.frame + Int64(i)
        let gain =
          (gate ?? state.gate.ramp.value(at: now)) * (volume ?? state.volume.value(at: now))
          * (entry ?? state.entry.value(at: now)) * (duck ?? state.announcer.duck.value(at: now))
        mix[2 * i] *= gain
        mix[2 * i + 1] *= gain
        i += 1
      }
    }
  }

  /// Gains of four frames: a constant, or the ramp's values.
  @inline(__always) @_noLocks @_noAllocation
  private static func gains(_ constant: Float?, _ ramp: Ramp, at frame: Int64) -> SIMD8<Float> {
    if let constant { SIMD8(repeating: constant) } else { ramp.values(at: frame) }
  }

  @_noLocks @_noAllocation
  private func sumChannels(from first: Int, to last: Int) {
    let mono =
      encoder.channels == 1
      ? 1 : state.mono.constantValue(from: state.frame + Int64(first), count: last - first)
    if mono == 1 { return BlockMath.fold(mix + 2 * first, frames: last - first) }
    var i = first
    while i < last {
      let sum = (mix[2 * i] + mix[2 * i + 1]) * 0.5
      let share = state.mono.value(at: state.frame + Int64(i))
      if share == 1 {
        mix[2 * i] = sum
        mix[2 * i + 1] = sum
      } else {
        mix[2 * i] += (sum - mix[2 * i]) * share
        mix[2 * i + 1] += (sum - mix[2 * i + 1]) * share
      }
      i += 1
    }
  }

  @_noLocks @_noAllocation
  private mutating func advance(_ count: Int) {
    state.frame += Int64(count)
    if state.announcer.deck.isAudible {
      state.announcer.deck.index &+= UInt64(state.announcer.deck.readable(count))
    }
    if state.liveInput.deck.isAudible {
      state.liveInput.deck.index &+= UInt64(state.liveInput.deck.readable(count))
    }
    guard !state.gate.isClosed else { return }
    advance(.a, by: count)
    advance(.b, by: count)
    state.fade?.elapsed += Frames(Int64(count))
  }

  @_noLocks @_noAllocation
  private mutating func advance(_ id: Deck, by count: Int) {
    let deck = state.decks[id]
    guard deck.isAudible else { return }
    // Missing frames are not skipped; they are played later.
    state.decks[id].index = deck.index &+ UInt64(deck.readable(count))
  }
}
