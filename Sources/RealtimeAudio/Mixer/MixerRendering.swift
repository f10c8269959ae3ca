// Mixing one stretch of frames in which nothing changes but ramps. Audio thread; may not lock or allocate.

import AudioRing
import PlaybackModel

extension Mixer {
  /// How many frames from the present one can be rendered before anything has to be decided.
  @_noLocks @_noAllocation
  func stretchLength(limit: Int) -> Int {
    let quantum = Int64(Self.quantum)
    var length = min(Int64(limit), quantum - state.frame % quantum)
    if let next = timeline.nextFrame { length = min(length, max(1, next - state.frame)) }
    if let cue = state.cues.running { length = min(length, max(1, cue.end - state.frame)) }
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
    guard deck.isAudible, let ring = deck.ring else { return Int64(Self.quantum) }
    var length = Int64(ring.contiguous(from: deck.index))
    // Ramps after whose end somebody has to be told.
    let isEnding = if case .stopping = deck.activity { true } else { deck.level.to == 0 }
    if isEnding, deck.level.end > state.frame { length = min(length, deck.level.end - state.frame) }
    let end = deck.snapshot.end
    if end > deck.index {
      let left = Int64(clamping: end - deck.index)
      length = min(length, deck.endsSoftly && left > declick ? left - declick : left)
    }
    if case .crossfade(let from, to: _, let at, _, ends: _) = state.join, from == id, at > deck.index {
      length = min(length, Int64(clamping: at - deck.index))
    }
    return max(1, length)
  }

  /// Renders `count` frames and moves everything on by as many.
  @_noLocks @_noAllocation
  mutating func renderStretch(_ count: Int, into output: UnsafeMutableRawPointer) {
    var done = 0
    if let (ring, index, gain) = soundHeardAlone(count) {
      let samples = ring.samples(at: index)
      if state.dither.isIdle {
        if gain == 1 { done = encoder.copyExact(samples, frames: count, into: output) }
      } else {
        // Fast only from a place on that the noise's rows begin at by fours.
        done = min(count, Int(-state.frame & 15))
        if done > 0 { mixStretch(from: 0, to: done, into: output) }
        if done < count, state.limiter.isIdle {
          done += encoder.copyDithered(
            samples + 2 * done, frames: count - done, gain: gain, at: state.frame + Int64(done),
            dither: &state.dither, into: output + done * encoder.frameBytes)
        }
      }
    }
    if done < count { mixStretch(from: done, to: count, into: output) }
    advance(count)
  }

  /// The ring whose samples, times a gain, are the output, if there is one.
  @_noLocks @_noAllocation
  private func soundHeardAlone(_ count: Int) -> (RingReader, index: UInt64, gain: Float)? {
    let frame = state.frame
    guard state.fade == nil, state.mono.constantValue(from: frame, count: count) == 0, state.limiter.isIdle,
      !state.gate.isClosed,
      let gate = state.gate.ramp.constantValue(from: frame, count: count),
      let volume = state.volume.constantValue(from: frame, count: count),
      let entry = state.entry.constantValue(from: frame, count: count), state.cues.isIdle,
      state.cues.duck.constantValue(from: frame, count: count) == 1
    else { return nil }
    let a = state.decks[.a].isAudible
    guard a != state.decks[.b].isAudible else { return nil }
    let deck = state.decks[a ? .a : .b]
    guard let ring = deck.ring, let level = deck.level.constantValue(from: frame, count: count),
      deck.readable(count) == count
    else { return nil }
    // Two factors would be rounded twice.
    let own = level * deck.trackGain
    let master = gate * volume * entry
    guard own == 1 || master == 1 else { return nil }
    return (ring, deck.index, own * master)
  }

