// What the decks have come to, as events of the state machine. Control thread only.

import PlaybackModel
import Platform
import RealtimeAudio

/// Compares decks and state, and finds the event that the state has not had yet.
final class DeckObservation {
  /// Called with an error that changes no state.
  var onError: (PlaybackError) -> Void = { _ in }
  /// Called when a track that was to follow is of no use, and passed over.
  var onUseless: () -> Void = {}
  private let decks: Decks
  private let queue: PlayerQueue
  private let succession: SuccessionPlanner
  private let decoding: DecodingMonitor

  init(
    _ decks: Decks, _ queue: PlayerQueue, _ succession: SuccessionPlanner, _ decoding: DecodingMonitor
  ) {
    self.decks = decks
    self.queue = queue
    self.succession = succession
    self.decoding = decoding
  }

  /// What the decks have come to that the state does not know yet; nil where both agree. The event has to be handled:
  /// a track that is over has been left by the queue, and a track that failed by its deck.
  func event(in state: PlayerState, _ settings: PlayerSettings) -> PlayerEvent? {
    if let event = decks.announcements.takeHold() ?? decks.liveInputs.takeHold() { return event }
    if let event = decoding.deaths.event(in: state) { return event }
    let lead = decks.facts.leadSlot
    let other = decks.facts.otherSlot
    switch state {
    case .idle, .finished, .failed: return nil
    case .preparing(_, let intent, _):
      return (intent == .cue ? queue.recue(in: state) : nil) ?? awaited(lead, .didPrepare)
    case .ready: return queue.recue(in: state) ?? lead?.failure.map { .didFail($0) }
    case .seeking(_, let target, _):
      guard let lead, lead.target == target else { return nil }
      return awaited(lead, .didSeek) ?? failedNext(other)
    case .playing:
      return ended(lead) ?? unheardFailure(lead) ?? failedNext(other) ?? succession.due(in: state, settings)
    case .paused: return ended(lead) ?? unheardFailure(lead) ?? failedNext(other)
    case .buffering(_, let intent):
      if let failure = lead?.failure, lead?.endIndex == nil { return .didFail(failure) }
      if let end = ended(lead) { return end }
      // Where it is to sound, the mixer reports it.
      guard !intent.isPlay, let lead else { return nil }
      return decoding.isRefilled(lead) ? .didRefill : nil
    case .preparingCrossfade(_, _, let plan):
      if let lead, lead.stage == .ended { return lost(lead) ?? .didReachEnd(next: nil) }
      if let failure = unheardFailure(lead) ?? other?.failure.map({ .didFailNext($0) }) { return failure }
      if plan.trigger == .automatic { return succession.due(in: state, settings) }
      return !plan.isArmed && other?.stage == .cued ? .didPrepareNext : nil
    case .crossfading, .crossfadePaused:
      if let failure = lead?.failure, lead?.wasHeard != true { return .didFailNext(failure) }
      if let failure = other?.failure, other?.wasHeard != true {
        decks.drop(decks.facts.other)
        guard state.kind == .crossfading else { return .didFail(failure) }
        // Whoever waits for it would have it opened again and again.
        onError(failure)
        return .crossfadeCompleted
      }
      return decks.facts.fade == nil && !awaitsFade ? .crossfadeCompleted : nil
    case .fadingOut: return lead?.stage == .ended ? .didReachEnd(next: nil) : failedNext(other)
    }
  }

  /// Whether a fade from before a restart waits for its decks. One whose outgoing track cannot be had never runs.
  private var awaitsFade: Bool {
    guard let lead = decks.facts.leadSlot, let other = decks.facts.otherSlot else { return false }
    return other.failure == nil && !lead.wasHeard && !other.wasHeard
  }

  private func awaited(_ slot: DeckSlot?, _ success: PlayerEvent) -> PlayerEvent? {
    guard let slot else { return nil }
    if let failure = slot.failure, !slot.wasHeard { return .didFail(failure) }
    return slot.stage == .cued ? success : nil
  }

  private func unheardFailure(_ lead: DeckSlot?) -> PlayerEvent? {
    guard let lead, let failure = lead.failure, !lead.wasHeard else { return nil }
    return .didFail(failure)
  }

  /// The current track is over and nothing was joined to it: the next one is late, or there is none.
  private func ended(_ lead: DeckSlot?) -> PlayerEvent? {
    guard let lead, lead.stage == .ended else { return nil }
    if let event = lost(lead) { return event }
    if lead.endIndex == lead.originIndex, lead.target == .zero, lead.isUnmoved {
      queue.markFailed(lead.track)
    }
    return .didReachEnd(next: queue.advance())
  }

  /// A track whose decoder died before its last frame fails where its ring has ended.
  private func lost(_ lead: DeckSlot) -> PlayerEvent? {
    lead.isLost ? lead.life.lossError.map { .didFail($0) } : nil
  }

  /// The track that was cued ahead is of no use: another one takes its place.
  private func failedNext(_ other: DeckSlot?) -> PlayerEvent? {
    guard let other, let failure = other.failure, !other.wasHeard else { return nil }
    queue.markFailed(other.track)
    decks.drop(decks.facts.other)
    onUseless()
    return .didFailNext(failure)
  }
}
