// The daemon's lifecycle as a state machine: a total function of phase, event and facts about the player. A value
// without clock and I/O; control thread. docs/reference/lifecycle.md is generated from it.

/// Decision of the lifecycle on an event.
package enum BoxStep: Hashable, Sendable {
  /// Change to a phase and carry out these effects.
  case to(BoxPhase, [BoxEffect])
  /// Keep the phase and carry out these effects.
  case stay([BoxEffect])
  /// The event cannot occur in this phase.
  case reject

  /// Keep the phase without effects.
  static var stay: BoxStep { .stay([]) }
}

/// The lifecycle of the daemon, from process start to exit.
package struct BoxLifecycle: Hashable, Sendable {
  /// The present phase.
  package private(set) var phase: BoxPhase

  /// A lifecycle in a given phase.
  package init(phase: BoxPhase = .readingConfiguration) { self.phase = phase }

  /// Handles an event: changes the phase.
  ///
  /// - Parameters:
  ///   - event: The event.
  ///   - facts: Facts about the player before the event.
  /// - Returns: The effects, to be carried out in this order; nil if the event cannot occur in this phase.
  package mutating func handle(_ event: BoxEvent, _ facts: LifecycleFacts) -> [BoxEffect]? {
    switch step(on: event, facts) {
    case .to(let next, let effects):
      phase = next
      return effects
    case .stay(let effects): return effects
    case .reject: return nil
    }
  }

  /// The decision on an event, without changing the phase. The rules of each phase list all events, so that the
  /// compiler checks completeness.
  package func step(on event: BoxEvent, _ facts: LifecycleFacts) -> BoxStep {
    switch phase {
    case .readingConfiguration: return readingConfiguration(event)
    case .checkingButton: return checkingButton(event)
    case .openingOutput(let hasBookmarks, let isStateDecided):
      return openingOutput(hasBookmarks, isStateDecided, event)
    case .readingState(let loading): return readingState(loading, event, facts)
    case .openingPlaceholder: return openingPlaceholder(event)
    case .waitingForConfiguration(let wait): return waitingForConfiguration(wait, event, facts)
    case .adoptingConfiguration(let loading, let runsCommands):
      return adoptingConfiguration(loading, runsCommands, event, facts)
    case .waitingForState(let wait): return waitingForState(wait, event, facts)
    case .running: return running(event, facts)
    case .stopping(let reason, let hasOutput): return stopping(reason, hasOutput, event, facts)
    case .saving(let reason): return saving(reason, event, facts)
    case .fadingOut(let reason): return fadingOut(reason, event)
    case .ended, .failed: return over(event)
    }
  }

  // MARK: Start

  private func readingConfiguration(_ event: BoxEvent) -> BoxStep {
    switch event {
    case .configurationRead: .to(.checkingButton, [.checkButton])
    case .configurationTimedOut: .to(.openingPlaceholder, [.countStart, .openPlaceholder])
    case .cannotRun(let error): .to(.failed(error), [])
    case .endRequested(let reason): stop(reason, hasOutput: false)
    case .buttonReleased, .buttonHeld, .outputOpened, .bookmarksRead, .stateLoaded, .stateDecided,
      .commandsDue,
      .playDue, .turnEnded, .fadeEnded, .saved:
      .reject
    }
  }

  private func checkingButton(_ event: BoxEvent) -> BoxStep {
    switch event {
    case .buttonReleased: openOutput(isSafe: false)
    case .buttonHeld: openOutput(isSafe: true)
    case .endRequested(let reason): stop(reason, hasOutput: false)
    case .configurationRead, .configurationTimedOut, .outputOpened, .cannotRun, .bookmarksRead, .stateLoaded,
      .stateDecided, .commandsDue, .playDue, .turnEnded, .fadeEnded, .saved:
      .reject
    }
  }

  /// The state loads while the output is opened.
  private func openOutput(isSafe: Bool) -> BoxStep {
    .to(
      .openingOutput(hasBookmarks: false, isStateDecided: false),
      [.applyConfiguration(isSafe: isSafe), .countStart, .start(.play), .readState, .openOutput])
  }

  private func openingOutput(_ hasBookmarks: Bool, _ isDecided: Bool, _ event: BoxEvent) -> BoxStep {
    switch event {
    case .bookmarksRead:
      hasBookmarks ? .reject : .to(.openingOutput(hasBookmarks: true, isStateDecided: isDecided), [])
    case .stateDecided:
      isDecided
        ? .reject : .to(.openingOutput(hasBookmarks: hasBookmarks, isStateDecided: true), [.stop(.play)])
    case .outputOpened:
      switch (hasBookmarks, isDecided) {
      case (true, true): .to(.running, [.watchStorage] + Self.ready(runsCommands: true))
      case (false, true): .to(.readingState(.decided), [.watchStorage, .start(.commands)])
      case (_, false):
        .to(.readingState(.loading(hasBookmarks: hasBookmarks)), [.watchStorage, .start(.commands)])
      }
    case .cannotRun(let error): .to(.failed(error), [.stop(.play)])
    case .configurationRead, .configurationTimedOut, .buttonReleased, .buttonHeld, .stateLoaded, .commandsDue,
      .playDue, .turnEnded, .fadeEnded, .endRequested, .saved:
      .reject
    }
  }

  private func readingState(_ loading: StateLoading, _ event: BoxEvent, _ facts: LifecycleFacts) -> BoxStep {
    switch event {
    case .bookmarksRead:
      switch loading {
      case .loading(hasBookmarks: false): .to(.readingState(.loading(hasBookmarks: true)), [])
      case .held: .to(.readingState(.loading(hasBookmarks: true)), [facts.restore])
      case .decided: .to(.running, [.stop(.commands)] + Self.ready(runsCommands: true))
      case .loading(hasBookmarks: true): .reject
      }
    case .stateLoaded:
      switch loading {
      case .loading(hasBookmarks: false): .to(.readingState(.held), [])
      case .loading(hasBookmarks: true): .stay([facts.restore])
      case .held, .decided: .reject
      }
    case .stateDecided:
      switch loading {
      case .loading:
        .to(.running, [.stop(.play), .stop(.commands)] + Self.ready(runsCommands: true))
      case .held, .decided: .reject
      }
    case .commandsDue:
      switch loading {
      case .loading: .to(.waitingForState(.active), Self.ready(runsCommands: true))
      case .held: .to(.readingState(.loading(hasBookmarks: true)), [facts.restore])
      case .decided: .to(.running, Self.ready(runsCommands: true))
      }
    case .playDue:
      // The timer that expires first is `commands`, unless opening the output has taken longer than 10 s.
      switch loading {
      case .loading: .to(.waitingForState(.expired), [.stop(.commands)] + Self.ready(runsCommands: true))
      case .held: .to(.readingState(.loading(hasBookmarks: true)), [facts.restore])
      case .decided: .reject
      }
    case .endRequested(let reason):
      stop(reason, hasOutput: true, stopping: [.commands, .play], restoring: loading == .held ? facts : nil)
    case .configurationRead, .configurationTimedOut, .buttonReleased, .buttonHeld, .outputOpened, .cannotRun,
      .turnEnded, .fadeEnded, .saved:
      .reject
    }
  }

  /// The effects that complete the start.
  private static func ready(runsCommands: Bool) -> [BoxEffect] {
    [.acceptCommands, .notifyReady, .showCaution] + (runsCommands ? [.runConfiguredCommands] : [])
      + [.startWatchdog]
  }

  // MARK: Start without the configuration

  private func openingPlaceholder(_ event: BoxEvent) -> BoxStep {
    switch event {
    case .outputOpened:
      .to(
        .waitingForConfiguration(.active), [.watchStorage, .start(.play)] + Self.ready(runsCommands: false))
    case .cannotRun(let error): .to(.failed(error), [])
    case .configurationRead, .configurationTimedOut, .buttonReleased, .buttonHeld, .bookmarksRead,
      .stateLoaded,
      .stateDecided, .commandsDue, .playDue, .turnEnded, .fadeEnded, .endRequested, .saved:
      .reject
    }
  }

  private func waitingForConfiguration(_ wait: PlayWait, _ event: BoxEvent, _ facts: LifecycleFacts)
    -> BoxStep
  {
    switch event {
    case .configurationRead:
      .to(
        .adoptingConfiguration(.loading(hasBookmarks: false, wait), runsCommands: facts.isFree),
        [.adoptConfiguration, .start(.commands)] + (wait == .active ? [.start(.play)] : []) + [.readState])
    case .playDue:
      wait == .active ? .to(.waitingForConfiguration(.expired), [.playIfRequested]) : .reject
    case .endRequested(let reason): stop(reason, hasOutput: true, stopping: [.play])
    case .configurationTimedOut, .buttonReleased, .buttonHeld, .outputOpened, .cannotRun, .bookmarksRead,
      .stateLoaded, .stateDecided, .commandsDue, .turnEnded, .fadeEnded, .saved:
      .reject
    }
  }

  private func adoptingConfiguration(
    _ loading: LateStateLoading, _ runs: Bool, _ event: BoxEvent, _ facts: LifecycleFacts
  ) -> BoxStep {
    let commands: [BoxEffect] = [.showSkippedLines, runs ? .runConfiguredCommands : .skipConfiguredCommands]
    func to(_ loading: LateStateLoading, _ effects: [BoxEffect]) -> BoxStep {
      .to(.adoptingConfiguration(loading, runsCommands: runs), effects)
    }
    switch event {
    case .bookmarksRead:
      return switch loading {
      case .loading(hasBookmarks: false, let wait): to(.loading(hasBookmarks: true, wait), [])
      case .held(let wait): .to(.waitingForState(wait), [.stop(.commands), facts.restore] + commands)
      case .decided(hasBookmarks: false): .to(.running, [.stop(.commands)] + commands)
      case .loading(hasBookmarks: true, _), .decided(hasBookmarks: true): .reject
      }
    case .stateLoaded:
      return switch loading {
      case .loading(hasBookmarks: false, let wait): to(.held(wait), [])
      case .loading(hasBookmarks: true, _): .stay([facts.restore])
      // After a first read that was refused.
      case .decided: .stay([facts.restore])
      case .held: .reject
      }
    case .stateDecided:
      // The configuration's commands run when `commands` expires, also if the state is restored earlier.
      return switch loading {
      case .loading(let hasBookmarks, let wait):
        to(.decided(hasBookmarks: hasBookmarks), wait.decided)
      case .decided: .stay
      case .held: .reject
      }
    case .commandsDue:
      return switch loading {
      case .loading(_, let wait): .to(.waitingForState(wait), commands)
      case .held(let wait): .to(.waitingForState(wait), [facts.restore] + commands)
      case .decided: .to(.running, commands)
      }
    case .playDue:
      return switch loading {
      case .loading(let hasBookmarks, .active):
        to(.loading(hasBookmarks: hasBookmarks, .expired), [.playIfRequested])
      case .held(.active): to(.held(.expired), [.playIfRequested])
      case .loading(_, .expired), .held(.expired), .decided: .reject
      }
    case .endRequested(let reason):
      let isHeld = loading == .held(.active) || loading == .held(.expired)
      return stop(reason, hasOutput: true, stopping: [.commands, .play], restoring: isHeld ? facts : nil)
    case .configurationRead, .configurationTimedOut, .buttonReleased, .buttonHeld, .outputOpened, .cannotRun,
      .turnEnded, .fadeEnded, .saved:
      return .reject
    }
  }

  // MARK: Commands are accepted

  private func waitingForState(_ wait: PlayWait, _ event: BoxEvent, _ facts: LifecycleFacts) -> BoxStep {
    switch event {
    case .bookmarksRead: .stay
    case .stateLoaded: .stay([facts.restore])
    case .stateDecided: .to(.running, wait.decided)
    case .playDue: wait == .active ? .to(.waitingForState(.expired), [.playIfRequested]) : .reject
    case .endRequested(let reason): stop(reason, hasOutput: true, stopping: [.play])
    case .configurationRead, .configurationTimedOut, .buttonReleased, .buttonHeld, .outputOpened, .cannotRun,
      .commandsDue, .turnEnded, .fadeEnded, .saved:
      .reject
    }
  }

  private func running(_ event: BoxEvent, _ facts: LifecycleFacts) -> BoxStep {
    switch event {
    case .bookmarksRead, .stateDecided: .stay
    // After a first read that was refused.
    case .stateLoaded: .stay([facts.restore])
    case .endRequested(let reason): stop(reason, hasOutput: true)
    case .configurationRead, .configurationTimedOut, .buttonReleased, .buttonHeld, .outputOpened, .cannotRun,
      .commandsDue, .playDue, .turnEnded, .fadeEnded, .saved:
      .reject
    }
  }

  // MARK: End

  /// Requests the end, which begins after the current event.
  ///
  /// - Parameters:
  ///   - reason: Why the daemon ends.
  ///   - hasOutput: Whether there is a player, whose state is saved.
  ///   - timers: Timers that may be running.
  ///   - facts: Not nil if a loaded state is held, which saving would replace; it is restored first.
  private func stop(
    _ reason: EndReason, hasOutput: Bool, stopping timers: [BoxTimer] = [],
    restoring facts: LifecycleFacts? = nil
  ) -> BoxStep {
    .to(
      .stopping(reason, hasOutput: hasOutput),
      timers.map { .stop($0) } + [.notifyStopping, .start(.turn)] + (facts.map { [$0.restore] } ?? []))
  }

  private func stopping(
    _ reason: EndReason, _ hasOutput: Bool, _ event: BoxEvent, _ facts: LifecycleFacts
  ) -> BoxStep {
    switch event {
    case .turnEnded:
      hasOutput
        ? .to(.saving(reason), [.resetStartCount, .save, .stopActivity])
        : .to(.ended(reason), [.resetStartCount, .close])
    // Saving replaces the file's contents, so they are restored first.
    case .stateLoaded: hasOutput ? .stay([facts.restore]) : .reject
    case .configurationRead, .buttonReleased, .buttonHeld, .bookmarksRead, .stateDecided, .endRequested: .stay
    case .configurationTimedOut, .outputOpened, .cannotRun, .commandsDue, .playDue, .fadeEnded, .saved:
      .reject
    }
  }

  private func saving(_ reason: EndReason, _ event: BoxEvent, _ facts: LifecycleFacts) -> BoxStep {
    switch event {
    case .saved:
      facts.isSounding
        ? .to(.fadingOut(reason), [.detachPlayer, .fadeOut, .start(.fade)])
        : .to(.ended(reason), [.detachPlayer, .close])
    case .configurationRead, .bookmarksRead, .stateLoaded, .stateDecided, .endRequested: .stay
    case .configurationTimedOut, .buttonReleased, .buttonHeld, .outputOpened, .cannotRun, .commandsDue,
      .playDue, .turnEnded, .fadeEnded:
      .reject
    }
  }

  private func fadingOut(_ reason: EndReason, _ event: BoxEvent) -> BoxStep {
    switch event {
    case .fadeEnded: .to(.ended(reason), [.close])
    case .configurationRead, .bookmarksRead, .stateLoaded, .stateDecided, .endRequested: .stay
    case .configurationTimedOut, .buttonReleased, .buttonHeld, .outputOpened, .cannotRun, .commandsDue,
      .playDue, .turnEnded, .saved:
      .reject
    }
  }

  /// After the end, responses of storage and buttons may still arrive.
  private func over(_ event: BoxEvent) -> BoxStep {
    switch event {
    case .configurationRead, .buttonReleased, .buttonHeld, .bookmarksRead, .stateLoaded, .stateDecided,
      .endRequested:
      .stay
    case .configurationTimedOut, .outputOpened, .cannotRun, .commandsDue, .playDue, .turnEnded, .fadeEnded,
      .saved:
      .reject
    }
  }
}

extension LifecycleFacts {
  /// The effect for a loaded state: it never replaces music that the user has started.
  fileprivate var restore: BoxEffect { isFree ? .restoreState : .dropState }
}

extension PlayWait {
  /// The effects when the saved state is decided while commands are accepted.
  fileprivate var decided: [BoxEffect] {
    switch self {
    case .active: [.stop(.play), .playIfRequested]
    case .expired: []
    }
  }
}