  @_noLocks @_noAllocation
  private mutating func mixStretch(from first: Int, to last: Int, into output: UnsafeMutableRawPointer) {
    let count = last - first
    (mix + 2 * first).update(repeating: 0, count: 2 * count)
    if !state.gate.isClosed {
      add(.a, from: first, to: last)
      add(.b, from: first, to: last)
      applyMaster(from: first, to: last)
    }
    if hasCues { addCue(from: first, to: last) }
    if encoder.channels == 1 || state.mono.constantValue(from: state.frame + Int64(first), count: count) != 0
    {
      sumChannels(from: first, to: last)
    }
    state.limiter.process(mix + 2 * first, frames: count)
    encoder.encode(
      mix + 2 * first, frames: count, at: state.frame + Int64(first), dither: &state.dither,
      into: output + first * encoder.frameBytes)
  }

  @_noLocks @_noAllocation
  private func add(_ id: Deck, from first: Int, to last: Int) {
    let deck = state.decks[id]
    guard deck.isAudible, let ring = deck.ring else { return }
    // A track whose worker lags behind gives silence beyond what is there.
    let end = deck.readable(last)
    guard first < end else { return }
    let samples = ring.samples(at: deck.index)
    let level = deck.level
    if let constant = level.constantValue(from: state.frame + Int64(first), count: end - first),
      !takesPartInFade(id)
    {
      let gain = constant * deck.trackGain
      var i = 2 * first
      while i < 2 * end {
        mix[i] += Self.sane(samples[i]) * gain
        i += 1
      }
      return
    }
    var i = first
    while i < end {
      let gain =
        level.value(at: state.frame + Int64(i)) * deck.trackGain * fadeGain(of: id, after: Int64(i))
      mix[2 * i] += Self.sane(samples[2 * i]) * gain
      mix[2 * i + 1] += Self.sane(samples[2 * i + 1]) * gain
      i += 1
    }
  }

  /// A hostile worker may write anything: what is no number is silence, what is absurd is cut.
  @_noLocks @_noAllocation
  private static func sane(_ sample: Float) -> Float {
    // Comparisons with NaN are false, so it falls through both.
    sample < 8 ? (sample > -8 ? sample : (sample <= -8 ? -8 : 0)) : (sample >= 8 ? 8 : 0)
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
    let gains = fade.gains(after: Frames(frames))
    return fade.from == id ? gains.outgoing.factor : gains.incoming.factor
  }

  /// Volume, gate, entry after a gap, and room for cues.
  @_noLocks @_noAllocation
  private func applyMaster(from first: Int, to last: Int) {
    let frame = state.frame + Int64(first)
    let count = last - first
    if let gate = state.gate.ramp.constantValue(from: frame, count: count),
      let volume = state.volume.constantValue(from: frame, count: count),
      let entry = state.entry.constantValue(from: frame, count: count),
      let duck = state.cues.duck.constantValue(from: frame, count: count)
    {
      let gain = gate * volume * entry * duck
      if gain != 1 {
        var i = 2 * first
        while i < 2 * last {
          mix[i] *= gain
          i += 1
        }
      }
    } else {
      var i = first
      while i < last {
        let now = state.frame + Int64(i)
        let gain =
          state.gate.ramp.value(at: now) * state.volume.value(at: now) * state.entry.value(at: now)
          * state.cues.duck.value(at: now)
        mix[2 * i] *= gain
        mix[2 * i + 1] *= gain
        i += 1
      }
    }
  }

  @_noLocks @_noAllocation
  private func sumChannels(from first: Int, to last: Int) {
    var i = first
    while i < last {
      let sum = (mix[2 * i] + mix[2 * i + 1]) * 0.5
      let share = encoder.channels == 1 ? 1 : state.mono.value(at: state.frame + Int64(i))
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
    guard !state.gate.isClosed else { return }
    advance(.a, by: count)
    advance(.b, by: count)
    state.fade?.elapsed += Frames(Int64(count))
  }

  @_noLocks @_noAllocation
  private mutating func advance(_ id: Deck, by count: Int) {
    let deck = state.decks[id]
    guard deck.isAudible else { return }
    // A frame that was not there is not skipped: it is still to be heard.
    state.decks[id].index = deck.index &+ UInt64(deck.readable(count))
  }
}
