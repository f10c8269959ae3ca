// When to look again for what is not there. Control thread only.

import Platform

/// A timer that waits longer each time, and not at all while nothing is missing.
final class BackOff {
  static let first: UInt64 = 500_000_000
  static let longest: UInt64 = 60_000_000_000

  private let events: EventLoop
  private let action: () -> Void
  private var wait = BackOff.first
  private var isHurried = false
  private var last: UInt64 = 0
  private var timer: EventLoop.Token?

  init(_ events: EventLoop, _ action: @escaping () -> Void) {
    self.events = events
    self.action = action
  }

  /// Does it later, unless it is already going to be done.
  func schedule() {
    guard timer == nil else { return }
    start(after: wait)
  }

  /// Something has just gone: does it as soon as after the first miss, unless that was not long ago. What comes
  /// and goes all the time is looked for less and less, too.
  func restart() {
    guard !isHurried else { return }
    cancel()
    if MonotonicClock.now() - last > Self.longest { wait = Self.first }
    schedule()
  }

  /// Does it soon, because something has changed. Several changes in a row are one.
  func hurry(_ nanoseconds: UInt64) {
    cancel()
    isHurried = true
    start(after: nanoseconds)
  }

  /// Nothing is missing: does not do it, unless it was told to hurry.
  func rest() {
    if !isHurried { cancel() }
  }

  /// Does not do it.
  func cancel() {
    if let timer { events.remove(timer) }
    timer = nil
    isHurried = false
  }

  private func start(after nanoseconds: UInt64) {
    timer = events.after(nanoseconds) { [self] in
      timer = nil
      isHurried = false
      wait = min(wait * 2, Self.longest)
      last = MonotonicClock.now()
      action()
    }
  }
}
