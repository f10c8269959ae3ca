// Tracks which buttons are down, and reports consistent changes. Control thread only.

import Platform

/// The level of every button. Reports are consistent: no second `down` without an `up`, no `up` without a
/// `down`, and no decreasing times.
///
/// A button that is down when its device is opened does not count as pressed: only `isDown` reflects it, and
/// it is reported from its next `down`.
final class ControlLevels {
  var onInput: (TimedInput) -> Void = { _ in }
  private var down: Set<ControlName> = []
  private var reported: Set<ControlName> = []
  private var latest: UInt64 = 0
  private let scheduler: any Scheduler

  init(_ scheduler: any Scheduler) { self.scheduler = scheduler }

  func isDown(_ name: ControlName) -> Bool { down.contains(name) }

  /// Records the level at the time when the device was opened, without a report.
  func begin(_ name: ControlName, isDown: Bool) {
    if isDown { down.insert(name) } else { down.remove(name) }
  }

  /// Records a level and reports a change.
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

  /// Releases a button whose device has been removed.
  func lose(_ name: ControlName) { set(name, isDown: false, at: scheduler.now) }

  /// Reports detents of a knob; 0 is ignored.
  func turn(_ name: ControlName, detents: Int, at time: UInt64) {
    guard detents != 0 else { return }
    report(.turn(name, detents: detents), at: time)
  }

  private func report(_ input: ControlInput, at time: UInt64) {
    // Clamp time stamps to the present: a future time stamp would hold back all later events.
    latest = max(latest, min(time, scheduler.now))
    onInput(TimedInput(input, at: latest))
  }
}
