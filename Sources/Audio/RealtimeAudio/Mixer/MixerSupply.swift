// How much can be rendered now, and whether rendering would add anything but silence. Audio thread; may not lock or
// allocate.

import AudioRing
import PlaybackModel

extension Mixer {
  /// Whether nothing sounds, nothing moves and nothing is pinned: rendering on would add silence only.
  package var isQuiescent: Bool {
    @_noLocks @_noAllocation get {
      if timeline.hasPending || isAnnouncing || state.filters.isSounding { return false }
      if case .closing = state.gate.phase { return false }
      return isMute
    }
  }

  /// Whether no track and no live source is heard at the present frame.
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

  /// Frames that can be rendered now without any deck running short of what its writer is yet to write, and
  /// without anything else becoming audible in between. Zero or less: the writer has to be waited for.
  @_noLocks @_noAllocation
  func supply() -> Int {
    var supply = Int.max
    if let next = timeline.nextFrame { supply = Int(max(1, next - state.frame)) }
    if state.gate.isClosed { return supply }
    return min(supply, min(self.supply(of: .a), self.supply(of: .b)))
  }

  /// What a deck that is heard has in its ring; nil where it is not, or has all of its track.
  @_noLocks @_noAllocation
  func reserve(of id: Deck) -> RingReserve? {
    let deck = state.decks[id]
    guard !state.gate.isClosed, !deck.endsWhereDry, let ring = deck.ring else { return nil }
    let isInFade = if let fade = state.fade { fade.to == id } else { false }
    switch deck.activity {
    case .running: break
    // Outside of a fade its starvation is an event.
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
    // What cannot be is found out, and told, by rendering it.
    guard case .frames(let count) = snapshot.available(from: deck.index) else { return .max }
    var supply =
      snapshot.isComplete(from: deck.index) || deck.endsWhereDry
      ? max(1, count) : count - quantum - Self.shortestQuantum - Int(declick)
    // Where a fade begins, what it brings in has to be looked at first.
    if case .crossfade(let from, to: _, let at, _, ends: _) = state.join, from == id, at > deck.index {
      supply = Int(min(UInt64(max(supply, 0)), at - deck.index))
    }
    return supply
  }
}

/// What is left in the ring of a deck that is heard.
struct RingReserve: Sendable {
  /// Frames beyond the present one.
  let frames: Int
  /// The ring's attachment.
  let attachment: UInt32
  /// The frame at which the deck was last let sound out of silence.
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
