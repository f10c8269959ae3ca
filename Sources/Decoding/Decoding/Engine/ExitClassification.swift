// From how a worker process ended to what that means. Pure; any thread.

import CLinux
import Platform

/// The failure that a worker's end amounts to when it gave no account of itself.
///
/// - Parameters:
///   - ending: How the process ended, from the kernel.
///   - violation: The system call that it reported in its last moment.
///   - memory: Its allowance in MiB.
func failure(
  for ending: ChildProcess.Ending, violation: UInt32?, memory: Int
) -> WorkerFailure {
  switch ending.cause {
  case .exited(let status):
    return WorkerFailure(
      .decoderCrashed, "The decoder process ended without a word (exit status \(status)).")
  case .killed(let signal):
    switch signal {
    case SIGSYS:
      let call = violation.map { SystemCallName.of($0) } ?? "a forbidden system call"
      return WorkerFailure(
        .decoderBrokeSandbox, "The decoder tried what its sandbox forbids (\(call)) and was stopped.")
    case SIGXCPU:
      return WorkerFailure(
        .decoderCrashed, "The decoder used up the CPU time that it is allowed and was stopped.")
    case SIGKILL:
      return WorkerFailure(
        .decoderCrashed, "The decoder process was killed from outside; the system may be short of memory.")
    default:
      var reason = "The decoder crashed (\(ChildProcess.Ending.name(ofSignal: signal)))"
      if ending.peakKiB >= memory * 1024 / 10 * 7 {
        reason += " after using \(ending.peakKiB / 1024) of the \(memory) MiB that it is allowed"
      }
      return WorkerFailure(.decoderCrashed, reason + ".")
    }
  }
}

/// What a worker has said of its end.
struct ExitReason {
  /// The system call that it was stopped for.
  var violation: UInt32?
  /// What it has failed with, which is not reported yet.
  var withheld: WorkerFailure?
  /// Whether it has closed its socket.
  var isSocketClosed = false
}

extension WorkerFailure.Kind {
  /// Whether it is the end of a process, and says little about the file.
  var isDeath: Bool { self == .decoderCrashed || self == .decoderHung || self == .decoderBrokeSandbox }
}
