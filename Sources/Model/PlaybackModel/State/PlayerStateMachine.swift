// The player's state machine: one total function from state, event and moment to state, orders and verdict,
// with an audit trail. A value; control thread; no clock, no I/O. The rules are in the Rules files.

/// The player's state machine.
package struct PlayerStateMachine {
  /// What the player is doing.
  package private(set) var state: PlayerState
  /// What decisions are made by; a change applies from the next event on.
  package var settings: PlayerSettings
  /// Whether a rejected system event ends the process. It means that the engine's own picture is wrong:
  /// tests want to know at once, a box in a kitchen wants to go on.
  package var isStrict: Bool
  /// Whether the sound card is gone, as the last outputLost or outputRestored said.
  package private(set) var outputIsLost: Bool
  /// The last error, with its time; nil once something has succeeded after it.
  package private(set) var lastError: DatedError?
  /// The audit trail.
  package private(set) var history = History()

  private var retries = RetryMemory()

  /// A machine in a state; after a restart, see `restore`.
  package init(
    state: PlayerState = .idle(cause: nil, armed: .disarmed), settings: PlayerSettings = PlayerSettings(),
    isStrict: Bool = false
  ) {
    self.state = state
    self.settings = settings
    self.isStrict = isStrict
    outputIsLost = state.pauseReason == .outputLost
  }

  /// Handles one event: takes the new state, records it, and returns what is to be
  /// done. Total: every event is answered in every state.
  package mutating func handle(_ event: PlayerEvent, at moment: Moment) -> Outcome {
    switch event {
    case .outputLost: outputIsLost = true
    case .outputRestored: outputIsLost = false
    // Who asks for music is owed all tries, with the shortest waits.
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

  /// A person wants what failed to be tried again: it gets all retries, with the shortest waits.
  package mutating func forgetRetries() { retries = RetryMemory() }

  /// Whether an event would be understood now. Nothing is performed.
  package func canPerform(_ event: PlayerEvent, at moment: Moment) -> Bool {
    rejection(of: event, at: moment) == nil
  }

  /// Why an event would be rejected now; nil: it would be understood. Nothing is performed.
  func rejection(of event: PlayerEvent, at moment: Moment) -> Rejection? {
    switch rules(at: moment).step(from: state, on: event) {
    case .to, .stay: nil
    case .reject(let reason): reason
    case .meaningless: .meaningless(event.kind, in: state.kind)
    }
  }

  /// How a paused fade is resumed, as was decided when it was paused; how a running one would be, were it paused now. Nil
  /// outside of fades.
  package var resumeStrategy: ResumeStrategy? {
    switch state {
    case .crossfadePaused(_, _, let strategy, _, _): strategy
    case .crossfading(_, _, _, _, .quick): .quickFinish
    case .crossfading(_, _, _, let progress, .ordered): settings.strategy(at: progress)
    default: nil
    }
  }

  /// Whether a running or paused fade would finish quickly when it is resumed from a pause here.
  package var canQuickFinish: Bool { resumeStrategy == .quickFinish }

  /// An error that costs nothing that the state would tell: what is decoded plays on.
  package mutating func note(_ error: PlaybackError, at moment: Moment) {
    lastError = DatedError(error: error, time: moment.time)
  }

  /// Takes over the exact frames at which a pause took effect, once the mixer reports them, or at which a decoder has come
  /// to stand while nothing is heard. Not a
  /// transition; how a fade goes on was decided when the pause was asked for. Returns whether the state is a silent
  /// one that tells a position, and the caller should write a checkpoint.
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

  /// Moves a running fade's progress on, for display; never back. Not a transition. Returns whether it
  /// moved.
  @discardableResult
  package mutating func observe(progress: FadeProgress) -> Bool {
    guard case .crossfading(let from, let to, let curve, let old, let pace) = state,
      progress.length == old.length, progress.index > old.index
    else { return false }
    state = .crossfading(from: from, to: to, curve: curve, progress: progress, pace: pace)
    return true
  }

  /// Takes over what a decoder has told about a track (length, tags), wherever the state holds the track
  /// with that id. Not a transition. Returns whether it is held.
  @discardableResult
  package mutating func describe(_ track: Track) -> Bool {
    guard let described = state.replacing(track) else { return false }
    state = described
    return true
  }

  /// A machine for a state read from a checkpoint.
  ///
  /// What was heard or about to be heard is prepared again at its position with its intent. After a restart an
  /// interruption is over; on another output of the same run it is not. A fade that was running comes back as one that
  /// waits for the output, and goes on by itself on the `outputRestored` that the shell sends once it has opened the
  /// output. `saved` gives the positions at the moment the checkpoint was written.
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

/// An error and when it was reported.
package struct DatedError: Hashable, Sendable {
  /// What went wrong.
  package let error: PlaybackError
  /// Nanoseconds of the engine's clock.
  package let time: UInt64
}

/// How often the same track has failed in a row at about the same place.
struct RetryMemory {
  private var track: UInt64?
  private var position = Frames.zero
  private var count = 0

  /// Failures so far of this track at about this position: within 10 s of the last one.
  func failures(of track: Track?, at position: Frames, rate: SampleRate) -> Int {
    self.track == track?.id && position - self.position < rate.frames(Seconds(10)) ? count : 0
  }

  mutating func note(track: Track?, position: Frames, rate: SampleRate) {
    count = min(failures(of: track, at: position, rate: rate), 1000) + 1
    self.track = track?.id
    self.position = position
  }
}
