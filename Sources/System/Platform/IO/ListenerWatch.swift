// Accepts connections on a listener, and pauses for a second after a failure. One thread; never blocks.

/// A watched listener; releasing it stops accepting.
package final class ListenerWatch {
  /// The pause after a failure. The connection stays in the queue, so without a pause accepting it would be
  /// retried in a busy loop.
  private static let pauseNanoseconds: UInt64 = 1_000_000_000

  /// Called with each connection.
  package var onConnection: (any ByteChannel) -> Void = { _ in }
  /// Called with the error when a connection could not be accepted.
  package var onFailure: (SystemError) -> Void = { _ in }
  private let listener: any ChannelListener
  private let scheduler: any Scheduler
  private let pause: DeadlineTimer
  private var watch: DescriptorWatch?

  /// Starts accepting connections.
  package init(_ listener: any ChannelListener, scheduler: any Scheduler) throws(SystemError) {
    self.listener = listener
    self.scheduler = scheduler
    pause = DeadlineTimer(scheduler)
    try look()
  }

  private func look() throws(SystemError) {
    watch = try DescriptorWatch(scheduler, readable: listener.descriptor) { [unowned(unsafe) self] in
      do throws(SystemError) {
        if let connection = try listener.accept() { onConnection(connection) }
      } catch {
        onFailure(error)
        lookAway()
      }
    }
  }

  private func lookAway() {
    watch = nil
    pause.start(after: Self.pauseNanoseconds) { [unowned(unsafe) self] in
      do throws(SystemError) { try look() } catch { lookAway() }
    }
  }
}
