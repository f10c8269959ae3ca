// Compares the decks with the player's state and derives the state machine's next event. Control thread only.

import PlaybackModel
import Platform
import RealtimeAudio

/// Derives events such as `didPrepare`, `didFail` or `didReachEnd` from the decks' facts.
final class DeckObservation {
  /// Called with an error that does not change the state.
  var onError: (PlaybackError) -> Void = { _ in }
  /// Called when an upcoming track is unusable and skipped.
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

  /// The next event by which the state catches up with the decks; nil if both agree.
  ///
  /// The event must be handled: computing it advances the queue past an ended track and drops a failed one from its
  /// deck.
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
      // If sound is expected, the mixer reports the refill itself.
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
        // The failed deck must be dropped; otherwise the plan would reopen its track over and over.
        onError(failure)
        return .crossfadeCompleted
      }
      return decks.facts.fade == nil && !awaitsFade ? .crossfadeCompleted : nil
    case .fadingOut: return lead?.stage == .ended ? .didReachEnd(next: nil) : failedNext(other)
    }
  }

  /// Whether a fade restored from a checkpoint waits for its decks. A fade whose outgoing track failed never starts.
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

  /// The current track has ended without a join: the next track is late, or there is none.
  private func ended(_ lead: DeckSlot?) -> PlayerEvent? {
    guard let lead, lead.stage == .ended else { return nil }
    if let event = lost(lead) { return event }
    if lead.endIndex == lead.originIndex, lead.target == .zero, lead.isUnmoved {
      queue.markFailed(lead.track)
    }
    return .didReachEnd(next: queue.advance())
  }

  /// A track whose decoder died before its last frame fails at the end of its ring.
  private func lost(_ lead: DeckSlot) -> PlayerEvent? {
    lead.isLost ? lead.life.lossError.map { .didFail($0) } : nil
  }

  /// The cued next track is unusable; another one replaces it.
  private func failedNext(_ other: DeckSlot?) -> PlayerEvent? {
    guard let other, let failure = other.failure, !other.wasHeard else { return nil }
    queue.markFailed(other.track)
    decks.drop(decks.facts.other)
    onUseless()
    return .didFailNext(failure)
  }
}
