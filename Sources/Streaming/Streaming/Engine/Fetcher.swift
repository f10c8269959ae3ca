// The engine's handle on one fetcher process. Control thread only; no call blocks on the fetcher.

import CLinux
import Platform

/// A fetcher process that streams one URL into a spool. Deinitialising it kills the process.
///
/// Add `descriptor` to the event loop, and call `takeNews` when it is readable.
package final class Fetcher {
  /// The spool's file, for the worker.
  package let spool: FileDescriptor
  /// The worker's end of its socket to the fetcher. Kept open here for replacements of the worker.
  package let workerSocket: MessageSocket
  /// Size of the window in bytes.
  package let window: Int
  /// Why the stream has ended; nil while it runs.
  package private(set) var failure: FetchFailure?
  /// The source's description of the stream; nil until it has responded.
  package private(set) var stream: StreamDescription?
  /// Why the stream is being reconnected; nil while it is connected.
  package private(set) var interruption: String?
  /// Why the first attempt of an interruption to reconnect has failed, until `takeOutage` returns it.
  private var outage: String?
  /// Whether the present interruption was reported as an outage.
  private var isOutageKnown = false
  /// Duration of the audio that is missing at discontinuities since the last `takeMissing`, in nanoseconds.
  private var missing: UInt64 = 0
  /// The spool's header; untrusted.
  private let words: SharedMemory
  private let socket: MessageSocket
  private var child: ChildProcess
  private let descriptors: DescriptorSet
  /// Whether the process is exiting and its exit status is pending.
  private var isEnding = false
  private var buffer = [UInt8](repeating: 0, count: MessageSocket.limit)

  /// Starts a fetcher.
  ///
  /// - Parameters:
  ///   - request: What to fetch.
  ///   - executable: The program with the hidden subcommand `fetch`.
  /// - Throws: `SystemError` if the process or the spool cannot be created.
  package init(_ request: StreamRequest, executable: String) throws(SystemError) {
    window = request.boundedWindow
    spool = try SharedMemory.createFile(
      name: "swiftlet-spool", size: SpoolLayout(capacity: window).totalBytes)
    words = try SharedMemory(mapping: spool, size: SpoolLayout.headerBytes)
    let pair = try MessageSocket.Pair()
    let toWorker = try MessageSocket.Pair()
    let null = try FileDescriptor.open("/dev/null", O_RDWR)
    // One malloc arena for both threads, the second of which resolves names.
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
    // The queue is empty, so the message fits.
    socket.send(FetchOrder(request).bytes)
  }

  /// Readable when `takeNews` has work. Constant; never close it.
  package var descriptor: Int32 { descriptors.raw }

  /// Process ID of the fetcher, for tests.
  package var identifier: Int32 { child.pid }

  /// Returns the fetcher's messages since the last call, oldest first. Never blocks.
  package func takeNews() -> [FetcherMessage] {
    var news: [FetcherMessage] = []
    if isEnding { expectEnd() }
    // Bounded; the descriptor stays readable if more messages are queued.
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

  /// Dequeues the reason of an interruption that a first attempt to reconnect has not ended; nil if there is none.
  package func takeOutage() -> String? {
    defer { outage = nil }
    return outage
  }

  /// Dequeues the duration of the audio that is missing at discontinuities, in nanoseconds. A fetcher that is ahead of
  /// the decoder reports several before the first one is heard.
  package func takeMissing() -> UInt64 {
    defer { missing = 0 }
    return missing
  }

  /// Reconnects now instead of waiting for the backoff, and resets the backoff.
  package func retryNow() {
    guard failure == nil, !isEnding, interruption != nil else { return }
    socket.send(FetchOrder.retryNow)
  }

  /// Kills the process unless it has exited. `failure` is set once its exit status is available, for which
  /// `descriptor` becomes readable.
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
    // Also the case if the process was alive and had only closed its sockets.
    case .killed(SIGKILL): vanished
    case .killed(SIGSYS): "The stream's process tried what its sandbox forbids, and was stopped."
    case .killed(let signal): "The stream's process crashed (\(ChildProcess.Ending.name(ofSignal: signal)))."
    }
  }

  /// Kills the process. No messages follow.
  package func terminate() { end("The stream was ended.") }

  private func note(_ message: FetcherMessage) {
    switch message {
    case .opened(let stream): self.stream = stream
    case .interrupted(let reason):
      // The second report of an interruption is its first failed attempt to reconnect.
      if interruption != nil, !isOutageKnown { (outage, isOutageKnown) = (reason, true) }
      interruption = reason
    case .resumed:
      interruption = nil
      isOutageKnown = false
    case .failed(let reason):
      // The process stays until the worker has read the rest of the spool.
      failure = reason
      descriptors.remove(socket.raw)
    case .rejoined(_, let milliseconds):
      let sum = missing + min(milliseconds, Self.maxMissing) * 1_000_000
      missing = min(sum, Self.maxMissing * 1_000_000)
    case .title: break
    }
  }

  /// Maximum in milliseconds: one year. Larger values are invalid.
  private static let maxMissing: UInt64 = 31_536_000_000

  /// The buffered range of a station and its lag; nil for other streams and for invalid values. Reads shared
  /// memory only and causes no wake-up.
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

  /// Number of bytes received of the stream, including evicted ones; nil before the first, and for an invalid
  /// value.
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

/// The buffered window of a station.
package struct SpoolHolding {
  /// The range of buffered offsets.
  package let bytes: Range<Int64>
  /// When the station began to lag behind live, in nanoseconds of the monotonic clock, and the offset after
  /// its newest byte then; nil while it is live.
  package let lag: (since: UInt64, end: Int64)?
}
