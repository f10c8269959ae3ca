// The engine's handle on a live source: its receiver, where it has one, and the sandboxed worker that reads what comes. Control thread
// only; no call waits for either.

import AudioRing
import CLinux
import Platform
import PlaybackModel

/// A live source at work. When this object goes, its processes go.
///
/// Put `descriptor` into the event loop and call `takeEvents` when it is readable.
package final class LiveWorker {
  /// What has happened.
  package enum Event: Equatable, Sendable {
    /// Its sound has begun, and enough of it is in the ring from an index on.
    case ready(index: UInt64)
    /// Its sound has stopped.
    case silent
    /// Both processes are gone, for that reason. There is never more.
    case failed(String)
  }

  /// The memory that the worker fills.
  package let ring: RingMemory
  private let file: FileDescriptor
  private let receiver: ReceiverProcess?
  private let descriptors: DescriptorSet
  private let socket: MessageSocket
  private let child: any WorkerProcess
  private let memory: Int
  private var violation: UInt32?
  private var isOver = false
  /// Whether the receiver says through its worker why it ends.
  private let saysItself: Bool
  private var buffer = [UInt8](repeating: 0, count: MessageSocket.limit)

  /// Starts both.
  ///
  /// - Parameters:
  ///   - rate: The engine's rate.
  ///   - executable: The program with the hidden subcommands `worker`, `capture` and `room`.
  ///   - confinement: Whether the worker may go without a sandbox.
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

  /// Readable when `takeEvents` has something to do; stays the same. Never close it.
  package var descriptor: Int32 { descriptors.raw }

  /// How the source is doing, by the worker's word.
  package var figures: LiveFigures.Values { ring.reader.liveFigures.values }

  /// Takes what happened since the last call, oldest first; never waits.
  package func takeEvents() -> [Event] {
    var events: [Event] = []
    // Bounded: the descriptor stays readable if there are more.
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

  /// Lets what sounds pass unheard, until it stops and begins anew, or `listen` is called.
  package func dismiss() { if !isOver { socket.send(EngineMessage.dismiss.bytes) } }

  /// Has what sounds now begin anew.
  package func listen() { if !isOver { socket.send(EngineMessage.wake.bytes) } }

  /// Ends both at once; the ring stays mapped.
  package func terminate() {
    guard !isOver else { return }
    isOver = true
    descriptors.remove(socket.raw)
    child.kill()
    receiver?.kill()
  }
}
