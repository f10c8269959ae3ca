// One end of a socket pair that preserves message boundaries (SOCK_SEQPACKET). One thread at a time.

import CLinux

/// A socket for messages of at most `limit` bytes.
@frozen
@usableFromInline package struct MessageSocket: ~Copyable, Sendable {
  /// The longest message; longer ones are rejected on receipt.
  package static let limit = 6144

  private let file: FileDescriptor

  /// Takes ownership of a SOCK_SEQPACKET socket.
  package init(_ file: consuming FileDescriptor) { self.file = file }

  /// The descriptor's number, for poll and epoll. Do not close it.
  package var raw: Int32 { file.raw }

  /// The result of `receive`.
  package enum Received: Hashable, Sendable {
    /// A message with this number of bytes, at least one, is in the buffer.
    case message(Int)
    /// There is no message now.
    case nothing
    /// A message was longer than the buffer and is lost.
    case tooLong
    /// The peer has closed the socket, or sent an empty message, which the protocol does not use.
    case closed
  }

  /// A new pair of sockets, close-on-exec.
  @frozen
  package struct Pair: ~Copyable {
    /// The end that the caller keeps.
    package var mine: MessageSocket
    /// The end to pass to a child.
    package var theirs: MessageSocket

    /// Creates the pair.
    package init() throws(SystemError) {
      var ends: (Int32, Int32) = (-1, -1)
      let result = withUnsafeMutableBytes(of: &ends) {
        clinux_seqpacket_pair($0.baseAddress!.assumingMemoryBound(to: Int32.self))
      }
      guard result == 0 else { throw SystemError("socketpair") }
      mine = MessageSocket(FileDescriptor(owning: ends.0))
      theirs = MessageSocket(FileDescriptor(owning: ends.1))
    }
  }

  /// Sends a message.
  ///
  /// - Parameters:
  ///   - bytes: The message.
  ///   - waiting: Whether to block while the peer's queue is full.
  /// - Returns: False if the queue is full or the peer is gone.
  @discardableResult
  package func send(_ bytes: [UInt8], waiting: Bool = false) -> Bool {
    let flags = CLINUX_MSG_NOSIGNAL | (waiting ? 0 : CLINUX_MSG_DONTWAIT)
    return bytes.withUnsafeBytes { buffer in
      while true {
        if CLinux.send(file.raw, buffer.baseAddress, buffer.count, flags) == buffer.count { return true }
        if clinux_errno() != EINTR { return false }
      }
    }
  }

  /// Receives a message without blocking. Descriptors attached by the peer are dropped by the kernel.
  package func receive(into buffer: inout [UInt8]) -> Received {
    buffer.withUnsafeMutableBytes { bytes in
      while true {
        let flags = CLINUX_MSG_DONTWAIT | CLINUX_MSG_TRUNC
        let n = recv(file.raw, bytes.baseAddress, bytes.count, flags)
        if n > bytes.count { return .tooLong }
        if n > 0 { return .message(n) }
        if n == 0 { return .closed }
        switch clinux_errno() {
        // A peer that closed with unread data causes one ECONNRESET before its last messages can be read.
        case EINTR, ECONNRESET: continue
        case EAGAIN: return .nothing
        default: return .closed
        }
      }
    }
  }

  /// Waits until a message can be received or the peer closes. -1 waits indefinitely.
  ///
  /// - Returns: False after the timeout.
  package func wait(milliseconds: Int32) -> Bool {
    var entry = pollfd(fd: file.raw, events: Int16(POLLIN), revents: 0)
    return poll(&entry, 1, milliseconds) != 0
  }
}
