// The transition rules: dispatch, and what several states share. Pure; control thread.

/// What a rule decides.
enum Step {
  /// Go to a state and carry out these orders.
  case to(PlayerState, [PlayerEffect])
  /// Understood; carry out these orders, if any, and stay.
  case stay([PlayerEffect])
  /// Not possible for this reason.
  case reject(Rejection)
  /// The event has no meaning in the state.
  case meaningless

  /// Understood, nothing to do.
  static var stay: Step { .stay([]) }

  /// Go to a state; the decks follow.
  static func to(_ state: PlayerState) -> Step { .to(state, []) }
}

/// The rules with all they depend on besides state and event. Each state's rules list every event by name,
/// so that the compiler proves the table total.
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

  // What several states share.

  /// The current track's position, whatever the shell has read.
  var here: Frames { max(moment.current, .zero) }

  /// The next track's position.
  var there: Frames { max(moment.next ?? .zero, .zero) }

  /// A position within the track, as far as its length is known: one short of the place where the track stands is wrong.
  func clamp(_ position: Frames, to track: Track, from place: Frames) -> Frames {
    let position = max(position, .zero)
    guard let length = track.length, length >= place else { return position }
    return min(position, max(length, .zero))
  }

  /// Where it stood it goes on, whatever length it is said to have: its decoder goes no further than the track.
  func prepare(_ track: Track, at start: Frames = .zero, _ intent: Intent, _ orders: [PlayerEffect] = [])
    -> Step
  {
    .to(.preparing(track: track, intent: intent, start: max(start, .zero)), orders)
  }

  /// Playing, or paused for want of an output.
  func sound(_ track: Track, at position: Frames, _ orders: [PlayerEffect] = []) -> Step {
    outputIsLost
      ? .to(.paused(track: track, position: position, reason: .outputLost), orders)
      : .to(.playing(track: track), orders)
  }

  /// What pending work turns into when it completes with this intent.
  func complete(_ track: Track, at position: Frames, _ intent: Intent, _ orders: [PlayerEffect] = []) -> Step
  {
    switch intent {
    case .play: sound(track, at: position, orders)
    case .pause(let reason): .to(.paused(track: track, position: position, reason: reason), orders)
    case .cue: .to(.ready(track: track, position: position), orders)
    }
  }

  /// Silent, in the place of a track that the queue no longer holds: the next one is prepared, or nothing is loaded.
  func replaceRemoved(with next: Track?, _ intent: Intent, _ orders: [PlayerEffect] = []) -> Step {
    next.map { prepare($0, intent.forAnotherTrack, orders) } ?? unload
  }

  func pause(_ track: Track, _ reason: PauseReason, _ orders: [PlayerEffect] = []) -> Step {
    .to(.paused(track: track, position: here, reason: reason), orders)
  }

  /// Nothing is loaded any more, as requested.
  var unload: Step { .to(.idle(cause: nil, armed: .disarmed)) }

  /// A failure that ends playing, with what an unattended box does about it. Nothing is said of it aloud where
  /// nothing was to be heard.
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

  /// The manual fade from one track to another, nil where there is none.
  func manualFade(from: Track, to: Track) -> Fade? {
    let isFallback = from.isFallback || to.isFallback
    guard settings.fadesManually || isFallback else { return nil }
    let fade = (isFallback ? settings.fallbackFade : settings.manualFade).clipped(from: from, to: to)
    return isAudible(fade) ? fade : nil
  }

  /// Whether a fade takes longer than the ramp of a cut: a shorter one would be a click.
  func isAudible(_ fade: Fade) -> Bool { fade.length > .zero && fade.length >= settings.declickFrames }

  /// Skip or load while a track is heard: fades if people want that, otherwise cuts over. A place that is remembered is
  /// believed before a length, as from silence.
  func replace(_ current: Track, with next: Track, at start: Frames) -> Step {
    let start = max(start, .zero)
    guard let fade = manualFade(from: current, to: next) else { return prepare(next, at: start, .play) }
    return .to(
      .preparingCrossfade(current: current, next: next, plan: PlannedFade(.manual, fade, start: start)))
  }

  // Holds: interruption, announcement, live source, standby and a lost output.

  /// The reason an event pauses with, if it is one of those that do.
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

  /// The reason a pause has after one more reason has come, nil if it keeps its own. A person's pause
  /// outlasts all others. A lost output is remembered by the machine, so the other reasons take its place.
  func merge(_ reason: PauseReason, _ new: PauseReason) -> PauseReason? {
    switch (reason, new) {
    case (.outputLost, .announcement), (.outputLost, .liveInput), (.outputLost, .interruption): new
    case (.outputLost, .standby), (.announcement, .liveInput), (.announcement, .interruption): new
    case (.announcement, .standby), (.liveInput, .interruption), (.liveInput, .standby): new
    case (.interruption, .standby): new
    default: nil
    }
  }

  /// What the end of a hold does to something paused for a reason.
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

  /// A person's pause of a track of which no frame was due yet: it is cued.
  func settled(_ intent: Intent, at start: Frames) -> Intent {
    start == .zero && intent == .pause(.user) ? .cue : intent
  }

  /// The intent after a person's or the outside world's event; nil if it stays.
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
      // A cued track starts at a person's request only, whatever ends.
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

  // Fades.

  /// The later of the state's and the mixer's progress, so that it never runs backwards.
  func latest(_ progress: FadeProgress) -> FadeProgress {
    guard let fade = moment.fade, fade.length == progress.length, fade.index > progress.index else {
      return progress
    }
    return fade
  }

  /// A fade that the mixer has begun. One of no length, because the track ended before it was told to, is a join.
  func beginFade(from: Track, to: Track, _ fade: Fade) -> Step {
    guard fade.length > .zero else { return .to(.playing(track: to), [.nowPlaying(to)]) }
    let progress = latest(FadeProgress(index: .zero, length: fade.length))
    return .to(
      .crossfading(from: from, to: to, curve: fade.curve, progress: progress, pace: .ordered),
      [.nowPlaying(to)])
  }

  /// A fade that the mixer has begun behind a closing gate.
  func beginPausedFade(from: Track, to: Track, _ fade: Fade, _ reason: PauseReason) -> Step {
    guard fade.length > .zero else {
      return .to(.paused(track: to, position: there, reason: reason), [.nowPlaying(to)])
    }
    let progress = latest(FadeProgress(index: .zero, length: fade.length))
    return pauseFade(
      RunningFade(from: from, to: to, curve: fade.curve, progress: progress, pace: .ordered), reason,
      [.nowPlaying(to)])
  }

  /// How it goes on is decided here and now, by what a person has heard of it.
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

/// What failed, and where.
struct FailedTrack {
  let error: PlaybackError
  let track: Track?
  let position: Frames

  func state(_ intent: Intent) -> PlayerState {
    .failed(error: error, track: track, position: position, intent: intent)
  }
}

extension PlayerSettings {
  /// How a fade paused at this progress is resumed.
  package func strategy(at progress: FadeProgress) -> ResumeStrategy {
    let threshold = Int64(min(max(quickFinishThreshold, 0), 101))
    return progress.length.count > 0 && progress.index.count * 100 < progress.length.count * threshold
      ? .continueFromProgress : .quickFinish
  }
}
