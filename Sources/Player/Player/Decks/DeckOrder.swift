// The difference between what the decks shall hold and what they hold, as orders. Pure; control thread.

import AudioRing
import PlaybackModel
import RealtimeAudio

/// One thing to be done to the decks.
enum DeckOrder: Equatable {
  /// Release everything but a deck that waits, and open the gate.
  case clear(keeping: Deck?, ramp: Frames)
  /// Release a deck.
  case retire(Deck, ramp: Frames)
  /// End the fade in favour of this deck.
  case collapse(onto: Deck, ramp: Frames)
  /// This deck goes on.
  case lead(Deck)
  /// Start decoding a track.
  case open(Track, at: Frames, on: Deck)
  /// Stop a deck and move its decoder; or only the latter, if it is stopping or seeking already.
  case seek(Deck, to: Frames)
  case start(Deck, ramp: Frames)
  /// How the other deck follows the lead.
  case meet(DeckFacts.Meeting)
  /// Put a fade from the other deck to the lead on its frame, behind the closed gate.
  case restoreFade(Fade, at: Frames)
  /// Finish the running fade over that many frames at most.
  case quicken(over: Frames)
  case gate(DeckFacts.Gate, ramp: Frames)
}

extension DeckFacts {
  /// What has to be ordered for the decks to be as planned. Nothing where they are, or cannot be yet.
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
      // The beginning of a track is exact, unless the listener has cut off another track: then it is ramped like any other position.
      let isWhole = wasOpen && !facts.isCutOff && slot.isUnmoved && slot.target == .zero
      let isFallback = slot.track.isFallback
      order(.start(facts.lead, ramp: isFallback ? fallback : isWhole ? .zero : declick))
    }
    if !awaitsFade { turnGate(plan) }
  }

  private func fits(_ deck: Deck, _ load: DeckPlan.Load) -> Bool { facts[deck]?.fits(load) ?? false }

  /// The deck that holds what shall go on; where both do, or none, the one that does so now.
  private func leadDeck(for plan: DeckPlan) -> Deck {
    let isLead = fits(facts.lead, plan.lead)
    let isOther = fits(facts.other, plan.lead)
    guard isOther, plan.lead != .asIs else { return facts.lead }
    guard isLead else { return facts.other }
    // A track that fades into itself is on both decks.
    guard case .kept = plan.lead else { return facts.lead }
    guard facts.leadSlot?.hasLostDecoder == true, !plan.meeting.keepsFade else { return facts.lead }
    // The plan ends the fade: the incoming deck goes.
    if facts.fade != nil { return facts.other }
    // A track that is heard plays to its end; the other deck may hold the next track, or have lost its decoder as well.
    let isHeard = facts.leadSlot?.wasHeard == true
    let isOtherWanted = fits(facts.other, plan.other) || facts.otherSlot?.hasLostDecoder == true
    return isHeard || isOtherWanted ? facts.lead : facts.other
  }

  /// Into silence: whatever is there goes, but for what the plan waits for.
  private mutating func clear(_ plan: DeckPlan, _ lead: Deck) {
    let kept = fits(lead, plan.lead) ? lead : nil
    let leaving = Deck.allCases.filter { $0 != kept && facts[$0] != nil }
    let isAtRest = facts.gate == .open && facts.fade == nil && facts.meeting == .none
    if isAtRest, leaving.allSatisfy({ facts[$0]?.isAttached == false }) {
      // The mixer has nothing of it: a queue of files that cannot be opened keeps it from nothing.
      for deck in leaving { order(.retire(deck, ramp: plan.release)) }
    } else {
      order(.clear(keeping: kept, ramp: plan.release))
    }
  }

  /// Something goes on: what does not belong to it goes.
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
      // The deck that is free already, if only one is.
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
    // What was to come may have begun by the time this takes effect, and would go on at full level alone.
    if facts.meeting != .none { order(.collapse(onto: facts.lead, ramp: plan.release)) }
    if slot.canSeek { return order(.seek(facts.lead, to: target)) }
    // Nobody is left who could seek, or nothing has begun: the track is opened again where it is wanted.
    order(.retire(facts.lead, ramp: plan.release))
    order(.open(track, at: target, on: facts.lead))
  }

  /// How the decks shall meet, as far as they are ready for it.
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

  /// Brings a fade back that is to run and does not. Answers whether it still waits for a deck.
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
