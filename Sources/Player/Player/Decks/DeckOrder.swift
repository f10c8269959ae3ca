// Computes the orders that take the decks from their present state to a plan. Pure; control thread.

import AudioRing
import PlaybackModel
import RealtimeAudio

/// One step to be carried out on the decks.
enum DeckOrder: Equatable {
  /// Release everything except, optionally, a deck that is to be kept silent, and open the gate.
  case clear(keeping: Deck?, ramp: Frames)
  /// Release a deck.
  case retire(Deck, ramp: Frames)
  /// End the fade; only this deck continues.
  case collapse(onto: Deck, ramp: Frames)
  /// Make this deck the lead.
  case lead(Deck)
  /// Start decoding a track.
  case open(Track, at: Frames, on: Deck)
  /// Silence a deck and move its decoder. If the deck is already stopping or seeking, only move the decoder.
  case seek(Deck, to: Frames)
  case start(Deck, ramp: Frames)
  /// Set the join from the lead to the other deck.
  case meet(DeckFacts.Meeting)
  /// Restore a fade from the other deck to the lead at a frame of the fade, behind the closed gate.
  case restoreFade(Fade, at: Frames)
  /// Finish the running fade within this number of frames.
  case quicken(over: Frames)
  case gate(DeckFacts.Gate, ramp: Frames)
}

extension DeckFacts {
  /// The orders that bring the decks to the plan; empty if they match it or cannot yet.
  ///
  /// - Parameters:
  ///   - plan: The intended state of the decks.
  ///   - settings: The lengths of ramps.
  func orders(toReach plan: DeckPlan, _ settings: PlayerSettings) -> [DeckOrder] {
    var difference = DeckDifference(
      facts: self, declick: settings.declickFrames, quickFinish: settings.quickFinishFrames,
      fallback: settings.fallbackFrames)
    difference.reach(plan)
    return difference.orders
  }
}

private struct DeckDifference {
  var facts: DeckFacts
  let declick: Frames
  let quickFinish: Frames
  let fallback: Frames
  var orders: [DeckOrder] = []

  mutating func order(_ order: DeckOrder) {
    orders.append(order)
    facts.apply(order)
  }

  mutating func reach(_ plan: DeckPlan) {
    let wasOpen = facts.gate == .open
    let lead = leadDeck(for: plan)
    switch plan.lead {
    case .nothing, .fresh: clear(plan, lead)
    case .kept, .moved, .asIs: release(plan, lead)
    }
    if facts.lead != lead { order(.lead(lead)) }
    open(plan)
    move(plan)
    let meeting = meeting(plan)
    if meeting != facts.meeting { order(.meet(meeting)) }
    let awaitsFade = restoreFade(plan)
    if plan.isSounding, !awaitsFade, let slot = facts.leadSlot, slot.stage == .cued {
      // A track's beginning starts without a ramp, to be sample-exact. Ramped: any other position, and a beginning
      // that replaces a track that the listener cut off.
      let isWhole = wasOpen && !facts.isCutOff && slot.isUnmoved && slot.target == .zero
      let isFallback = slot.track.isFallback
      order(.start(facts.lead, ramp: isFallback ? fallback : isWhole ? .zero : declick))
    }
    if !awaitsFade { turnGate(plan) }
  }

  private func fits(_ deck: Deck, _ load: DeckPlan.Load) -> Bool { facts[deck]?.fits(load) ?? false }

  /// The deck whose contents fit the plan's lead; if both or neither fit, usually the present lead.
  private func leadDeck(for plan: DeckPlan) -> Deck {
    let isLead = fits(facts.lead, plan.lead)
    let isOther = fits(facts.other, plan.lead)
    guard isOther, plan.lead != .asIs else { return facts.lead }
    guard isLead else { return facts.other }
    // A track that fades into itself is on both decks.
    guard case .kept = plan.lead else { return facts.lead }
    guard facts.leadSlot?.hasLostDecoder == true, !plan.meeting.keepsFade else { return facts.lead }
    // The plan ends the fade, so the incoming deck is dropped.
    if facts.fade != nil { return facts.other }
    // An audible track plays to its end; the other deck may hold the next track, or have lost its decoder as well.
    let isHeard = facts.leadSlot?.wasHeard == true
    let isOtherWanted = fits(facts.other, plan.other) || facts.otherSlot?.hasLostDecoder == true
    return isHeard || isOtherWanted ? facts.lead : facts.other
  }

  /// A transition into silence: release everything except what the plan waits for.
  private mutating func clear(_ plan: DeckPlan, _ lead: Deck) {
    let kept = fits(lead, plan.lead) ? lead : nil
    let leaving = Deck.allCases.filter { $0 != kept && facts[$0] != nil }
    let isAtRest = facts.gate == .open && facts.fade == nil && facts.meeting == .none
    if isAtRest, leaving.allSatisfy({ facts[$0]?.isAttached == false }) {
      // The mixer holds none of these decks, so no `clear` is sent: a series of unopenable files must not disturb it.
      for deck in leaving { order(.retire(deck, ramp: plan.release)) }
    } else {
      order(.clear(keeping: kept, ramp: plan.release))
    }
  }

