// The storage process: reads and writes the daemon's state files on request, one at a time, and exits when
// the engine does. Blocks on storage for as long as the storage takes.

import CLinux
import Platform

/// The hidden subcommand `store`. Receives requests on descriptor 0 and sends replies on descriptor 1.
package enum StoreMain {
  /// Milliseconds to wait for a file locked by another process: the storage process of a killed engine may
  /// still be writing its last request.
  private static let timeoutMilliseconds = 2000
  private static let pauseMilliseconds = 5

  /// Serves requests until the engine exits.
  ///
  /// - Parameter words: The arguments; the first is the engine's process id.
  /// - Returns: The exit status.
  package static func run(_ words: [String]) -> Int32 {
    guard let parent = words.first.flatMap({ Int32($0) }), parent == getppid() else {
      TextOutput.standardError.line("swiftlet store: started by the engine, not by hand")
      return 64
    }
    // Signals that stop all processes of the daemon also stop the engine, which may have state left to save.
    for signal in [SIGTERM, SIGINT, SIGHUP] { clinux_ignore_signal(signal) }
    let server = StoreServer()
    let requests = FileDescriptor(owning: 0)
    let replies = FileDescriptor(owning: 1)
    do throws(SystemError) {
      while let bytes = try serve(server, requests, replies) {
        // Return the memory of large answers, such as the state read at startup.
        if bytes > maxKept { Heap.giveBack() }
      }
    } catch {
      return 1
    }
    return 0
  }

  /// Answers up to this many bytes leave their memory for the next one.
  private static let maxKept = 4096

  /// Serves one request.
  ///
  /// - Returns: The number of bytes of the answer; nil at end of file or after an invalid request.
  private static func serve(
    _ server: StoreServer, _ requests: borrowing FileDescriptor, _ replies: borrowing FileDescriptor
  ) throws(SystemError) -> Int? {
    guard let bytes = try StoreFrame.receive(from: requests), let request = StoreRequest(bytes) else {
      return nil
    }
    let answer = server.reply(to: request).bytes
    try StoreFrame.send(answer, to: replies)
    return answer.count
  }

  /// Opens a checkpoint file, retrying while another process holds its lock, up to the timeout.
  fileprivate static func open(_ path: String) throws(SystemError) -> FileStorage? {
    var left = timeoutMilliseconds / pauseMilliseconds
    while true {
      do throws(SystemError) {
        return try FileStorage.open(path)
      } catch {
        guard error.code == EBUSY, left > 0 else { throw error }
      }
      left -= 1
      usleep(UInt32(pauseMilliseconds) * 1000)
    }
  }
}

/// Executes requests and holds the open checkpoint file.
private final class StoreServer {
  private var file: FileStorage?

  func reply(to request: StoreRequest) -> StoreReply {
    do throws(SystemError) { return try perform(request) } catch { return .failed(error) }
  }

  private func perform(_ request: StoreRequest) throws(SystemError) -> StoreReply {
    switch request {
    case .open(let path):
      file = nil
      file = try StoreMain.open(path)
      return file.map { .done(size: $0.size, []) } ?? .nothing
    case .create(let path, let size, let head):
      let created = try FileStorage.create(path, size: size, head: head)
      file = created
      return .done(size: created.size, [])
    case .setAside(let path): try LinuxCheckpointFiles().setAside(path)
    case .read(let offset, let count):
      return .done(size: 0, try opened().read(at: offset, count: min(count, CheckpointLayout.maxArea)))
    case .keep(let bytes, let offset): try opened().keep(bytes, at: offset)
    case .load(let path, let limit, let followsLinks):
      let bytes =
        followsLinks ? try TextFile.bytes(path, limit: limit) : try StateFile(path).contents(limit: limit)
      return .done(size: 0, bytes)
    case .replace(let path, let bytes, let isPrivate):
      try StateFile(path).replace(with: bytes, isPrivate: isPrivate)
    }
    return .done(size: 0, [])
  }

  private func opened() throws(SystemError) -> FileStorage {
    guard let file else { throw SystemError("open", code: ESTALE) }
    return file
  }
}
