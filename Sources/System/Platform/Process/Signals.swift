// The signals that ask a program to end, as something to wait for. Made before the first thread.

import CLinux

/// What a process that the engine starts must not be ended by.
package enum HelperSignals {
  /// Ignores SIGPIPE and SIGXFSZ: a line for a log that has gone, or that is a file where the sandbox forbids to write any, fails instead
  /// of ending the process. Programs that are started get the defaults again.
  package static func ignore() {
    for signal in [SIGPIPE, SIGXFSZ] { clinux_ignore_signal(signal) }
  }
}

/// SIGINT, SIGTERM and SIGHUP as readable events; SIGPIPE is ignored.
package final class TerminationSignals {
  private let signals: FileDescriptor

  /// Blocks the signals for this thread and all that it will start.
  package init() throws(SystemError) {
    clinux_ignore_signal(SIGPIPE)
    signals = try FileDescriptor.blocking(SIGINT, SIGTERM, SIGHUP)
  }

  /// For a scheduler: readable when one has arrived.
  package var descriptor: Int32 { signals.raw }

  /// Forgets one that has arrived.
  package func clear() { _ = take() }

  /// Forgets one that has arrived, and answers its number; nil if there is none.
  package func take() -> Int32? { signals.takeSignal() }
}

/// SIGCONT as a readable event: the program was stopped (Ctrl-Z) and goes on.
package final class ContinuationSignal {
  private let signals: FileDescriptor

  /// Blocks the signal, which continues the program all the same.
  package init() throws(SystemError) {
    signals = try FileDescriptor.blocking(SIGCONT)
  }

  /// For a scheduler: readable when the program goes on.
  package var descriptor: Int32 { signals.raw }

  /// Takes it back.
  package func clear() { _ = signals.takeSignal() }
}

extension FileDescriptor {
  /// Blocks signals for this thread and all that it will start: a signalfd(2) that does not block has them instead.
  fileprivate static func blocking(_ numbers: Int32...) throws(SystemError) -> FileDescriptor {
    var set = sigset_t()
    sigemptyset(&set)
    for number in numbers { sigaddset(&set, number) }
    sigprocmask(SIG_BLOCK, &set, nil)
    let fd = signalfd(-1, &set, Int32(SFD_CLOEXEC | SFD_NONBLOCK))
    guard fd >= 0 else { throw SystemError("signalfd") }
    return FileDescriptor(owning: fd)
  }

  /// The number of the next signal of a signalfd(2) that does not block.
  fileprivate borrowing func takeSignal() -> Int32? {
    var information = signalfd_siginfo()
    let size = MemoryLayout<signalfd_siginfo>.size
    guard CLinux.read(raw, &information, size) == size else { return nil }
    return Int32(bitPattern: information.ssi_signo)
  }
}
