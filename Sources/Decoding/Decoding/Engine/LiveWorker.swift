// The engine's handle on a live source: its receiver process, if any, and the sandboxed worker that converts
// its samples. Control thread only; no call blocks on either process.

import AudioRing
import CLinux
import Platform
import PlaybackModel

/// A live source with its processes. Deinitialising it kills them.
///
/// Add `descriptor` to the event loop, and call `takeEvents` when it is readable.
package final class LiveWorker {
  /// An event of a live source.
  package enum Event: Equatable, Sendable {
    /// Audio has begun, with enough frames in the ring from an index on.
    case ready(index: UInt64)
    /// The audio has stopped.
    case silent
    /// Both processes have ended, with a reason. No events follow.
    case failed(String)
  }

  /// The ring that the worker fills.
  package let ring: RingMemory
  private let file: FileDescriptor
  private let receiver: ReceiverProcess?
  private let descriptors: DescriptorSet
  private let socket: MessageSocket
  private let child: any WorkerProcess
  private let memory: Int
  private var violation: UInt32?
  private var isOver = false
  /// Whether the receiver's failure arrives through the worker, as for timed sources.
  private let saysItself: Bool
  private var buffer = [UInt8](repeating: 0, count: MessageSocket.limit)

  /// Starts the receiver and the worker.
  ///
  /// - Parameters:
  ///   - source: The live source.
  ///   - rate: The engine's rate.
  ///   - executable: The program with the hidden subcommands `worker`, `capture` and `room`.
  ///   - confinement: Whether the worker may run without a sandbox.
  /// - Throws: `SystemError` if a process or the ring cannot be created.
  package init(
    _ source: LiveSource, rate: SampleRate, executable: String = Executable.own,
    confinement: SandboxLimits.Confinement = .required
  ) throws(SystemError) {
    let layout = RingLayout(rate: rate)
    memory = SandboxLimits().memory
    saysItself = source.origin.isTimed
    file = try SharedMemory.createFile(name: "swiftlet-ring", size: layout.totalBytes)
    ring = try RingMemory(layout: layout, file: file)
    ring.adopt(.floats)
    descriptors = try DescriptorSet()
    receiver = try ReceiverProcess.start(source, executable: executable)
    let started = try StartedWorker(
      live: source, rate: rate, bytes: receiver?.bytes.raw, ring: file, executable: executable,
      confinement: confinement)
    child = started.process
    socket = started.socket
    try descriptors.add(socket.raw)
  }

  /// Readable when `takeEvents` has work. Constant; never close it.
  package var descriptor: Int32 { descriptors.raw }

  /// Statistics of the source, as reported by the untrusted worker.
  package var figures: LiveFigures.Values { ring.reader.liveFigures.values }

  /// Returns the events since the last call, oldest first. Never blocks.
  package func takeEvents() -> [Event] {
    var events: [Event] = []
    // Bounded; the descriptor stays readable if more messages are queued.
    for _ in 0..<64 where !isOver {
      switch socket.receive(into: &buffer) {
      case .nothing: return events
      case .closed: events.append(.failed(ending()))
      case .tooLong: events.append(.failed("its worker sent an invalid message and was stopped"))
      case .message(let count): take(WorkerMessage(buffer[..<count]), &events)
      }
      if case .failed? = events.last { terminate() }
    }
    return events
  }

  private func take(_ message: WorkerMessage?, _ events: inout [Event]) {
    switch message {
    case .ready(let index, _)?: events.append(.ready(index: index))
    case .silent?: events.append(.silent)
    case .failed(let failure)?:
      events.append(.failed(saysItself ? failure.sentence : receiver?.ending() ?? failure.sentence))
    case .violated(let call)?: violation = call
    default: events.append(.failed("its worker sent an invalid message and was stopped"))
    }
  }

  private func ending() -> String {
    child.kill()
    guard let ending = child.reap() else { return "its worker ended" }
    return failure(for: ending, violation: violation, memory: memory).sentence
  }

  /// Discards the present audio until the source falls silent and starts again, or until `listen` is called.
  package func dismiss() { if !isOver { socket.send(EngineMessage.dismiss.bytes) } }

  /// Reports the present audio as a new beginning, after `dismiss`.
  package func listen() { if !isOver { socket.send(EngineMessage.wake.bytes) } }

  /// Kills both processes; the ring stays mapped.
  package func terminate() {
    guard !isOver else { return }
    isOver = true
    descriptors.remove(socket.raw)
    child.kill()
    receiver?.kill()
  }
}
