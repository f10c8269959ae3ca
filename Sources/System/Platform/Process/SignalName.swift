// Descriptions of the signals that kill processes. Pure; any thread.

import CLinux

extension ChildProcess.Ending {
  /// The name and usual meaning of a signal that killed a process.
  package static func name(ofSignal signal: Int32) -> String {
    switch signal {
    case SIGSEGV: "SIGSEGV, invalid memory access"
    case SIGBUS: "SIGBUS, invalid memory access or a file that shrank"
    case SIGILL: "SIGILL, a failed check"
    case SIGTRAP: "SIGTRAP, a failed check"
    case SIGFPE: "SIGFPE, invalid arithmetic"
    case SIGABRT: "SIGABRT, a failed check or no memory"
    default: "signal \(signal)"
    }
  }
}
