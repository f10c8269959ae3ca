// The engine's side of the process that has the box's own storage. A thread that waits for storage itself would keep the engine from
// ending where the storage never answers; one that waits for a process does not. One background thread at a time.

import CLinux
import Platform

/// Starts the process when it is needed, and asks it.
package final class StoreProcess: @unchecked Sendable {
  /// What the process is called, whichever program it is: the program's name and the hidden subcommand.
  private static let command = ["swiftlet", "store"]

  private final class Connection {
    let child: ChildProcess
    let requests: FileDescriptor
    let replies: FileDescriptor

    init(
      _ child: consuming ChildProcess, _ requests: consuming FileDescriptor,
      _ replies: consuming FileDescriptor
    ) {
      self.child = child
      self.requests = requests
      self.replies = replies
    }
  }

  private let program: String
  private var connection: Connection?
  /// How many files were opened so far: only the last one is still open.
  fileprivate var opened: UInt64 = 0

  /// A process of this program, or another one that knows the subcommand; it is not started yet. SIGPIPE must be ignored.
  package init(program: String = Executable.own) { self.program = program }

  /// Reads a file's first `limit` bytes. Errors name the path.
  ///
  /// - Parameter followsLinks: Whether the path may lead through links, and to what is no ordinary file.
  package func read(_ path: String, limit: Int, followsLinks: Bool = false) throws(SystemError) -> [UInt8] {
    try ask(.load(path, limit: limit, followsLinks: followsLinks)).bytes
  }

  /// Replaces a file so that a loss of power leaves the old or the new one.
  package func replace(_ path: String, with bytes: [UInt8], isPrivate: Bool) throws(SystemError) {
    try ask(.replace(path, bytes, isPrivate: isPrivate))
  }

  /// Goes on with the process of `other`, where this one has none yet. Neither is being asked; `other` starts another one when it
  /// is.
  package func takeOver(_ other: StoreProcess) {
    guard connection == nil, other.connection != nil else { return }
    connection = other.connection
    other.connection = nil
  }

  /// Ends the process, which does nothing just now, until there is another question.
  package func end() { connection = nil }

  /// Asks, and waits for the answer: ESTALE if the process is gone, and with it the file that was open. The next question starts
  /// another one.
  @discardableResult
  fileprivate func ask(_ request: StoreRequest) throws(SystemError) -> (size: Int?, bytes: [UInt8]) {
    let connection = try connected()
    var reply: StoreReply?
    do throws(SystemError) {
      try StoreFrame.send(request.bytes, to: connection.requests)
      reply = try StoreFrame.receive(from: connection.replies).flatMap { StoreReply($0) }
    } catch {
      // It has gone before it took the question.
    }
    switch reply {
    case .done(let size, let bytes): return (size, bytes)
    case .nothing: return (nil, [])
    case .failed(let error): throw error
    case nil:
      self.connection = nil
      opened += 1
      throw SystemError("the process for storage", code: ESTALE)
    }
  }

  private func connected() throws(SystemError) -> Connection {
    if let connection { return connection }
    let requests = try Pipe()
    let replies = try Pipe()
    let child = try ChildProcess.spawn(
      program, arguments: Self.command + ["\(getpid())"], environment: Environment.all,
      descriptors: [requests.output.raw, replies.input.raw, 2])
    let connection = Connection(child, requests.takeInput(), replies.takeOutput())
    self.connection = connection
    return connection
  }
}

/// Checkpoint files that another process has.
package final class ProcessCheckpointFiles: CheckpointFiles {
  private let process: StoreProcess

  /// Files that a process has.
  package init(_ process: StoreProcess) { self.process = process }

  package func open(_ path: String) throws(SystemError) -> (any CheckpointStorage)? {
    process.opened += 1
    return try process.ask(.open(path)).size.map { ProcessStorage(process, path, size: $0) }
  }

  package func create(_ path: String, size: Int, head: [UInt8]) throws(SystemError) -> any CheckpointStorage {
    let found = try process.ask(.create(path, size: size, head: head)).size ?? size
    process.opened += 1
    return ProcessStorage(process, path, size: found)
  }

  package func setAside(_ path: String) throws(SystemError) { try process.ask(.setAside(path)) }
}

/// The checkpoint file that the process has opened last.
private final class ProcessStorage: CheckpointStorage {
  let size: Int
  private let process: StoreProcess
  private let path: String
  private let number: UInt64

  init(_ process: StoreProcess, _ path: String, size: Int) {
    self.process = process
    self.path = path
    self.size = size
    number = process.opened
  }

  func read(at offset: Int, count: Int) throws(SystemError) -> [UInt8] {
    guard offset >= 0, count > 0 else { return [] }
    return try ask(.read(offset: offset, count: count))
  }

  func keep(_ bytes: [UInt8], at offset: Int) throws(SystemError) {
    guard offset >= 0 else { throw SystemError("pwrite", on: path, code: EINVAL) }
    _ = try ask(.keep(bytes, offset: offset))
  }

  private func ask(_ request: StoreRequest) throws(SystemError) -> [UInt8] {
    guard process.opened == number else { throw SystemError("open", on: path, code: ESTALE) }
    return try process.ask(request).bytes
  }
}
