// One end of a socket pair that keeps message borders (SOCK_SEQPACKET). Any one thread at a time.

import CLinux

/// A socket that carries whole messages of at most `limit` bytes.
@frozen
@usableFromInline package struct MessageSocket: ~Copyable, Sendable {
  /// The longest message; longer ones are refused on receipt.
  package static let limit = 6144

  private let file: FileDescriptor

  /// Takes over a descriptor of a SOCK_SEQPACKET socket.
  package init(_ file: consuming FileDescriptor) { self.file = file }

  /// The kernel's number, for poll and epoll. Never close it.
  package var raw: Int32 { file.raw }

  /// What `receive` found.
  package enum Received: Hashable, Sendable {
    /// A message of that many bytes (at least one) is in the buffer.
    case message(Int)
    /// Nothing has come; a later call may find something.
    case nothing
    /// A message that did not fit. It is lost.
    case tooLong
    /// The peer is gone, or it sent an empty message, which no side does.
    case closed
  }

  /// Both ends of a new pair, close-on-exec.
  @frozen
  package struct Pair: ~Copyable {
    /// The end that the caller keeps.
    package var mine: MessageSocket
    /// The end to hand to a child.
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

  /// Sends one message: false if the peer's queue is full (with `waiting` false) or the peer is gone.
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

  /// Takes one message without waiting. Descriptors that a peer attaches are dropped by the kernel.
  package func receive(into buffer: inout [UInt8]) -> Received {
    buffer.withUnsafeMutableBytes { bytes in
      while true {
        let flags = CLINUX_MSG_DONTWAIT | CLINUX_MSG_TRUNC
        let n = recv(file.raw, bytes.baseAddress, bytes.count, flags)
        if n > bytes.count { return .tooLong }
        if n > 0 { return .message(n) }
        if n == 0 { return .closed }
        switch clinux_errno() {
        // A peer that went without reading all is told of before what it had sent, and once only.
        case EINTR, ECONNRESET: continue
        case EAGAIN: return .nothing
        default: return .closed
        }
      }
    }
  }

  /// Waits until a message or the peer's end can be received, or the time is over (-1: for ever).
  /// False when the time was over.
  package func wait(milliseconds: Int32) -> Bool {
    var entry = pollfd(fd: file.raw, events: Int16(POLLIN), revents: 0)
    return poll(&entry, 1, milliseconds) != 0
  }
}