  /// A transition in which sound continues: release only what does not fit the plan.
  private mutating func release(_ plan: DeckPlan, _ lead: Deck) {
    let keepsLead = fits(lead, plan.lead)
    if facts.fade != nil, keepsLead, !plan.meeting.keepsFade {
      order(.collapse(onto: lead, ramp: plan.release))
    }
    for deck in [lead.other, lead] where facts[deck] != nil {
      if !fits(deck, deck == lead ? plan.lead : plan.other) { order(.retire(deck, ramp: plan.release)) }
    }
  }

  private mutating func open(_ plan: DeckPlan) {
    if let (track, position) = opening(plan.lead), facts.leadSlot == nil {
      // Prefer the deck whose ring is free, if only one is.
      if facts.isLeaving(facts.lead), !facts.isLeaving(facts.other), facts.otherSlot == nil {
        order(.lead(facts.other))
      }
      order(.open(track, at: position, on: facts.lead))
    }
    if let (track, position) = opening(plan.other), facts.otherSlot == nil {
      order(.open(track, at: position, on: facts.other))
    }
  }

  private func opening(_ load: DeckPlan.Load) -> (Track, Frames)? {
    switch load {
    case .fresh(let track, let position), .kept(let track, let position), .moved(let track, let position):
      (track, position)
    case .nothing, .asIs: nil
    }
  }

  private mutating func move(_ plan: DeckPlan) {
    guard case .moved(let track, let target) = plan.lead, let slot = facts.leadSlot else { return }
    let isThere: Bool
    switch slot.stage {
    case .opening, .waitingForDeck, .cued, .stopping, .seeking: isThere = slot.target == target
    case .started, .ended: isThere = false
    }
    guard !isThere else { return }
    // The join may begin before the seek takes effect; the incoming track would then play alone at full level.
    if facts.meeting != .none { order(.collapse(onto: facts.lead, ramp: plan.release)) }
    if slot.canSeek { return order(.seek(facts.lead, to: target)) }
    // The decoder cannot seek (dead, failed or not attached), so the track is reopened at the target.
    order(.retire(facts.lead, ramp: plan.release))
    order(.open(track, at: target, on: facts.lead))
  }

  /// The join between the decks, as far as both are ready for it.
  private func meeting(_ plan: DeckPlan) -> DeckFacts.Meeting {
    switch plan.meeting {
    case .asIs: return facts.meeting
    case .none, .running: return .none
    case .gapless, .fade: break
    }
    guard let lead = facts.leadSlot, let next = facts.otherSlot, next.stage == .cued, next.failure == nil,
      lead.stage == .cued || lead.stage == .started
    else { return .none }
    guard case .fade(let fade, let atOnce) = plan.meeting else { return .gapless(from: facts.lead) }
    let ends = FadeEnds(from: lead.knownEnd ?? RingLayout.noEnd, to: next.knownEnd ?? RingLayout.noEnd)
    guard !atOnce else { return .fade(from: facts.lead, at: lead.originIndex, fade, ends) }
    guard let end = lead.knownEnd else { return .none }
    let length = UInt64(fade.length.count)
    let start = end > lead.originIndex &+ length ? end - length : lead.originIndex
    return .fade(from: facts.lead, at: start, fade, ends)
  }

  /// Restores a fade that the plan expects to be running. Returns whether it still waits for a deck.
  private mutating func restoreFade(_ plan: DeckPlan) -> Bool {
    guard case .running(let fade, let index, let pace) = plan.meeting else { return false }
    if facts.fade == nil {
      guard let lead = facts.leadSlot, let other = facts.otherSlot, lead.failure == nil, other.failure == nil
      else { return false }
      guard lead.stage == .cued, other.stage == .cued else { return true }
      if facts.gate != .held { order(.gate(.held, ramp: .zero)) }
      order(.restoreFade(fade, at: index))
    }
    if pace == .quick, facts.fade?.pace == .ordered { order(.quicken(over: quickFinish)) }
    return false
  }

  private mutating func turnGate(_ plan: DeckPlan) {
    let (wanted, ramp): (DeckFacts.Gate, Frames)
    switch plan.gate {
    case .asIs: return
    case .open(let length): (wanted, ramp) = (.open, length)
    case .held(let length): (wanted, ramp) = (.held, length)
    case .finished(let length): (wanted, ramp) = (.finished, length)
    }
    if facts.gate != wanted { order(.gate(wanted, ramp: ramp)) }
  }
}
