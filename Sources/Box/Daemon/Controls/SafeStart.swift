// Safe start: holding a button at power-on starts with default settings, so that a misconfigured box stays reachable.
// Control thread, before the output is opened; never blocks.

import Console
import Controls
import Platform

/// Decides whether the user holds the safe-start button.
final class SafeStart {
  /// How long the button must be held, in nanoseconds.
  static let holdNanoseconds: UInt64 = 2_000_000_000
  /// Poll interval in nanoseconds. The release of a button that was down at start generates no event, hence polling.
  private static let interval: UInt64 = 20_000_000

  private let button: ControlName
  private let gestures: GestureController
  private let scheduler: any Scheduler
  private let timer: DeadlineTimer
  private let end: UInt64

  /// Starts the check.
  ///
  /// - Returns: nil if the settings name no button or it is not pressed.
  init?(_ settings: Settings, _ gestures: GestureController, scheduler: any Scheduler) {
    guard let button = settings.safeButton, gestures.isDown(button) else { return nil }
    self.button = button
    self.gestures = gestures
    self.scheduler = scheduler
    timer = DeadlineTimer(scheduler)
    end = scheduler.now &+ Self.holdNanoseconds
  }

  /// Calls `then` with false once the button is released, or with true once it was held for `holdNanoseconds`.
  func decide(_ then: @escaping (Bool) -> Void) {
    guard gestures.isDown(button) else { return then(false) }
    let now = scheduler.now
    guard now < end else { return then(true) }
    timer.start(after: min(Self.interval, end - now)) { [unowned(unsafe) self] in decide(then) }
  }

  /// Log message of a safe start.
  static func warning(_ settings: Settings) -> String {
    "The button '\(settings.safeButton?.text ?? "")' was held at power-on: safe start, with default settings and an "
      + "empty queue. A restart restores the former settings, unless 'save' replaces them."
  }

  /// Settings of a safe start: board or factory defaults, except for the settings by which the box is reached. The
  /// checkpoint is off, so that the stored state is not overwritten.
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
