// A box that was set up wrongly must be reachable: a button held at power-on. Control thread, before the output is
// opened; waits two seconds, and only while the button is down.

import Console
import Controls
import Platform

/// Asks the button for a safe start.
enum SafeStart {
  /// How long the button must stay down.
  static let patience: UInt64 = 2_000_000_000

  /// Whether the button that the settings name is down and stays so.
  static func isWanted(_ settings: Settings, _ desk: GestureDesk, events: EventLoop) -> Bool {
    guard let button = settings.safeButton, desk.isDown(button) else { return false }
    var isOver = false
    let timer = events.after(patience) { isOver = true }
    while !isOver, desk.isDown(button) { events.turn(waits: true) }
    events.remove(timer)
    return isOver
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
