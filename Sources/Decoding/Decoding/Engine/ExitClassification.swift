// Maps the exit status of a worker process to a failure. Pure; any thread.

import CLinux
import Platform

/// The failure for a worker that exited without reporting one.
///
/// - Parameters:
///   - ending: The exit status from the kernel.
///   - violation: The forbidden system call that the worker reported, if any.
///   - memory: The worker's memory limit in MiB.
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

/// What is known about the end of a worker before its exit status.
struct ExitReason {
  /// The forbidden system call that it reported.
  var violation: UInt32?
  /// A failure held back until the fetcher's exit status is known.
  var withheld: WorkerFailure?
  /// Whether the worker has closed its socket.
  var isSocketClosed = false
}

extension WorkerFailure.Kind {
  /// Whether the process died, which does not mean that the file is bad.
  var isDeath: Bool { self == .decoderCrashed || self == .decoderHung || self == .decoderBrokeSandbox }
}
