// The engine's handle on one fetcher process. Control thread only; no call waits for the fetcher.

import CLinux
import Platform

/// A fetcher at work on one stream. When this object goes, the process goes.
///
/// Put `descriptor` into the event loop and call `takeNews` when it is readable.
package final class Fetcher {
  /// The file of the spool, for the worker.
  package let spool: FileDescriptor
  /// The worker's end of its socket to the fetcher. It stays open here, for a worker that takes another's place.
  package let workerSocket: MessageSocket
  /// Bytes of the window.
  package let window: Int
  /// Why no more will come; nil while more may.
  package private(set) var failure: FetchFailure?
  /// What the source says of itself; nil until it has.
  package private(set) var stream: StreamDescription?
  /// Why the connection is being made again at present; nil while bytes come.
  package private(set) var interruption: String?
  /// What of a station is missing where it was joined anew last, in nanoseconds.
  package private(set) var missing: UInt64 = 0
  /// The spool's words, which are not believed.
  private let words: SharedMemory
  private let socket: MessageSocket
  private var child: ChildProcess
  private let descriptors: DescriptorSet
  /// Whether it is gone, or about to be, and the kernel has not said yet why.
  private var isEnding = false
  private var buffer = [UInt8](repeating: 0, count: MessageSocket.limit)

  /// Starts a fetcher.
  ///
  /// - Parameters:
  ///   - request: What to fetch.
  ///   - executable: The program with the hidden subcommand `fetch`.
  package init(_ request: StreamRequest, executable: String) throws(SystemError) {
    window = request.boundedWindow
    spool = try SharedMemory.createFile(
      name: "swiftlet-spool", size: SpoolLayout(capacity: window).totalBytes)
    words = try SharedMemory(mapping: spool, size: SpoolLayout.headerBytes)
    let pair = try MessageSocket.Pair()
    let toWorker = try MessageSocket.Pair()
    let null = try FileDescriptor.open("/dev/null", O_RDWR)
    // One heap for both threads: the second one resolves names.
    let trusted = Environment.value("SSL_CERT_FILE").map { ["SSL_CERT_FILE=" + $0] } ?? []
    let environment = Environment.sandboxed(["MALLOC_ARENA_MAX=1"] + trusted)
    let arguments = FetcherArguments(parent: getpid(), window: window, plugins: request.plugins)
    child = try ChildProcess.spawn(
      executable, arguments: arguments.words, environment: environment,
      descriptors: [null.raw, null.raw, 2, pair.theirs.raw, toWorker.mine.raw, spool.raw])
    descriptors = try DescriptorSet()
    socket = pair.mine
    workerSocket = toWorker.theirs
    try descriptors.add(socket.raw)
    // It fits into an empty queue.
    socket.send(FetchOrder(request).bytes)
  }

  /// Readable when `takeNews` has something to do; stays the same. Never close it.
  package var descriptor: Int32 { descriptors.raw }

  /// The process's number, for tests.
  package var identifier: Int32 { child.pid }

  /// Takes what the fetcher has said since the last call, oldest first; never waits.
  package func takeNews() -> [FetcherMessage] {
    var news: [FetcherMessage] = []
    if isEnding { expectEnd() }
    // Bounded: the descriptor stays readable if there are more.
    for _ in 0..<64 where failure == nil && !isEnding {
      switch socket.receive(into: &buffer) {
      case .nothing: return news
      case .message(let count):
        guard let message = FetcherMessage(buffer[..<count]) else {
          end("The stream's process sent an invalid message and was stopped.")
          break
        }
        note(message)
        news.append(message)
      case .tooLong: end("The stream's process sent an invalid message and was stopped.")
      case .closed: expectEnd()
      }
    }
    return news
  }

  /// Makes a connection that was lost again now; waits between further tries grow anew.
  package func retryNow() {
    guard failure == nil, !isEnding, interruption != nil else { return }
    socket.send(FetchOrder.retryNow)
  }

  /// Ends the process unless it has ended by itself. `failure` says why it has, once the kernel does: `descriptor` is readable then.
  package func expectEnd() {
    guard failure == nil else { return }
    if !isEnding {
      isEnding = true
      descriptors.remove(socket.raw)
      child.kill()
      do throws(SystemError) { try descriptors.add(child.descriptor) } catch { return end(Self.vanished) }
    }
    guard let ending = child.reap() else { return }
    descriptors.remove(child.descriptor)
    failure = FetchFailure(sentence: Self.sentence(for: ending), remedy: .retrying)
  }

  private static let vanished = "The stream's process ended unexpectedly."

  private static func sentence(for ending: ChildProcess.Ending) -> String {
    switch ending.cause {
    case .exited(let status): "The stream's process ended without a word (exit status \(status))."
    // Also where it was alive, and had only closed its sockets.
    case .killed(SIGKILL): vanished
    case .killed(SIGSYS): "The stream's process tried what its sandbox forbids, and was stopped."
    case .killed(let signal): "The stream's process crashed (\(ChildProcess.Ending.name(ofSignal: signal)))."
    }
  }

  /// Ends the process at once. No news follow.
  package func terminate() { end("The stream was ended.") }

  private func note(_ message: FetcherMessage) {
    switch message {
    case .opened(let stream): self.stream = stream
    case .interrupted(let reason): interruption = reason
    case .resumed: interruption = nil
    case .failed(let reason):
      // It stays until the worker has read what is there.
      failure = reason
      descriptors.remove(socket.raw)
    case .rejoined(_, let milliseconds): missing = min(milliseconds, Self.maxMissing) * 1_000_000
    case .title: break
    }
  }

  /// A year in milliseconds: who says more says nothing.
  private static let maxMissing: UInt64 = 31_536_000_000

  /// The bytes of a station that its window holds at present, and since when it lags behind itself; nil where it is none, or says what
  /// cannot be. Costs no wake-up of anybody.
  package var holding: SpoolHolding? {
    let header = SpoolHeader(base: words.base)
    guard header.kind.contains(.live), stream != nil else { return nil }
    let (end, start) = (header.end, header.start)
    guard start >= 0, end >= start, end <= SpoolLayout.maxLength, end - start <= Int64(window) else {
      return nil
    }
    let lag = header.lag
    if let lag, !(0...end).contains(lag.end) { return nil }
    return SpoolHolding(bytes: start..<end, lag: lag)
  }

  /// How many bytes of the stream have come, those that were kept and let go of included; nil before any, or where it says what cannot be.
  package var received: Int64? {
    let end = SpoolHeader(base: words.base).end
    return stream != nil && (1...SpoolLayout.maxLength).contains(end) ? end : nil
  }

  private func end(_ reason: String) {
    child.kill()
    if failure == nil { descriptors.remove(socket.raw) }
    failure = failure ?? FetchFailure(sentence: reason, remedy: .retrying)
  }
}

/// What a spool holds of a station.
package struct SpoolHolding {
  /// Offsets of its bytes.
  package let bytes: Range<Int64>
  /// Since when it lags behind itself, in nanoseconds of the monotonic clock, and one past its newest byte at that time; nil while what
  /// comes is the present.
  package let lag: (since: UInt64, end: Int64)?
}
