// The main loop of a worker that plays a live source: waits for bytes and for the engine's messages. Worker
// process, one thread.

import AudioRing
import CLinux
import Platform
import PlaybackModel

/// Processes the bytes of a live source.
protocol LiveIntake: ~Copyable {
  /// When to call `pass`, in nanoseconds of the monotonic clock; nil while there is no audio.
  var deadline: UInt64? { get }
  /// Processes received bytes.
  ///
  /// - Parameters:
  ///   - bytes: The bytes.
  ///   - now: Nanoseconds of the monotonic clock.
  mutating func take(_ bytes: UnsafeRawBufferPointer, at now: UInt64) throws(WorkerFailure)
  /// Does the work that is due by a time.
  mutating func pass(_ now: UInt64) throws(WorkerFailure)
  /// Returns the events since the last call, oldest first.
  mutating func takeNews() -> [LiveNews]
  /// Drops the present audio until it stops and starts again.
  mutating func dismiss()
  /// Reports the present audio as a new beginning, after `dismiss`.
  mutating func listen() throws(WorkerFailure)
}

extension LiveStream: LiveIntake {}
extension TimedStream: LiveIntake {}

/// The hidden subcommand `worker` for a live source.
enum LiveWorkerTask {
  /// Runs until the engine closes the socket, or throws when the source ends.
  static func run(
    _ task: WorkerArguments, _ memory: borrowing SharedMemory, _ socket: borrowing MessageSocket
  ) throws(WorkerFailure) {
    guard let live = task.live else {
      throw WorkerFailure(.internalError, "The worker was started without a live source's format.")
    }
    let isFIFO = !task.place.path.utf8.isEmpty
    if isFIFO { try open(task.place.path) }
    let library = try ResamplingLibrary()
    _ = try Sandbox.enter(task.limits, reading: .bytes)
    let ring = RingWriter(layout: RingLayout(capacity: task.capacity), base: memory.base)
    let threshold = Float(live.threshold) / 1_000_000
    guard !live.isTimed else {
      let stream = TimedStream(
        rate: task.rate, delay: live.delay, threshold: threshold, ring: ring, base: memory.base
      ) { rate throws(WorkerFailure) in try VariableResampler(library, from: rate, to: task.rate) }
      var work = LiveTask(stream, endsWithBytes: true)
      return try work.run(socket)
    }
    let converter = try VariableResampler(library, from: live.format.rate, to: task.rate)
    let stream = LiveStream(
      live.format, rate: task.rate, delay: live.delay, threshold: threshold, ring: ring, base: memory.base,
      converter)
    var work = LiveTask(stream, endsWithBytes: !isFIFO)
    try work.run(socket)
  }

  /// Opens a FIFO at the reserved descriptor number. Opens it for writing too if permitted, so that it has no
  /// end of file.
  private static func open(_ path: String) throws(WorkerFailure) {
    var status = stat()
    guard path.withPath({ stat($0, &status) }) == 0 else {
      throw WorkerFailure(
        .missing, "there is no FIFO \(path); 'mkfifo' makes one, or the program that writes it")
    }
    guard clinux_is_pipe(status.st_mode) != 0 else { throw WorkerFailure(.missing, "\(path) is no FIFO") }
    _ = close(Sandbox.media)
    do throws(SystemError) {
      let file: FileDescriptor
      do throws(SystemError) {
        file = try FileDescriptor.open(path, O_RDWR | O_NONBLOCK)
      } catch {
        file = try FileDescriptor.open(path, O_RDONLY | O_NONBLOCK)
      }
      guard file.raw == Sandbox.media else { throw SystemError("open", on: path, code: EBADF) }
      _ = file.release()
    } catch {
      throw WorkerFailure(.unreadable, "\(path) cannot be read: \(error.reason)")
    }
  }
}

/// The poll loop on the source and the engine's socket.
struct LiveTask<Stream: LiveIntake & ~Copyable>: ~Copyable {
  /// Size of the read buffer in bytes.
  private static var maxCount: Int { 16_384 }
  /// Poll interval in milliseconds for a read-only FIFO without a writer.
  private static var look: Int32 { 500 }

  private var stream: Stream
  private var buffer: UnsafeMutableRawBufferPointer
  /// Whether the end of the bytes ends the source. False for a FIFO, which may get another writer.
  private let endsWithBytes: Bool
  /// Whether the FIFO has no writer at present.
  private var isForsaken = false
  private var received = [UInt8](repeating: 0, count: 64)

  init(_ stream: consuming Stream, endsWithBytes: Bool) {
    self.stream = stream
    self.endsWithBytes = endsWithBytes
    buffer = .allocate(byteCount: Self.maxCount, alignment: 16)
  }

  deinit { buffer.deallocate() }

  mutating func run(_ socket: borrowing MessageSocket) throws(WorkerFailure) {
    while try takeOrders(socket) {
      let now = MonotonicClock.now()
      try stream.pass(now)
      tell(socket)
      try wait(now, socket.raw)
    }
  }

  private mutating func wait(_ now: UInt64, _ socket: Int32) throws(WorkerFailure) {
    var entries = (
      pollfd(fd: socket, events: Int16(POLLIN), revents: 0),
      pollfd(fd: Sandbox.media, events: Int16(POLLIN), revents: 0)
    )
    var timeout: Int32 = -1
    if let deadline = stream.deadline {
      timeout = Int32(clamping: (deadline > now ? deadline - now : 0) / 1_000_000 + 1)
    }
    if isForsaken { timeout = timeout < 0 ? Self.look : min(timeout, Self.look) }
    let count: nfds_t = isForsaken ? 1 : 2
    let ready = withUnsafeMutableBytes(of: &entries) {
      poll($0.baseAddress!.assumingMemoryBound(to: pollfd.self), count, timeout)
    }
    if ready <= 0 || isForsaken {
      isForsaken = false
      return try read()
    }
    if entries.1.revents != 0 { try read() }
  }

  /// Reads the available bytes, up to the size of the buffer.
  private mutating func read() throws(WorkerFailure) {
    while true {
      let count = CLinux.read(Sandbox.media, buffer.baseAddress, buffer.count)
      if count > 0 {
        return try stream.take(
          UnsafeRawBufferPointer(rebasing: buffer[..<count]), at: MonotonicClock.now())
      }
      if count == 0 {
        guard endsWithBytes else { return isForsaken = true }
        throw WorkerFailure(.unreadable, "its sound has ended")
      }
      switch clinux_errno() {
      case EINTR: continue
      case EAGAIN: return
      default: throw WorkerFailure(.unreadable, "it cannot be read: \(SystemError("read").reason)")
      }
    }
  }

  private mutating func tell(_ socket: borrowing MessageSocket) {
    for news in stream.takeNews() {
      let message: WorkerMessage =
        switch news {
        case .ready(let index): .ready(index: index, position: 0)
        case .silent(let index): .silent(index: index)
        }
      socket.send(message.bytes, waiting: true)
    }
  }

  /// Carries out the engine's requests. Returns false if the engine has closed the socket.
  private mutating func takeOrders(_ socket: borrowing MessageSocket) throws(WorkerFailure) -> Bool {
    while true {
      switch socket.receive(into: &received) {
      case .closed: return false
      case .nothing: return true
      case .tooLong: continue
      case .message(let count):
        switch EngineMessage(received[..<count]) {
        case .dismiss?: stream.dismiss()
        case .wake?: try stream.listen()
        default: break
        }
      }
    }
  }
}
