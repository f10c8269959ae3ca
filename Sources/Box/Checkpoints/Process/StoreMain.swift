// The process that has the box's own storage: it does what the engine asks, one thing after the other, and ends when the engine has
// gone. Waits as long as the storage likes.

import CLinux
import Platform

/// The hidden subcommand `store`: requests come by descriptor 0, replies go to descriptor 1.
package enum StoreMain {
  /// Milliseconds for which a file is waited for that another process has: the one before may still be writing what its engine,
  /// which was killed, has asked for last.
  private static let timeoutMilliseconds = 2000
  private static let pauseMilliseconds = 5

  /// Serves the engine whose number is the first word. The result is the exit status.
  package static func run(_ words: [String]) -> Int32 {
    guard let parent = words.first.flatMap({ Int32($0) }), parent == getppid() else {
      TextOutput.standardError.line("swiftlet store: started by the engine, not by hand")
      return 64
    }
    // Whoever ends all processes of the box ends the engine, which may have something to remember yet.
    for signal in [SIGTERM, SIGINT, SIGHUP] { clinux_ignore_signal(signal) }
    let server = StoreServer()
    let requests = FileDescriptor(owning: 0)
    let replies = FileDescriptor(owning: 1)
    do throws(SystemError) {
      while let bytes = try serve(server, requests, replies) {
        // What a box remembers is read as it starts; that would be kept for as long as it runs.
        if bytes > maxKept { Heap.giveBack() }
      }
    } catch {
      return 1
    }
    return 0
  }

  /// Bytes of an answer that leaves no more memory behind than the next one needs.
  private static let maxKept = 4096

  /// Answers one request. How many bytes long the answer is; nil where none comes any more.
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

  /// Opens a file as soon as no other process has it, or when that takes too long.
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

/// Has the file that is open.
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
