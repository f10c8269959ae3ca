// Dispatch of the transition rules, and helpers for several states. Pure; control thread.

/// Decision of a rule.
enum Step {
  /// Change to a state and perform these effects.
  case to(PlayerState, [PlayerEffect])
  /// Accept the event, perform these effects, and keep the state.
  case stay([PlayerEffect])
  /// Reject the event with a reason.
  case reject(Rejection)
  /// Reject the event because it has no meaning in the state.
  case meaningless

  /// Accept the event without effect.
  static var stay: Step { .stay([]) }

  /// Change to a state without further effects; the decks follow the state.
  static func to(_ state: PlayerState) -> Step { .to(state, []) }
}

/// The transition rules and their inputs besides state and event. The rules of each state list all events, so that the
/// compiler checks completeness.
struct Rules {
  let settings: PlayerSettings
  let moment: Moment
  let outputIsLost: Bool
  let retries: RetryMemory

  func step(from state: PlayerState, on event: PlayerEvent) -> Step {
    if case .powerFailing = event { return .stay([.checkpoint]) }
    switch state {
    case .idle(let cause, let armed):
      return idle(cause, armed, event)
    case .preparing(let track, let intent, let start):
      return preparing(track, intent, start, event)
    case .ready(let track, let position):
      return ready(track, position, event)
    case .playing(let track):
      return playing(track, event)
    case .paused(let track, let position, let reason):
      return paused(track, position, reason, event)
    case .buffering(let track, let intent):
      return buffering(track, intent, event)
    case .seeking(let track, let target, let intent):
      return seeking(track, target, intent, event)
    case .preparingCrossfade(let current, let next, let plan):
      return preparingCrossfade(current, next, plan, event)
    case .crossfading(let from, let to, let curve, let progress, let pace):
      return crossfading(
        RunningFade(from: from, to: to, curve: curve, progress: latest(progress), pace: pace), event)
    case .crossfadePaused(let from, let to, let strategy, let snapshot, let reason):
      let fade = PausedFade(from: from, to: to, strategy: strategy, snapshot: snapshot, reason: reason)
      return crossfadePaused(fade, event)
    case .fadingOut(let track, let duration):
      return fadingOut(track, duration, event)
    case .finished(let last):
      return finished(last, event)
    case .failed(let error, let track, let position, let intent):
      return failed(FailedTrack(error: error, track: track, position: position), intent, event)
    }
  }

  // MARK: Helpers for several states

  /// Position of the current track, at least zero.
  var here: Frames { max(moment.current, .zero) }

  /// Position of the next track, at least zero.
  var there: Frames { max(moment.next ?? .zero, .zero) }

  /// Clamps a position to the track's length. The length is ignored if it is unknown, or less than the present position
  /// `place` and thus wrong.
  func clamp(_ position: Frames, to track: Track, from place: Frames) -> Frames {
    let position = max(position, .zero)
    guard let length = track.length, length >= place else { return position }
    return min(position, max(length, .zero))
  }

  /// Prepares a track at a position. The position is not clamped to the track's length, which may be wrong; the decoder
  /// stops at the end.
  func prepare(_ track: Track, at start: Frames = .zero, _ intent: Intent, _ orders: [PlayerEffect] = [])
    -> Step
  {
    .to(.preparing(track: track, intent: intent, start: max(start, .zero)), orders)
  }

  /// Plays a track, or pauses it while the output is lost.
  func sound(_ track: Track, at position: Frames, _ orders: [PlayerEffect] = []) -> Step {
    outputIsLost
      ? .to(.paused(track: track, position: position, reason: .outputLost), orders)
      : .to(.playing(track: track), orders)
  }

  /// The state after pending work has completed with an intent.
  func complete(_ track: Track, at position: Frames, _ intent: Intent, _ orders: [PlayerEffect] = []) -> Step
  {
    switch intent {
    case .play: sound(track, at: position, orders)
    case .pause(let reason): .to(.paused(track: track, position: position, reason: reason), orders)
    case .cue: .to(.ready(track: track, position: position), orders)
    }
  }

