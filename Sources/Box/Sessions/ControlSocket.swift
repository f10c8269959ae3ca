// The control socket: accepts programs and people, each with a session of its own. Control thread; never waits.

import Platform

/// The listening side of the control socket, until it goes.
final class ControlSocket {
  /// Sessions at once.
  static let sessionLimit = 16

  /// Told of a connection that could not be had, for the log.
  var onNote: (String) -> Void = { _ in }
  private var watch: DescriptorWatch?
  private let listener: any ChannelListener

  /// `accept` gets each connection.
  init(
    _ listener: any ChannelListener, scheduler: any Scheduler, accept: @escaping (any ByteChannel) -> Void
  ) throws(SystemError) {
    self.listener = listener
    watch = try DescriptorWatch(scheduler, readable: listener.descriptor) { [unowned(unsafe) self] in
      do throws(SystemError) {
        if let connection = try listener.accept() { accept(connection) }
      } catch {
        onNote("A connection was refused: \(error.description)")
      }
    }
  }
}
