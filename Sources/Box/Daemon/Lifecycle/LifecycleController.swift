// Drives the daemon's lifecycle: passes events to the state machine, and its effects to their performer. Control
// thread; never blocks.

import Platform

/// The daemon's lifecycle with its timers.
final class LifecycleController {
  /// Carries out an effect other than those of timers; may report further events.
  var perform: (BoxEffect) -> Void = { _ in }
  /// Returns the facts that decide transitions.
  var facts: () -> LifecycleFacts = { LifecycleFacts() }

  private var lifecycle = BoxLifecycle()
  private let timers: [DeadlineTimer]
  private let isStrict: Bool

  /// Creates a lifecycle in its first phase.
  ///
  /// - Parameters:
  ///   - scheduler: Runs the timers.
  ///   - isStrict: Whether an event that cannot occur in a phase ends the process. Used by tests.
  init(_ scheduler: any Scheduler, isStrict: Bool) {
    timers = BoxTimer.allCases.map { _ in DeadlineTimer(scheduler) }
    self.isStrict = isStrict
  }

  /// The present phase.
  var phase: BoxPhase { lifecycle.phase }

  /// Handles an event, and carries out its effects before this returns. Effects may report further events, which are
  /// handled before the remaining effects.
  func handle(_ event: BoxEvent) {
    let former = phase
    guard let effects = lifecycle.handle(event, facts()) else {
      guard isStrict else { return }
      preconditionFailure(
        "strict: the event '" + event.kind.name + "' occurred while " + former.kind.name
          + "; it cannot occur in this phase")
    }
    for effect in effects {
      switch effect {
      case .start(let timer):
        timers[Int(timer.rawValue)].start(after: timer.nanoseconds) { [unowned(unsafe) self] in
          handle(timer.event)
        }
      case .stop(let timer): timers[Int(timer.rawValue)].stop()
      case .checkButton, .applyConfiguration, .adoptConfiguration, .countStart, .readState, .openOutput,
        .openPlaceholder, .watchStorage, .restoreState, .dropState, .acceptCommands, .notifyReady,
        .showCaution,
        .showSkippedLines, .runConfiguredCommands, .skipConfiguredCommands, .startWatchdog, .playIfRequested,
        .notifyStopping, .resetStartCount, .save, .stopActivity, .detachPlayer, .fadeOut, .close:
        perform(effect)
      }
    }
  }
}
