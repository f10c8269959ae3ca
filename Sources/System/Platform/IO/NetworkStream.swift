// A TCP connection to a server, for sending. One thread at a time; only `connect` blocks.

import CLinux

/// A TCP connection, closed on release.
@usableFromInline package struct NetworkStream: ~Copyable, Sendable {
  private let socket: FileDescriptor

  /// Connects; blocks the calling thread.
  ///
  /// - Parameters:
  ///   - address: The server.
  ///   - milliseconds: The timeout.
  ///   - unsent: The size of the send buffer, in bytes.
  /// - Throws: An error that names the address.
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

  /// Takes ownership of a descriptor that `release` returned.
  package init(owning raw: Int32) { socket = FileDescriptor(owning: raw) }

  /// Transfers the descriptor and the duty to close it to the caller.
  package consuming func release() -> Int32 { socket.release() }

  /// Bytes that the server has not acknowledged; nil if the connection is closed.
  package var unacknowledged: Int? {
    var byte: UInt8 = 0
    let received = recv(socket.raw, &byte, 1, CLINUX_MSG_DONTWAIT)
    // Received data is ignored; only the end of the connection matters.
    guard received > 0 || (received < 0 && clinux_errno() == EAGAIN) else { return nil }
    let count = clinux_unacknowledged(socket.raw)
    return count >= 0 ? Int(count) : nil
  }

  /// Sends up to `count` bytes without blocking.
  ///
  /// - Returns: The number of bytes sent; nil if the connection is closed.
  package func send(_ bytes: UnsafeRawPointer, count: Int) -> Int? {
    let sent = CLinux.send(socket.raw, bytes, count, CLINUX_MSG_DONTWAIT | CLINUX_MSG_NOSIGNAL)
    if sent >= 0 { return sent }
    let code = clinux_errno()
    return code == EAGAIN || code == EINTR ? 0 : nil
  }
}
