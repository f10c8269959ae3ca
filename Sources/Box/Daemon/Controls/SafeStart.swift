// A box that was set up wrongly must be reachable: a button held at power-on. Control thread, before the output is
// opened; never waits.

import Console
import Controls
import Platform

/// Asks the button for a safe start.
final class SafeStart {
  /// How long the button must stay down.
  static let holdNanoseconds: UInt64 = 2_000_000_000
  /// How often it is looked at. The release of a button that was down from the beginning is not reported.
  private static let interval: UInt64 = 20_000_000

  private let button: ControlName
  private let gestures: GestureController
  private let scheduler: any Scheduler
  private let timer: DeadlineTimer
  private let end: UInt64

  /// Nil where the settings name no button, or it is not down.
  init?(_ settings: Settings, _ gestures: GestureController, scheduler: any Scheduler) {
    guard let button = settings.safeButton, gestures.isDown(button) else { return nil }
    self.button = button
    self.gestures = gestures
    self.scheduler = scheduler
    timer = DeadlineTimer(scheduler)
    end = scheduler.now &+ Self.holdNanoseconds
  }

  /// Calls `then` as soon as the button is up, or was down for long enough: whether a safe start is wanted.
  func decide(_ then: @escaping (Bool) -> Void) {
    guard gestures.isDown(button) else { return then(false) }
    let now = scheduler.now
    guard now < end else { return then(true) }
    timer.start(after: min(Self.interval, end - now)) { [unowned(unsafe) self] in decide(then) }
  }

  /// What to log of a safe start.
  static func warning(_ settings: Settings) -> String {
    "The button '\(settings.safeButton?.text ?? "")' was held at power-on: safe start, with default settings and an "
      + "empty queue. A restart restores the former settings, unless 'save' replaces them."
  }

  /// The settings of a safe start: the board's or the defaults, but the same ways to reach the box. Nothing is
  /// remembered, so that nothing that is remembered gets lost.
  static func settings(from settings: Settings, base: ConfigurationBase) -> Settings {
    var safe = base.settings
    for setting in [Setting.consoleTTY, .consoleBaud, .socketPath, .socketGroup] {
      try? safe.set(setting, to: settings.value(setting))
    }
    safe.unset(.consolePIN)
    try? safe.set("checkpoint.path", "off")
    return safe
  }
}
