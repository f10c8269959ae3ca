// The process that receives a live source: the user's command, the capture of an ALSA device, or the Snapcast
// client, which sandboxes itself. Runs outside the worker's sandbox, because it needs the network or the
// card. Its output goes to the worker only. Control thread.

import CLinux
import Platform
import PlaybackModel

/// A receiver process with its children. Deinitialising it kills the process group.
final class ReceiverProcess {
  /// The read end of the receiver's standard output, for the worker.
  let bytes: FileDescriptor
  private var child: ChildProcess
  private let source: LiveSource

  /// Starts the receiver.
  ///
  /// - Parameters:
  ///   - source: The live source.
  ///   - executable: The program with the hidden subcommands.
  /// - Returns: Nil for a FIFO, which another program writes.
  static func start(_ source: LiveSource, executable: String) throws(SystemError) -> ReceiverProcess? {
    switch source.origin {
    case .fifo: nil
    case .command(let line):
      try ReceiverProcess(source, "/bin/sh", ["sh", "-c", line], Environment.all)
    case .capture(let device):
      try ReceiverProcess(
        source, executable, ["swiftlet", "capture", device, source.format.text, String(getpid())],
        Environment.all)
    case .snapcast(let address):
      try ReceiverProcess(
        source, executable, ["swiftlet", "room", "snapcast", address, String(getpid())],
        Environment.sandboxed([]))
    }
  }

  private init(
    _ source: LiveSource, _ program: String, _ arguments: [String], _ environment: [String]
  ) throws(SystemError) {
    self.source = source
    let null = try FileDescriptor.open("/dev/null", O_RDWR)
    let pipe = try Pipe()
    child = try ChildProcess.spawn(
      program, arguments: arguments, environment: environment, descriptors: [null.raw, pipe.input.raw, 2])
    bytes = pipe.takeOutput()
    try bytes.setNonBlocking()
  }

  deinit { child.killGroup() }

  /// Kills the process group.
  func kill() { child.killGroup() }

  /// How the process has ended, as a phrase; nil while it runs.
  func ending() -> String? {
    switch child.reap()?.cause {
    case nil: nil
    case .exited(let status)?: Self.sentence(source, status)
    case .killed(let signal)?: "signal \(signal) ended its command"
    }
  }

  private static func sentence(_ source: LiveSource, _ status: Int32) -> String {
    guard case .capture(let device) = source.origin, let ending = CaptureEnding(status: status) else {
      return "its command ended with status \(status)"
    }
    let what =
      switch ending.step {
      case .opening: "cannot be opened"
      case .configuring: "does not capture \(source.format.text)"
      case .capturing: "does not capture any more"
      }
    let reason = ending.code == 0 ? "" : ": " + SystemError("", code: ending.code).reason
    return "the device \(device) \(what)\(reason); 'arecord -L' lists what can be captured"
  }
}
