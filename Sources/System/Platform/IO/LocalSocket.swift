// Unix sockets with paths: a listener for the control socket, client connections, and datagrams to systemd.
// Control thread only; never blocks, except for reads and writes of a `LocalConnection`.

import CLinux

/// A listening stream socket at a path (unix(7)). The path is deleted on release.
package final class LocalListener: ChannelListener {
  /// The `SystemError.call` if the socket cannot be given to its group.
  package static let groupCall = "group"

  private let socket: FileDescriptor
  private let path: String

  /// Listens at a path with mode 0660. A socket left by a previous run is replaced.
  ///
  /// - Parameters:
  ///   - path: The socket's path.
  ///   - group: The group to own the socket; nil: the process's group.
  /// - Throws: EADDRINUSE if another process listens there, EEXIST if the path is no socket; `groupCall` with the
  ///   group's name if the group does not exist or this process may not give files to it.
  package init(path: String, group: String?) throws(SystemError) {
    if let other = try? LocalConnection(path: path) {
      _ = other
      throw SystemError("bind", on: path, code: EADDRINUSE)
    }
    var information = stat()
    if lstat(path, &information) == 0 {
      guard clinux_is_socket(information.st_mode) != 0 else {
        throw SystemError("bind", on: path, code: EEXIST)
      }
      _ = unlink(path)
    }
    let fd = clinux_unix_socket(0)
    guard fd >= 0 else { throw SystemError("socket", on: path) }
    socket = FileDescriptor(owning: fd)
    self.path = path
    // Prevent connections between bind and chmod.
    let mask = umask(0o177)
    let result = clinux_bind_unix(fd, path)
    let code = clinux_errno()
    _ = umask(mask)
    guard result == 0 else { throw SystemError("bind", on: path, code: code) }
    if let group {
      let number = clinux_group(group)
      guard number >= 0 else { throw SystemError(Self.groupCall, on: group, code: ENOENT) }
      guard chown(path, uid_t.max, gid_t(number)) == 0 else {
        throw SystemError(Self.groupCall, on: group)
      }
    }
    guard chmod(path, 0o660) == 0 else { throw SystemError("chmod", on: path) }
    guard listen(fd, 8) == 0 else { throw SystemError("listen", on: path) }
  }

  deinit { _ = unlink(path) }

  package var descriptor: Int32 { socket.raw }

  package func accept() throws(SystemError) -> (any ByteChannel)? {
    guard let connection = try socket.accept() else { return nil }
    return try DescriptorChannel(connection)
  }
}

/// A client connection to a stream socket.
@usableFromInline package struct LocalConnection: ~Copyable {
  /// The connected socket, which is blocking.
  package let socket: FileDescriptor

  /// Connects to the socket at a path.
  package init(path: String) throws(SystemError) {
    let connected = try connect(to: path, isDatagram: false)
    try connected.setBlocking()
    socket = connected
  }

  /// Connects to the socket at a path; the result is non-blocking.
  package static func withoutWaiting(path: String) throws(SystemError) -> FileDescriptor {
    try connect(to: path, isDatagram: false)
  }
}

/// Sends datagrams to a Unix socket, such as systemd's (sd_notify(3)).
@usableFromInline package struct DatagramSender: ~Copyable {
  private let socket: FileDescriptor

  /// Connects to a socket; a leading `@` means the abstract namespace.
  package init(path: String) throws(SystemError) {
    socket = try connect(to: path, isDatagram: true)
  }

  /// Sends a text; false on failure.
  @discardableResult
  package func send(_ text: String) -> Bool {
    var text = text
    return text.withUTF8 {
      CLinux.send(socket.raw, $0.baseAddress, $0.count, CLINUX_MSG_DONTWAIT | CLINUX_MSG_NOSIGNAL) == $0.count
    }
  }
}

/// Creates a non-blocking socket that is connected to the one at a path.
private func connect(to path: String, isDatagram: Bool) throws(SystemError) -> FileDescriptor {
  let fd = clinux_unix_socket(isDatagram ? 1 : 0)
  guard fd >= 0 else { throw SystemError("socket", on: path) }
  let socket = FileDescriptor(owning: fd)
  guard clinux_connect_unix(fd, path) == 0 else { throw SystemError("connect", on: path) }
  return socket
}
