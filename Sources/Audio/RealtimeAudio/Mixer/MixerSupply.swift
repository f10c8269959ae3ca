// How many frames can be rendered before a worker must deliver more, and whether rendering would produce only silence.
// Audio thread: no locks, no allocation.

import AudioRing
import PlaybackModel

extension Mixer {
  /// Whether nothing is audible, no ramp moves and no command is pending, so that rendering would produce only silence.
  package var isQuiescent: Bool {
    @_noLocks @_noAllocation get {
      if timeline.hasPending || isAnnouncing || state.filters.isSounding { return false }
      if case .closing = state.gate.phase { return false }
      return isMute
    }
  }

  /// Whether no track and no live input is audible at the present frame.
  var isMute: Bool {
    @_noLocks @_noAllocation get {
      (state.gate.isClosed || (state.fade == nil && isSilent(.a) && isSilent(.b))) && !state.liveInput.isHeard
    }
  }

  @_noLocks @_noAllocation
  private func isSilent(_ id: Deck) -> Bool {
    switch state.decks[id].activity {
    case .empty, .cued, .ended: true
    case .running, .stopping, .starved: false
    }
  }

  /// Frames that can be rendered before a deck runs short of frames that are not written yet, or another deck becomes
  /// audible.
  ///
  /// - Returns: Frames; zero or less if the loop must wait for the writer.
  @_noLocks @_noAllocation
  func supply() -> Int {
    var supply = Int.max
    if let next = timeline.nextFrame { supply = Int(max(1, next - state.frame)) }
    if state.gate.isClosed { return supply }
    return min(supply, min(self.supply(of: .a), self.supply(of: .b)))
  }

  /// Remaining frames of an audible deck; nil if it is inaudible or its whole track is in the ring.
  @_noLocks @_noAllocation
  func reserve(of id: Deck) -> RingReserve? {
    let deck = state.decks[id]
    guard !state.gate.isClosed, !deck.endsWhereDry, let ring = deck.ring else { return nil }
    let isInFade = if let fade = state.fade { fade.to == id } else { false }
    switch deck.activity {
    case .running: break
    // Outside a fade, starvation is reported as an event.
    case .starved where isInFade: break
    case .empty, .cued, .stopping, .starved, .ended: return nil
    }
    let snapshot = ring.look()
    guard !snapshot.isComplete(from: deck.index),
      case .frames(let count) = snapshot.available(from: deck.index)
    else { return nil }
    return RingReserve(
      frames: count, attachment: deck.attachment, begun: deck.startFrame, isInFade: isInFade)
  }

  @_noLocks @_noAllocation
  private func supply(of id: Deck) -> Int {
    let deck = state.decks[id]
    guard let ring = deck.ring else { return .max }
    switch deck.activity {
    case .empty, .cued, .ended: return .max
    case .starved: return ring.holds(refill, from: deck.index) ? refill : 0
    case .running, .stopping: break
    }
    let snapshot = ring.look()
    // Invalid indexes are detected and reported by rendering.
    guard case .frames(let count) = snapshot.available(from: deck.index) else { return .max }
    var supply =
      snapshot.isComplete(from: deck.index) || deck.endsWhereDry
      ? max(1, count) : count - quantum - Self.shortestQuantum - Int(declick)
    // Stop where a fade begins, to check the supply of its incoming deck first.
    if case .crossfade(let from, to: _, let at, _, ends: _) = state.join, from == id, at > deck.index {
      supply = Int(min(UInt64(max(supply, 0)), at - deck.index))
    }
    return supply
  }
}

/// Remaining frames in the ring of an audible deck.
struct RingReserve: Sendable {
  /// Readable frames from the present one.
  let frames: Int
  /// Number of the attached ring.
  let attachment: UInt32
  /// The frame at which the deck last became audible.
  let begun: Int64
  /// Whether it is the incoming deck of a fade.
  let isInFade: Bool

  @_noLocks @_noAllocation
  init(frames: Int, attachment: UInt32, begun: Int64, isInFade: Bool) {
    self.frames = frames
    self.attachment = attachment
    self.begun = begun
    self.isInFade = isInFade
  }
}
