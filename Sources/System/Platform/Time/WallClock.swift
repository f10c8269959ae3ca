// The wall clock, local time, and notification when the clock is set. Any thread but the audio thread; the
// time may jump.

import CLinux

/// The wall clock and local time.
package enum WallClock {
  /// Seconds since 1970 (time(2)).
  package static func seconds() -> Int64 { Int64(time(nil)) }

  /// Seconds since 1970 with fractions (clock_gettime(2)).
  package static func now() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  /// Seconds from 1970-01-01 00:00 to now, both in local time (localtime(3), timegm(3)).
  package static func localSeconds() -> Int64 {
    var now = time(nil)
    var parts = tm()
    guard localtime_r(&now, &parts) != nil else { return 0 }
    return Int64(timegm(&parts))
  }
}

extension WallClock {
  /// The file that systemd-timesyncd creates once it has set the clock.
  private static let mark = "/run/systemd/timesync/synchronized"

  /// Whether the clock is synchronized over the network (adjtimex(2)), or has been since power-on.
  package static var isSynchronized: Bool {
    clinux_is_clock_synchronized() == 1 || access(mark, F_OK) == 0
  }
}

/// Reports when the wall clock is set, by the user or by network time, which a board without a real-time
/// clock receives some time after power-on (timerfd_create(2)). Causes no other wake-ups.
package final class WallClockChanges {
  private let timer: FileDescriptor

  /// Starts watching.
  package init() throws(SystemError) {
    let fd = timerfd_create(Int32(CLOCK_REALTIME), Int32(CLINUX_TFD_CLOEXEC | CLINUX_TFD_NONBLOCK))
    guard fd >= 0 else { throw SystemError("timerfd_create") }
    timer = FileDescriptor(owning: fd)
    try arm()
  }

  /// For a scheduler: readable when the clock was set, until `clear`.
  package var descriptor: Int32 { timer.raw }

  /// Clears the event and waits for the next one.
  package func clear() {
    var count: UInt64 = 0
    // read(2) fails with ECANCELED after the clock was set.
    _ = read(timer.raw, &count, 8)
    try? arm()
  }

  private func arm() throws(SystemError) {
    // A timer in the far future, which is cancelled when the clock is set.
    var time = itimerspec()
    time.it_value.tv_sec = time_t.max
    guard timerfd_settime(timer.raw, CLINUX_TFD_ON_SET, &time, nil) == 0 else {
      throw SystemError("timerfd_settime")
    }
  }
}
