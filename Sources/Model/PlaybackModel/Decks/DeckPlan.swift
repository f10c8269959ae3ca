// What the two decks shall hold: a pure function of state, succession and settings. Whoever has decks compares the plan
// with them after every event and orders the difference; nothing else decides what a deck does. Control thread.

/// What both decks and the gate behind them shall be.
package struct DeckPlan: Hashable, Sendable {
  /// What one deck shall hold.
  package enum Load: Hashable, Sendable {
    case nothing
    /// The track, opened at that frame and not heard yet.
    case fresh(Track, at: Frames)
    /// The track, wherever it stands now; opened at that frame where no deck holds it.
    case kept(Track, from: Frames)
    /// The track, silent at that frame.
    case moved(Track, to: Frames)
    /// Whatever it holds.
    case asIs

    /// The track, where the load names one.
    package var track: Track? {
      switch self {
      case .fresh(let track, _), .kept(let track, _), .moved(let track, _): track
      case .nothing, .asIs: nil
      }
    }
  }

  /// The gate behind both decks, and the ramp with which it gets there.
  package enum Gate: Hashable, Sendable {
    case open(ramp: Frames)
    /// Closed, with everything held where it is.
    case held(ramp: Frames)
    /// Closed, to end what was heard.
    case finished(ramp: Frames)
    /// As it is.
    case asIs
  }

  /// How the two decks meet.
  package enum Meeting: Hashable, Sendable {
    /// They do not.
    case none
    /// The other deck begins on the frame after the lead's last.
    case gapless
    /// The other deck fades in over the lead: before its end, or at once.
    case fade(Fade, atOnce: Bool)
    /// The lead fades in over the other deck, and has come that far at least.
    case running(Fade, at: Frames, FadePace)
    /// As it is.
    case asIs

    /// Whether a running fade continues.
    package var keepsFade: Bool {
      switch self {
      case .running, .asIs: true
      case .none, .gapless, .fade: false
      }
    }
  }

  /// The deck that goes on: the current track's, in a fade the incoming one's.
  package var lead: Load
  /// The other deck: the track that comes next, or in a fade the outgoing one.
  package var other: Load
  /// Whether the lead shall sound as soon as it can.
  package var isSounding: Bool
  /// The gate.
  package var gate: Gate
  /// How the decks meet.
  package var meeting: Meeting
  /// The ramp with which what is not kept goes.
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

  /// The plan for a state.
  /// - Parameters:
  ///   - succession: What queue and settings want after the current track; nil as long as nothing has to be prepared
  ///     for it.
  ///   - isFadeRunning: Whether the mixer is fading one track into the other. The states of a fade say so themselves;
  ///     what falls silent for good does not.
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
      // A fade is placed by `preparingCrossfade`, so that the state says so.
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
      // A fade runs on under the ramp; otherwise what follows meanwhile is the queue's business, as ever.
      self.init(
        lead: .kept(track, from: .zero), other: isFadeRunning ? .asIs : next,
        gate: .finished(ramp: duration), meeting: isFadeRunning ? .asIs : Self.meeting(succession),
        release: declick)
    }
  }

  /// Silent or not heard yet, a fade needs no state of its own to be placed.
  private static func meeting(_ succession: Succession?) -> Meeting {
    switch succession?.join {
    case .gapless: .gapless
    case .faded(let fade): .fade(fade, atOnce: false)
    case .undecided, .afterEnd, nil: .none
    }
  }
}
