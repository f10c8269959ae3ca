// The process behind a worker as the engine uses it, and its replacement in tests. Control thread; nothing
// here blocks.

import AudioRing
import Platform
import PlaybackModel

/// A worker's process. Deinitialising it kills the process. Class-bound for Embedded Swift.
package protocol WorkerProcess: AnyObject {
  /// The process ID.
  var pid: Int32 { get }
  /// Readable in poll and epoll once the process has ended. Never close it.
  var descriptor: Int32 { get }
  /// CPU time used, and time spent runnable without a CPU; nil if unknown.
  var processorTime: ProcessorTime? { get }
  /// Whether the kernel blocks it on storage.
  var waitsForStorage: Bool { get }
  /// Reaps the process. Returns its exit status, or nil while it runs.
  func reap() -> ChildProcess.Ending?
  /// Raises the limit of its total CPU time, in seconds.
  func allowCPU(seconds: Int)
  /// Kills the process, which still has to be reaped.
  func kill()
}

/// Replaces worker processes in simulations of hostile workers (Tools/Conversations). The engine's code, the
/// socket and the ring are the real ones. Class-bound for Embedded Swift.
package protocol WorkerStandIn: AnyObject {
  /// Starts in place of a process.
  ///
  /// - Parameters:
  ///   - name: The path or name of the file.
  ///   - start: First frame of the track to write.
  ///   - socket: The worker's end of the socket.
  ///   - ring: The ring, mapped for the worker.
  ///   - layout: Sizes and offsets in the ring.
  func start(
    _ name: String, at start: Frames, socket: consuming MessageSocket, ring: consuming SharedMemory,
    _ layout: RingLayout
  ) throws(SystemError) -> any WorkerProcess
}

/// A real child process.
final class WorkerChild: WorkerProcess {
  private var child: ChildProcess

  init(_ child: consuming ChildProcess) { self.child = child }

  var pid: Int32 { child.pid }
  var descriptor: Int32 { child.descriptor }
  var processorTime: ProcessorTime? { child.processorTime }
  var waitsForStorage: Bool { child.waitsForStorage }
  func reap() -> ChildProcess.Ending? { child.reap() }
  func allowCPU(seconds: Int) { child.allowCPU(seconds: seconds) }
  func kill() { child.kill() }
}
