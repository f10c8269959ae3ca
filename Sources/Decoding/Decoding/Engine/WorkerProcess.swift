// What the engine does with the process behind a worker, and who may stand in for one. Control thread; nothing here waits.

import AudioRing
import Platform
import PlaybackModel

/// A worker's process. When the object goes, the process goes. Class-bound, for Embedded Swift.
package protocol WorkerProcess: AnyObject {
  /// The kernel's number for it.
  var pid: Int32 { get }
  /// Readable for poll and epoll once it has ended. Never close it.
  var descriptor: Int32 { get }
  /// What it has used and wanted so far; nil where that is not known.
  var processorTime: ProcessorTime? { get }
  /// Whether the kernel holds it until storage answers.
  var waitsForStorage: Bool { get }
  /// How it ended, or nil while it runs.
  func reap() -> ChildProcess.Ending?
  /// Lets it use so many seconds of processor time in all.
  func allowCPU(seconds: Int)
  /// Ends it at once; it still has to be reaped.
  func kill()
}

/// Takes the place of worker processes where hostile ones are tried by the thousand (Tools/Conversations): what is on the
/// engine's side of the socket and of the ring stays the real one. Class-bound, for Embedded Swift.
package protocol WorkerStandIn: AnyObject {
  /// Begins in place of a process that would get the same.
  ///
  /// - Parameters:
  ///   - name: The file's path or name.
  ///   - start: The frame of the track that is to come first in the ring.
  ///   - socket: The worker's end.
  ///   - ring: The ring, mapped for the worker.
  ///   - layout: What is where in it.
  func start(
    _ name: String, at start: Frames, socket: consuming MessageSocket, ring: consuming SharedMemory,
    _ layout: RingLayout
  ) throws(SystemError) -> any WorkerProcess
}

/// A child process that is a worker: the usual case.
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
