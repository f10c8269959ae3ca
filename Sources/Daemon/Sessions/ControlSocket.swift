// The control socket: accepts programs and people, each with a session of its own. Control thread; never waits.

import Platform

/// The listening side of the control socket, until it goes.
final class ControlSocket {
  /// Sessions at once.
  static let sessionLimit = 16

  /// Gets each connection.
  var onConnection: (any ByteChannel) -> Void = { _ in }
  /// Told of a connection that could not be had, for the log.
  var onNote: (String) -> Void = { _ in }
  private var watch: DescriptorWatch?
  /// Where it listens.
  let path: String
  private let listener: any ChannelListener

  /// Waits for connections to a listener at a path.
  init(_ listener: any ChannelListener, at path: String, scheduler: any Scheduler) throws(SystemError) {
    self.listener = listener
    self.path = path
    watch = try DescriptorWatch(scheduler, readable: listener.descriptor) { [unowned(unsafe) self] in
      do throws(SystemError) {
        if let connection = try listener.accept() { onConnection(connection) }
      } catch {
        onNote("A connection was refused: \(error.description)")
      }
    }
  }
}
