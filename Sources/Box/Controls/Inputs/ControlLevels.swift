// Which buttons are down, and what of it is reported. Control thread only.

import Platform

/// The level of every button. What is reported is consistent: no second `down` without an `up`, no `up` without a
/// `down`, and no time before the last.
///
/// A button that is down when its device is opened was not pressed: `isDown` tells of it, and it is reported again
/// from its next `down`.
final class ControlLevels {
  var onInput: (TimedInput) -> Void = { _ in }
  private var down: Set<ControlName> = []
  private var reported: Set<ControlName> = []
  private var latest: UInt64 = 0
  private let scheduler: any Scheduler

  init(_ scheduler: any Scheduler) { self.scheduler = scheduler }

  func isDown(_ name: ControlName) -> Bool { down.contains(name) }

  /// Takes a level that stood when the device was opened.
  func begin(_ name: ControlName, isDown: Bool) {
    if isDown { down.insert(name) } else { down.remove(name) }
  }

  /// Takes a level; reports it if it is a change.
  func set(_ name: ControlName, isDown: Bool, at time: UInt64) {
    if isDown {
      guard down.insert(name).inserted else { return }
      reported.insert(name)
      report(.down(name), at: time)
    } else {
      down.remove(name)
      if reported.remove(name) != nil { report(.up(name), at: time) }
    }
  }

  /// The device of a button has gone: it counts as released.
  func lose(_ name: ControlName) { set(name, isDown: false, at: scheduler.now) }

  /// Reports detents of a knob, if there are any.
  func turn(_ name: ControlName, detents: Int, at time: UInt64) {
    guard detents != 0 else { return }
    report(.turn(name, detents: detents), at: time)
  }

  private func report(_ input: ControlInput, at time: UInt64) {
    // Devices stamp their events on their own; a stamp of the future would hold back all that follow.
    latest = max(latest, min(time, scheduler.now))
    onInput(TimedInput(input, at: latest))
  }
}
