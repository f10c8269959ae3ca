// The time of day where the box stands, and that it was set. Any thread but the audio thread; it may jump.

import CLinux

/// The local time.
package enum WallClock {
  /// Seconds since 1970 (time(2)).
  package static func seconds() -> Int64 { Int64(time(nil)) }

  /// Seconds since 1970, with their fraction (clock_gettime(2)).
  package static func now() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  /// Seconds since the midnight that began 1970-01-01 by the local clock (localtime(3), timegm(3)).
  package static func localSeconds() -> Int64 {
    var now = time(nil)
    var parts = tm()
    guard localtime_r(&now, &parts) != nil else { return 0 }
    return Int64(timegm(&parts))
  }
}

extension WallClock {
  /// What systemd-timesyncd makes once it has set the clock.
  private static let mark = "/run/systemd/timesync/synchronized"

  /// Whether a program keeps the clock right by the network (adjtimex(2)), or has done so since power-on.
  package static var isSynchronized: Bool {
    clinux_is_clock_synchronized() == 1 || access(mark, F_OK) == 0
  }
}

/// Tells when somebody sets the wall clock: a person, or the network's time, which a board without a clock of its own
/// gets a while after power-on (timerfd_create(2)). No wake-up otherwise.
package final class WallClockChanges {
  private let timer: FileDescriptor

  /// Watches from now on.
  package init() throws(SystemError) {
    let fd = timerfd_create(Int32(CLOCK_REALTIME), Int32(CLINUX_TFD_CLOEXEC | CLINUX_TFD_NONBLOCK))
    guard fd >= 0 else { throw SystemError("timerfd_create") }
    timer = FileDescriptor(owning: fd)
    try arm()
  }

  /// For a scheduler: readable when the clock was set, until `clear`.
  package var descriptor: Int32 { timer.raw }

  /// Takes the news; the next change is told of again.
  package func clear() {
    var count: UInt64 = 0
    // ECANCELED is the news.
    _ = read(timer.raw, &count, 8)
    try? arm()
  }

  private func arm() throws(SystemError) {
    // A time that never comes; it is cancelled when the clock is set.
    var time = itimerspec()
    time.it_value.tv_sec = time_t.max
    guard timerfd_settime(timer.raw, CLINUX_TFD_ON_SET, &time, nil) == 0 else {
      throw SystemError("timerfd_settime")
    }
  }
}
