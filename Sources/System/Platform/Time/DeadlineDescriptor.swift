// A deadline as a descriptor, for whoever waits by descriptors only: a timerfd. Control thread only; never waits.

import CLinux

/// Readable from a deadline on.
package final class DeadlineDescriptor {
  private let timer: FileDescriptor
  private var deadline: UInt64?

  /// An alarm that is not set.
  package init() throws(SystemError) {
    let fd = timerfd_create(Int32(CLOCK_MONOTONIC), Int32(CLINUX_TFD_CLOEXEC | CLINUX_TFD_NONBLOCK))
    guard fd >= 0 else { throw SystemError("timerfd_create") }
    timer = FileDescriptor(owning: fd)
  }

  /// Never close it.
  package var descriptor: Int32 { timer.raw }

  /// Sets it to a time of `MonotonicClock`, whatever it was set to; nil: never.
  package func set(_ deadline: UInt64?) {
    guard deadline != self.deadline else { return }
    self.deadline = deadline
    var time = itimerspec()
    if let deadline {
      // All zero would mean never.
      let deadline = max(1, deadline)
      time.it_value.tv_sec = time_t(deadline / 1_000_000_000)
      time.it_value.tv_nsec = Int(deadline % 1_000_000_000)
    }
    _ = timerfd_settime(timer.raw, CLINUX_TFD_ABSOLUTE, &time, nil)
  }
}
