// The engine's client of the storage process. Storage that hangs blocks a thread uninterruptibly and so would
// keep the engine from exiting; waiting for a process does not. One background thread at a time.

import CLinux
import Platform

/// Starts the storage process on demand, and sends it requests.
package final class StoreProcess: @unchecked Sendable {
  /// The process's arguments: the program's name and the hidden subcommand.
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
  /// The number of files opened so far. Only the last one is still open in the process.
  fileprivate var opened: UInt64 = 0

  /// Creates a client without starting the process. SIGPIPE must be ignored.
  ///
  /// - Parameter program: This program, or another that implements the subcommand.
  package init(program: String = Executable.own) { self.program = program }

  /// Reads a file's first `limit` bytes.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - limit: The most bytes to read.
  ///   - followsLinks: Whether symbolic links are followed and special files are read.
  /// - Throws: Errors that name the path.
  package func read(_ path: String, limit: Int, followsLinks: Bool = false) throws(SystemError) -> [UInt8] {
    try ask(.load(path, limit: limit, followsLinks: followsLinks)).bytes
  }

  /// Replaces a file atomically: after a power loss it is either the old or the new one.
  package func replace(_ path: String, with bytes: [UInt8], isPrivate: Bool) throws(SystemError) {
    try ask(.replace(path, bytes, isPrivate: isPrivate))
  }

  /// Moves the process of `other` to this client, if this one has none. Neither may have a request in
  /// progress. `other` starts a new process on its next request.
  package func takeOver(_ other: StoreProcess) {
    guard connection == nil, other.connection != nil else { return }
    connection = other.connection
    other.connection = nil
  }

  /// Ends the idle process; the next request starts a new one.
  package func end() { connection = nil }

  /// Sends a request and waits for the reply.
  ///
  /// - Throws: The process's error; ESTALE if the process has exited, in which case its open file is lost and
  ///   the next request starts a new process.
  @discardableResult
  fileprivate func ask(_ request: StoreRequest) throws(SystemError) -> (size: Int?, bytes: [UInt8]) {
    let connection = try connected()
    var reply: StoreReply?
    do throws(SystemError) {
      try StoreFrame.send(request.bytes, to: connection.requests)
      reply = try StoreFrame.receive(from: connection.replies).flatMap { StoreReply($0) }
    } catch {
      // The process has exited before it read the request.
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

/// Checkpoint files accessed through the storage process.
package final class ProcessCheckpointFiles: CheckpointFiles {
  private let process: StoreProcess

  /// Creates access through a process.
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

/// A checkpoint file that is open in the storage process; valid until another one is opened.
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
