// A deadline as a descriptor (timerfd), for code that only waits for descriptors. Control thread only; never
// blocks.

import CLinux

/// A descriptor that is readable from a deadline on.
package final class DeadlineDescriptor {
  private let timer: FileDescriptor
  private var deadline: UInt64?

  /// Creates a timer that is not set.
  package init() throws(SystemError) {
    let fd = timerfd_create(Int32(CLOCK_MONOTONIC), Int32(CLINUX_TFD_CLOEXEC | CLINUX_TFD_NONBLOCK))
    guard fd >= 0 else { throw SystemError("timerfd_create") }
    timer = FileDescriptor(owning: fd)
  }

  /// The timer's descriptor. Do not close it.
  package var descriptor: Int32 { timer.raw }

  /// Sets the deadline on `MonotonicClock`; nil disarms the timer.
  package func set(_ deadline: UInt64?) {
    guard deadline != self.deadline else { return }
    self.deadline = deadline
    var time = itimerspec()
    if let deadline {
      // Zero would disarm the timer.
      let deadline = max(1, deadline)
      time.it_value.tv_sec = time_t(deadline / 1_000_000_000)
      time.it_value.tv_nsec = Int(deadline % 1_000_000_000)
    }
    _ = timerfd_settime(timer.raw, CLINUX_TFD_ABSOLUTE, &time, nil)
  }
}
