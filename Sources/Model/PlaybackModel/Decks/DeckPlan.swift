// The target contents of the two decks, computed from player state, succession and settings. After every event, the
// deck controller compares the plan with the decks and orders the difference. A pure function; control thread.

/// Target state of both decks and of the gate after them.
package struct DeckPlan: Hashable, Sendable {
  /// Target contents of one deck.
  package enum Load: Hashable, Sendable {
    case nothing
    /// The track, opened at that frame and not started yet.
    case fresh(Track, at: Frames)
    /// The track at its present position; opened at that frame if no deck holds it.
    case kept(Track, from: Frames)
    /// The track, silent, moved to that frame.
    case moved(Track, to: Frames)
    /// The present contents.
    case asIs

    /// The track of the load; nil if it has none.
    package var track: Track? {
      switch self {
      case .fresh(let track, _), .kept(let track, _), .moved(let track, _): track
      case .nothing, .asIs: nil
      }
    }
  }

  /// Target state of the gate after both decks, with its ramp.
  package enum Gate: Hashable, Sendable {
    case open(ramp: Frames)
    /// Closed; positions are held.
    case held(ramp: Frames)
    /// Closed, to end the playback.
    case finished(ramp: Frames)
    /// Unchanged.
    case asIs
  }

  /// The join between the two decks.
  package enum Meeting: Hashable, Sendable {
    /// No join.
    case none
    /// The other deck starts at the frame after the lead's last one.
    case gapless
    /// The other deck fades in over the lead: before its end, or at once.
    case fade(Fade, atOnce: Bool)
    /// The lead fades in over the other deck; the fade has reached at least frame `at`.
    case running(Fade, at: Frames, FadePace)
    /// Unchanged.
    case asIs

    /// Whether a running fade continues.
    package var keepsFade: Bool {
      switch self {
      case .running, .asIs: true
      case .none, .gapless, .fade: false
      }
    }
  }

  /// The deck of the current track; in a fade, the incoming one.
  package var lead: Load
  /// The other deck: the next track; in a fade, the outgoing one.
  package var other: Load
  /// Whether the lead should play as soon as it can.
  package var isSounding: Bool
  /// The gate.
  package var gate: Gate
  /// The join between the decks.
  package var meeting: Meeting
  /// Ramp for decks that are released.
  package var release: Frames

  init(
    lead: Load, other: Load = .nothing, isSounding: Bool = false, gate: Gate, meeting: Meeting = .none,
    release: Frames
  ) {
    self.lead = lead
    self.other = other
    self.isSounding = isSounding
    self.gate = gate
    self.meeting = meeting
    self.release = release
  }

  /// Computes the plan for a state.
  ///
  /// - Parameters:
  ///   - state: The player's state.
  ///   - succession: The next track and its join; nil while no track has to be prepared.
  ///   - isFadeRunning: Whether the mixer runs a crossfade. Needed for `fadingOut`, whose state does not include it.
  ///   - settings: The player's settings.
  package init(
    _ state: PlayerState, succession: Succession?, isFadeRunning: Bool, settings: PlayerSettings
  ) {
    let declick = settings.declickFrames
    let pause = settings.pauseFrames
    let next = succession.map { Load.fresh($0.next, at: .zero) } ?? .nothing
    let hold = Gate.held(ramp: state.pauseReason == .outputLost ? .zero : pause)
    switch state {
    case .idle, .finished, .failed:
      self.init(lead: .nothing, gate: .open(ramp: .zero), release: declick)
    case .preparing(let track, _, let start), .ready(let track, let start):
      self.init(lead: .fresh(track, at: start), gate: .open(ramp: .zero), release: declick)
    case .playing(let track):
      // A fade during playback is armed by `preparingCrossfade`, so that the state shows it.
      let isGapless = succession?.join == .gapless
      self.init(
        lead: .kept(track, from: .zero), other: next, isSounding: true, gate: .open(ramp: pause),
        meeting: isGapless ? .gapless : .none, release: settings.collapseFrames)
    case .paused(let track, let position, _):
      self.init(
        lead: .kept(track, from: position), other: next, gate: hold, meeting: Self.meeting(succession),
        release: declick)
    case .buffering(let track, let intent):
      self.init(
        lead: .kept(track, from: .zero), other: next, isSounding: true,
        gate: intent.isPlay ? .open(ramp: declick) : .held(ramp: declick), meeting: Self.meeting(succession),
        release: declick)
    case .seeking(let track, let target, _):
      self.init(lead: .moved(track, to: target), other: next, gate: .asIs, release: declick)
    case .preparingCrossfade(let current, let next, let plan):
      self.init(
        lead: .kept(current, from: .zero), other: .fresh(next, at: plan.start), isSounding: true,
        gate: .open(ramp: pause),
        meeting: plan.isArmed ? .fade(plan.fade, atOnce: plan.trigger == .manual) : .none,
        release: settings.collapseFrames)
    case .crossfading(let from, let to, let curve, let progress, let pace):
      self.init(
        lead: .kept(to, from: .zero), other: .kept(from, from: .zero), isSounding: true,
        gate: .open(ramp: pause),
        meeting: .running(Fade(length: progress.length, curve: curve), at: progress.index, pace),
        release: declick)
    case .crossfadePaused(let from, let to, _, let snapshot, _):
      self.init(
        lead: .kept(to, from: snapshot.toPosition), other: .kept(from, from: snapshot.fromPosition),
        gate: hold,
        meeting: .running(snapshot.fade, at: snapshot.progress.index, .ordered), release: declick)
    case .fadingOut(let track, let duration):
      // A running fade continues under the ramp; otherwise the next track is prepared as usual.
      self.init(
        lead: .kept(track, from: .zero), other: isFadeRunning ? .asIs : next,
        gate: .finished(ramp: duration), meeting: isFadeRunning ? .asIs : Self.meeting(succession),
        release: declick)
    }
  }

  /// The join in silent states, in which a fade can be armed without a state of its own.
  private static func meeting(_ succession: Succession?) -> Meeting {
    switch succession?.join {
    case .gapless: .gapless
    case .faded(let fade): .fade(fade, atOnce: false)
    case .undecided, .afterEnd, nil: .none
    }
  }
}
