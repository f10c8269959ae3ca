// Unix sockets with names: a listener for the box's control socket, connections, and datagrams to systemd.
// Control thread only; never waits, except `connect`'s caller if it chooses to.

import CLinux

/// A listening stream socket at a path (unix(7)). The path is removed when this goes.
package final class LocalListener: ChannelListener {
  private let socket: FileDescriptor
  private let path: String

  /// Listens at `path` with mode 0660, owned by `group` where one is named. A socket that a former run left
  /// behind is replaced; one that somebody still answers is an error.
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
    // Nobody may connect between bind and chmod.
    let mask = umask(0o177)
    let result = clinux_bind_unix(fd, path)
    let code = clinux_errno()
    _ = umask(mask)
    guard result == 0 else { throw SystemError("bind", on: path, code: code) }
    if let group {
      let number = clinux_group(group)
      guard number >= 0 else { throw SystemError("group " + group, on: path, code: ENOENT) }
      guard chown(path, uid_t.max, gid_t(number)) == 0 else { throw SystemError("chown", on: path) }
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

/// The client's end of a stream socket.
@usableFromInline package struct LocalConnection: ~Copyable {
  /// The connection; reads and writes wait.
  package let socket: FileDescriptor

  /// Connects to the socket at a path.
  package init(path: String) throws(SystemError) {
    let connected = try connect(to: path, isDatagram: false)
    try connected.setBlocking()
    socket = connected
  }

  /// A connection to the socket at a path, whose reads and writes do not wait.
  package static func withoutWaiting(path: String) throws(SystemError) -> FileDescriptor {
    try connect(to: path, isDatagram: false)
  }
}

/// Sends single datagrams to a named socket, such as systemd's (sd_notify(3)).
@usableFromInline package struct DatagramSender: ~Copyable {
  private let socket: FileDescriptor

  /// Connects to a socket; a leading `@` stands for the abstract namespace.
  package init(path: String) throws(SystemError) {
    socket = try connect(to: path, isDatagram: true)
  }

  /// Sends a text; false if it was not taken.
  @discardableResult
  package func send(_ text: String) -> Bool {
    var text = text
    return text.withUTF8 {
      CLinux.send(socket.raw, $0.baseAddress, $0.count, CLINUX_MSG_DONTWAIT | CLINUX_MSG_NOSIGNAL) == $0.count
    }
  }
}

/// A new socket that is connected to the one at a path; it does not block.
private func connect(to path: String, isDatagram: Bool) throws(SystemError) -> FileDescriptor {
  let fd = clinux_unix_socket(isDatagram ? 1 : 0)
  guard fd >= 0 else { throw SystemError("socket", on: path) }
  let socket = FileDescriptor(owning: fd)
  guard clinux_connect_unix(fd, path) == 0 else { throw SystemError("connect", on: path) }
  return socket
}
