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
  private let socket: MessageSocket
  private var child: ChildProcess
  private let descriptors: DescriptorSet
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
    // Bounded: the descriptor stays readable if there are more.
    for _ in 0..<64 where failure == nil {
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
      case .closed: end("The stream's process ended unexpectedly.")
      }
    }
    return news
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
    case .title: break
    }
  }

  private func end(_ reason: String) {
    child.kill()
    if failure == nil { descriptors.remove(socket.raw) }
    failure = failure ?? FetchFailure(sentence: reason, remedy: .retrying)
  }
}
