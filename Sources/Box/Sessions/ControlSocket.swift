// The control socket: accepts programs and people, each with a session of its own. Control thread; never waits.

import Console
import Platform

/// The listening side of the control socket.
final class ControlSocket {
  /// Sessions at once.
  static let sessionLimit = 16

  private let listener: LocalListener
  private let events: EventLoop
  private let token: EventLoop.Token

  /// Listens; `accept` gets each connection and answers whether it took it.
  init(
    path: String, group: String?, events: EventLoop, accept: @escaping (consuming FileDescriptor) -> Void
  ) throws(SystemError) {
    let listener = try LocalListener(path: path, group: group)
    self.listener = listener
    self.events = events
    token = try events.add(readable: listener.descriptor) {
      if let connection = listener.accept() { accept(connection) }
    }
  }

  /// Listens no more.
  func end() { events.remove(token) }
}
