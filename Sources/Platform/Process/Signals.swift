// The signals that ask a program to end, as something to wait for. Made before the first thread.

import CLinux

/// SIGINT, SIGTERM and SIGHUP as readable events; SIGPIPE is ignored.
package final class TerminationSignals {
  private let signals: FileDescriptor

  /// Blocks the signals for this thread and all that it will start.
  package init() throws(SystemError) {
    clinux_ignore_signal(SIGPIPE)
    var set = sigset_t()
    sigemptyset(&set)
    sigaddset(&set, SIGINT)
    sigaddset(&set, SIGTERM)
    sigaddset(&set, SIGHUP)
    sigprocmask(SIG_BLOCK, &set, nil)
    let fd = signalfd(-1, &set, Int32(SFD_CLOEXEC | SFD_NONBLOCK))
    guard fd >= 0 else { throw SystemError("signalfd") }
    signals = FileDescriptor(owning: fd)
  }

  /// For a scheduler: readable when one has arrived.
  package var descriptor: Int32 { signals.raw }

  /// Forgets one that has arrived.
  package func clear() {
    var information = signalfd_siginfo()
    _ = read(signals.raw, &information, MemoryLayout<signalfd_siginfo>.size)
  }
}