  /// Replaces a silent track that was removed from the queue: prepares the next one, or unloads.
  func replaceRemoved(with next: Track?, _ intent: Intent, _ orders: [PlayerEffect] = []) -> Step {
    next.map { prepare($0, intent.forAnotherTrack, orders) } ?? unload
  }

  func pause(_ track: Track, _ reason: PauseReason, _ orders: [PlayerEffect] = []) -> Step {
    .to(.paused(track: track, position: here, reason: reason), orders)
  }

  /// Unloads the track, as requested.
  var unload: Step { .to(.idle(cause: nil, armed: .disarmed)) }

  /// A failure that ends playback, followed by a retry or by the next track. The cue is played only if the track should
  /// have been audible.
  func fail(_ error: PlaybackError, _ track: Track?, at position: Frames, _ intent: Intent) -> Step {
    var orders: [PlayerEffect] = [.report(error)]
    if intent.isPlay { orders.append(.playCue(error)) }
    let before = retries.failures(of: track, at: position, rate: settings.rate)
    if error.isRecoverable, track != nil, error.kind.passesOverNothing || before < settings.retrying.limit {
      var wait = settings.retrying.first.value
      for _ in 0..<min(before, 16) { wait *= 2 }
      orders.append(.scheduleRetry(after: Seconds(min(wait, settings.retrying.longest.value))))
    } else {
      orders.append(.moveOn(from: track))
    }
    return .to(.failed(error: error, track: track, position: position, intent: intent), orders)
  }

  func storageError(_ track: Track) -> PlaybackError { PlaybackError(.storageRemoved, path: track.path) }

  /// The crossfade of a skip; nil if there is none.
  func manualFade(from: Track, to: Track) -> Fade? {
    let isFallback = from.isFallback || to.isFallback
    guard settings.fadesManually || isFallback else { return nil }
    let fade = (isFallback ? settings.fallbackFade : settings.manualFade).clipped(from: from, to: to)
    return isAudible(fade) ? fade : nil
  }

  /// Whether a fade is at least as long as the ramp against clicks.
  func isAudible(_ fade: Fade) -> Bool { fade.length > .zero && fade.length >= settings.declickFrames }

  /// Skip or load during playback: crossfades if configured and `next` has not just failed, otherwise cuts. As from
  /// silence, `start` is not clamped to the track's length.
  func replace(_ current: Track, with next: Track, at start: Frames) -> Step {
    let start = max(start, .zero)
    guard retries.failures(of: next, at: start, rate: settings.rate) == 0,
      let fade = manualFade(from: current, to: next)
    else { return prepare(next, at: start, .play) }
    return .to(
      .preparingCrossfade(current: current, next: next, plan: PlannedFade(.manual, fade, start: start)))
  }

  // MARK: Holds: interruption, announcement, live input, standby, lost output

  /// The pause reason of an event; `user` for all events that are not holds.
  func hold(_ event: PlayerEvent) -> PauseReason {
    switch event {
    case .interruptionBegan: .interruption
    case .announcementBegan: .announcement
    case .liveInputBegan: .liveInput
    case .standby: .standby
    case .outputLost: .outputLost
    default: .user
    }
  }

  /// The reason of a pause after another hold; nil if it keeps its own.
  ///
  /// A user's pause has the highest priority. A lost output is replaced by other reasons, because the state machine
  /// keeps it separately.
  func merge(_ reason: PauseReason, _ new: PauseReason) -> PauseReason? {
    switch (reason, new) {
    case (.outputLost, .announcement), (.outputLost, .liveInput), (.outputLost, .interruption): new
    case (.outputLost, .standby), (.announcement, .liveInput), (.announcement, .interruption): new
    case (.announcement, .standby), (.liveInput, .interruption), (.liveInput, .standby): new
    case (.interruption, .standby): new
    default: nil
    }
  }

  /// Effect of the end of a hold on a paused state.
  enum Release {
    case nothing, resume
    case becomes(PauseReason)
  }

  func release(_ reason: PauseReason, on event: PlayerEvent) -> Release {
    switch (event, reason) {
    case (.interruptionEnded(let shouldResume), .interruption):
      if !shouldResume { return .becomes(.user) }
      return outputIsLost ? .becomes(.outputLost) : .resume
    case (.announcementEnded, .announcement), (.liveInputEnded, .liveInput), (.wake, .standby):
      return outputIsLost ? .becomes(.outputLost) : .resume
    case (.outputRestored, .outputLost): return .resume
    default: return .nothing
    }
  }

