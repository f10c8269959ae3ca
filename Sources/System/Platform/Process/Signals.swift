// Termination and continuation signals as descriptors (signalfd(2)). Created before the first thread.

import CLinux

/// Signals that helper processes ignore.
package enum HelperSignals {
  /// Ignores SIGPIPE and SIGXFSZ, so that writing a log line to a closed pipe, or to a file in a sandbox that
  /// forbids it, fails instead of killing the process. Programs started later get default handlers.
  package static func ignore() {
    for signal in [SIGPIPE, SIGXFSZ] { clinux_ignore_signal(signal) }
  }
}

/// SIGINT, SIGTERM and SIGHUP as readable events; SIGPIPE is ignored.
package final class TerminationSignals {
  private let signals: FileDescriptor

  /// Blocks the signals for this thread and all threads it starts.
  package init() throws(SystemError) {
    clinux_ignore_signal(SIGPIPE)
    signals = try FileDescriptor.blocking(SIGINT, SIGTERM, SIGHUP)
  }

  /// For a scheduler: readable when a signal has arrived.
  package var descriptor: Int32 { signals.raw }

  /// Discards a pending signal.
  package func clear() { _ = take() }

  /// Returns the number of a pending signal and discards it; nil if there is none.
  package func take() -> Int32? { signals.takeSignal() }
}

/// SIGCONT as a readable event: the program continues after it was stopped (Ctrl-Z).
package final class ContinuationSignal {
  private let signals: FileDescriptor

  /// Blocks the signal; the program is continued nevertheless.
  package init() throws(SystemError) {
    signals = try FileDescriptor.blocking(SIGCONT)
  }

  /// For a scheduler: readable when the program continues.
  package var descriptor: Int32 { signals.raw }

  /// Discards the pending signal.
  package func clear() { _ = signals.takeSignal() }
}

extension FileDescriptor {
  /// Blocks signals for this thread and all threads it starts, and creates a non-blocking signalfd(2) for
  /// them.
  fileprivate static func blocking(_ numbers: Int32...) throws(SystemError) -> FileDescriptor {
    var set = sigset_t()
    sigemptyset(&set)
    for number in numbers { sigaddset(&set, number) }
    sigprocmask(SIG_BLOCK, &set, nil)
    let fd = signalfd(-1, &set, Int32(SFD_CLOEXEC | SFD_NONBLOCK))
    guard fd >= 0 else { throw SystemError("signalfd") }
    return FileDescriptor(owning: fd)
  }

  /// The number of the next signal of a non-blocking signalfd(2); nil if there is none.
  fileprivate borrowing func takeSignal() -> Int32? {
    var information = signalfd_siginfo()
    let size = MemoryLayout<signalfd_siginfo>.size
    guard CLinux.read(raw, &information, size) == size else { return nil }
    return Int32(bitPattern: information.ssi_signo)
  }
}
