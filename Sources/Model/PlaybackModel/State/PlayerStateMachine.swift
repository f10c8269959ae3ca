// The player's state machine: a total function of state, event and moment, with an audit trail. A value without clock
// and I/O; control thread. The transition rules are in the Rules files.

/// The player's state machine.
package struct PlayerStateMachine {
  /// The present state.
  package private(set) var state: PlayerState
  /// The settings; changes apply from the next event on.
  package var settings: PlayerSettings
  /// Whether a rejected event from the engine ends the process, because it indicates a bug. On for tests, off in
  /// production.
  package var isStrict: Bool
  /// Whether the sound card is lost, according to the last `outputLost` or `outputRestored`.
  package private(set) var outputIsLost: Bool
  /// The last error with its time; nil after a later success.
  package private(set) var lastError: DatedError?
  /// The audit trail.
  package private(set) var history = History()

  private var retries = RetryMemory()

  /// A state machine in a given state. Use `restore` after a restart.
  package init(
    state: PlayerState = .idle(cause: nil, armed: .disarmed), settings: PlayerSettings = PlayerSettings(),
    isStrict: Bool = false
  ) {
    self.state = state
    self.settings = settings
    self.isStrict = isStrict
    outputIsLost = state.pauseReason == .outputLost
  }

  /// Handles an event: changes the state, records the transition, and returns the effects. Every event is handled in
  /// every state.
  package mutating func handle(_ event: PlayerEvent, at moment: Moment) -> Outcome {
    switch event {
    case .outputLost: outputIsLost = true
    case .outputRestored: outputIsLost = false
    // A play request by the user starts a new series of retries.
    case .play, .toggle, .skip, .load: retries = RetryMemory()
    default: break
    }
    let before = state
    var effects: [PlayerEffect]
    let verdict: Verdict
    switch rules(at: moment).step(from: before, on: event) {
    case .to(let next, let orders):
      state = next
      effects = orders
      effects.append(.checkpoint)
      verdict = .changed
      if event.kind.isSuccess { lastError = nil }
      if case .failed(_, let track, let position, _) = next {
        retries.note(track: track, position: position, rate: settings.rate)
      }
      if case .didFailNext = event, case .preparingCrossfade(_, let track, let plan) = before,
        plan.trigger == .manual
      {
        retries.note(track: track, position: plan.start, rate: settings.rate)
      }
    case .stay(let orders):
      effects = orders
      verdict = .unchanged
    case .reject(let reason):
      effects = []
      verdict = .rejected(reason)
    case .meaningless:
      effects = []
      verdict = .rejected(.meaningless(event.kind, in: before.kind))
    }
    for effect in effects {
      if case .report(let error) = effect { lastError = DatedError(error: error, time: moment.time) }
    }
    let transition = Transition(
      sequence: history.total &+ 1, time: moment.time, event: event, from: before, to: state,
      verdict: verdict)
    history.record(transition)
    if isStrict, verdict.isRejected, event.kind.origin == .system {
      preconditionFailure(
        "strict: the system event '" + event.kind.name + "' was rejected while " + before.kind.name
          + "; the engine's picture of its own parts is wrong")
    }
    return Outcome(state: state, effects: effects, verdict: verdict)
  }

  /// Starts a new series of retries, with the shortest delays, because the user requests it.
  package mutating func forgetRetries() { retries = RetryMemory() }

  /// Whether an event would be accepted at present, without performing it.
  package func canPerform(_ event: PlayerEvent, at moment: Moment) -> Bool {
    rejection(of: event, at: moment) == nil
  }

  /// Why an event would be rejected at present; nil if it would be accepted. Nothing is performed.
  func rejection(of event: PlayerEvent, at moment: Moment) -> Rejection? {
    switch rules(at: moment).step(from: state, on: event) {
    case .to, .stay: nil
    case .reject(let reason): reason
    case .meaningless: .meaningless(event.kind, in: state.kind)
    }
  }

  /// How a paused fade will be resumed, or how a running one would be if paused now; nil outside fades.
  package var resumeStrategy: ResumeStrategy? {
    switch state {
    case .crossfadePaused(_, _, let strategy, _, _): strategy
    case .crossfading(_, _, _, _, .quick): .quickFinish
    case .crossfading(_, _, _, let progress, .ordered): settings.strategy(at: progress)
    default: nil
    }
  }

  /// Whether the fade would finish quickly when resumed from a pause at this point.
  package var canQuickFinish: Bool { resumeStrategy == .quickFinish }

  /// Records an error that does not affect the state: the decoded audio continues to play.
  package mutating func note(_ error: PlaybackError, at moment: Moment) {
    lastError = DatedError(error: error, time: moment.time)
  }

  /// Updates the positions of a silent state with exact ones, from the mixer after a pause or from a decoder. Not a
  /// transition; a paused fade keeps its resume strategy.
  ///
  /// - Returns: Whether the state has a position, so that the caller should save a checkpoint.
  package mutating func settle(current: Frames, next: Frames? = nil, fade: FadeProgress? = nil) -> Bool {
    switch state {
    case .paused(let track, _, let reason):
      state = .paused(track: track, position: max(current, .zero), reason: reason)
      return true
    case .ready(let track, _):
      state = .ready(track: track, position: max(current, .zero))
      return true
    case .crossfadePaused(let from, let to, let strategy, var snapshot, let reason):
      snapshot.fromPosition = max(current, .zero)
      if let next { snapshot.toPosition = max(next, .zero) }
      if let fade, fade.length == snapshot.progress.length { snapshot.progress = fade }
      state = .crossfadePaused(from: from, to: to, strategy: strategy, snapshot: snapshot, reason: reason)
      return true
    case .idle, .preparing, .playing, .buffering, .seeking, .preparingCrossfade, .crossfading, .fadingOut,
      .finished, .failed:
      return false
    }
  }

  /// Advances the displayed progress of a running fade; never backward. Not a transition.
  ///
  /// - Returns: Whether the progress has changed.
  @discardableResult
  package mutating func observe(progress: FadeProgress) -> Bool {
    guard case .crossfading(let from, let to, let curve, let old, let pace) = state,
      progress.length == old.length, progress.index > old.index
    else { return false }
    state = .crossfading(from: from, to: to, curve: curve, progress: progress, pace: pace)
    return true
  }

  /// Updates a track in the state with metadata from its decoder. Not a transition.
  ///
  /// - Returns: Whether the state has a track with that id.
  @discardableResult
  package mutating func describe(_ track: Track) -> Bool {
    guard let described = state.replacing(track) else { return false }
    state = described
    return true
  }

  /// Creates a state machine from a checkpoint.
  ///
  /// Tracks that were playing or loading are prepared again at their position, with their intent. A running fade
  /// is paused and resumes at `outputRestored`, which the engine sends after it has opened the output.
  ///
  /// - Parameters:
  ///   - state: The saved state.
  ///   - saved: Positions at the time of the checkpoint.
  ///   - settings: The player's settings.
  ///   - isStrict: Whether a rejected event from the engine ends the process.
  ///   - isRestart: Whether the process was restarted, which ends interruptions; false for a change of the output.
  package static func restore(
    _ state: PlayerState, saved: Moment, settings: PlayerSettings, isStrict: Bool = false,
    isRestart: Bool = true
  ) -> PlayerStateMachine {
    let rules = Rules(settings: settings, moment: saved, outputIsLost: false, retries: RetryMemory())
    return PlayerStateMachine(
      state: rules.restored(state, isRestart: isRestart), settings: settings, isStrict: isStrict)
  }

  private func rules(at moment: Moment) -> Rules {
    Rules(settings: settings, moment: moment, outputIsLost: outputIsLost, retries: retries)
  }
}

/// An error with its time.
package struct DatedError: Hashable, Sendable {
  /// The error.
  package let error: PlaybackError
  /// Nanoseconds of the engine's clock.
  package let time: UInt64
}

/// Counts consecutive failures of one track at about the same position.
struct RetryMemory {
  private var track: UInt64?
  private var position = Frames.zero
  private var count = 0

  /// Number of failures of the track near this position, within 10 s of the last one.
  func failures(of track: Track?, at position: Frames, rate: SampleRate) -> Int {
    self.track == track?.id && position - self.position < rate.frames(Seconds(10)) ? count : 0
  }

  mutating func note(track: Track?, position: Frames, rate: SampleRate) {
    count = min(failures(of: track, at: position, rate: rate), 1000) + 1
    self.track = track?.id
    self.position = position
  }
}
