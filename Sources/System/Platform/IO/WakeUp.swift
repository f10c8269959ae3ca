// Wakes a waiting thread from another one, without locks, by an eventfd. Signalling is safe on the audio
// thread.

import CLinux

/// A level-triggered signal: it stays set until cleared, so none is lost between checking and waiting.
package final class WakeUp: @unchecked Sendable {
  private let event: FileDescriptor

  /// Creates a signal.
  ///
  /// - Throws: If the process has no descriptors left.
  package init() throws(SystemError) {
    let fd = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
    guard fd >= 0 else { throw SystemError("eventfd") }
    event = FileDescriptor(owning: fd)
  }

  /// For an event loop: readable while signalled.
  package var descriptor: Int32 { event.raw }

  /// Sets the signal. Any thread; never blocks.
  package func signal() {
    var one: UInt64 = 1
    _ = write(event.raw, &one, 8)
  }

  /// Clears the signal.
  package func clear() {
    var count: UInt64 = 0
    _ = read(event.raw, &count, 8)
  }

  /// Waits until signalled or until the timeout, then clears the signal.
  ///
  /// - Parameter nanoseconds: The timeout; nil waits indefinitely.
  package func wait(_ nanoseconds: Int64?) {
    var descriptor = pollfd(fd: event.raw, events: Int16(POLLIN), revents: 0)
    if let nanoseconds {
      var time = timespec(
        tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
      _ = clinux_ppoll(&descriptor, 1, &time)
    } else {
      _ = clinux_ppoll(&descriptor, 1, nil)
    }
    if descriptor.revents != 0 { clear() }
  }

  /// Waits until signalled, until a descriptor is readable, or until the timeout, then clears the signal.
  ///
  /// - Returns: Whether the descriptor is readable.
  package func wait(_ nanoseconds: UInt64, orUntilReadable descriptor: Int32?) -> Bool {
    var descriptors = [
      pollfd(fd: event.raw, events: Int16(POLLIN), revents: 0),
      pollfd(fd: descriptor ?? -1, events: Int16(POLLIN), revents: 0),
    ]
    var time = timespec(
      tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
    _ = clinux_ppoll(&descriptors, 2, &time)
    if descriptors[0].revents != 0 { clear() }
    return descriptors[1].revents != 0
  }
}
