// A connection to a server of the network, to which bytes are sent. One thread at a time; only connecting waits.

import CLinux

/// A TCP connection. Closed when it goes.
@usableFromInline package struct NetworkStream: ~Copyable, Sendable {
  private let socket: FileDescriptor

  /// Connects; the calling thread waits.
  ///
  /// - Parameters:
  ///   - address: The server.
  ///   - milliseconds: For how long to wait at most.
  ///   - unsent: Bytes that wait here for the server at most.
  /// - Throws: Why there is no connection; names the address.
  package static func connect(
    to address: NetworkAddress, milliseconds: Int32, unsent: Int32
  ) throws(SystemError) -> NetworkStream {
    let fd = clinux_connect_network(address.host, address.port, unsent)
    guard fd >= 0 else { throw SystemError("connect", on: address.text) }
    let stream = NetworkStream(owning: fd)
    var entry = pollfd(fd: fd, events: Int16(POLLOUT), revents: 0)
    guard poll(&entry, 1, milliseconds) > 0 else {
      throw SystemError("connect", on: address.text, code: ETIMEDOUT)
    }
    let code = clinux_socket_error(fd)
    guard code == 0 else { throw SystemError("connect", on: address.text, code: code) }
    return stream
  }

  /// Takes over what `release` gave.
  package init(owning raw: Int32) { socket = FileDescriptor(owning: raw) }

  /// Hands the descriptor, and the duty to close it, to the caller.
  package consuming func release() -> Int32 { socket.release() }

  /// Bytes that the server has not acknowledged; nil where the connection is gone.
  package var unacknowledged: Int? {
    var byte: UInt8 = 0
    let received = recv(socket.raw, &byte, 1, CLINUX_MSG_DONTWAIT)
    // Whatever the server says is not wanted; its end is.
    guard received > 0 || (received < 0 && clinux_errno() == EAGAIN) else { return nil }
    let count = clinux_unacknowledged(socket.raw)
    return count >= 0 ? Int(count) : nil
  }

  /// Sends up to `count` bytes; answers how many, or nil where the connection is gone.
  package func send(_ bytes: UnsafeRawPointer, count: Int) -> Int? {
    let sent = CLinux.send(socket.raw, bytes, count, CLINUX_MSG_DONTWAIT | CLINUX_MSG_NOSIGNAL)
    if sent >= 0 { return sent }
    let code = clinux_errno()
    return code == EAGAIN || code == EINTR ? 0 : nil
  }
}