  /// A user's pause at the start of a track cues it.
  func settled(_ intent: Intent, at start: Frames) -> Intent {
    start == .zero && intent == .pause(.user) ? .cue : intent
  }

  /// The intent after an event; nil if it stays the same.
  func intent(_ intent: Intent, after event: PlayerEvent) -> Intent? {
    let new: Intent
    switch event {
    case .play: new = .play
    case .pause: new = intent == .cue ? .cue : .pause(.user)
    case .toggle: new = intent.isPlay ? .pause(.user) : .play
    case .interruptionBegan, .announcementBegan, .liveInputBegan, .standby, .outputLost:
      let reason = hold(event)
      switch intent {
      case .play: new = .pause(reason)
      case .pause(let old): new = .pause(merge(old, reason) ?? old)
      // A cued track starts only at the user's request.
      case .cue: return nil
      }
    case .interruptionEnded, .announcementEnded, .liveInputEnded, .wake, .outputRestored:
      guard case .pause(let old) = intent else { return nil }
      switch release(old, on: event) {
      case .nothing: return nil
      case .resume: new = .play
      case .becomes(let reason): new = .pause(reason)
      }
    default: return nil
    }
    return new == intent ? nil : new
  }

  // MARK: Fades

  /// The later of the state's and the mixer's progress, so that it never decreases.
  func latest(_ progress: FadeProgress) -> FadeProgress {
    guard let fade = moment.fade, fade.length == progress.length, fade.index > progress.index else {
      return progress
    }
    return fade
  }

  /// The state after the mixer has started a fade. A fade without length, because the track had ended, counts as a
  /// join.
  func beginFade(from: Track, to: Track, _ fade: Fade) -> Step {
    guard fade.length > .zero else { return .to(.playing(track: to), [.nowPlaying(to)]) }
    let progress = latest(FadeProgress(index: .zero, length: fade.length))
    return .to(
      .crossfading(from: from, to: to, curve: fade.curve, progress: progress, pace: .ordered),
      [.nowPlaying(to)])
  }

  /// The state after the mixer has started a fade while a pause takes effect.
  func beginPausedFade(from: Track, to: Track, _ fade: Fade, _ reason: PauseReason) -> Step {
    guard fade.length > .zero else {
      return .to(.paused(track: to, position: there, reason: reason), [.nowPlaying(to)])
    }
    let progress = latest(FadeProgress(index: .zero, length: fade.length))
    return pauseFade(
      RunningFade(from: from, to: to, curve: fade.curve, progress: progress, pace: .ordered), reason,
      [.nowPlaying(to)])
  }

  /// Pauses a fade. The resume strategy is decided now, by its progress.
  func pauseFade(_ fade: RunningFade, _ reason: PauseReason, _ orders: [PlayerEffect] = []) -> Step {
    let snapshot = CrossfadeSnapshot(
      from: fade.from.id, to: fade.to.id, fromPosition: here,
      toPosition: there, progress: fade.progress, curve: fade.curve,
      rate: settings.rate, deck: moment.deck, time: moment.time)
    return .to(
      .crossfadePaused(
        from: fade.from, to: fade.to,
        strategy: fade.pace == .quick ? .quickFinish : settings.strategy(at: fade.progress),
        snapshot: snapshot, reason: reason), orders)
  }
}

/// The failed track and its position.
struct FailedTrack {
  let error: PlaybackError
  let track: Track?
  let position: Frames

  func state(_ intent: Intent) -> PlayerState {
    .failed(error: error, track: track, position: position, intent: intent)
  }
}

extension PlayerSettings {
  /// The resume strategy of a fade that is paused at this progress.
  package func strategy(at progress: FadeProgress) -> ResumeStrategy {
    let threshold = Int64(min(max(quickFinishThreshold, 0), 101))
    return progress.length.count > 0 && progress.index.count * 100 < progress.length.count * threshold
      ? .continueFromProgress : .quickFinish
  }
}
