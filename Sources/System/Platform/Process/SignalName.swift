// What a process died of, for people. Pure; any thread.

import CLinux

extension ChildProcess.Ending {
  /// What a signal that ended a process stands for.
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
