// Accepts whoever connects, and looks away for a second where that fails. One thread; never waits.

/// A listener that is watched, until this goes.
package final class ListenerWatch {
  /// Who could not come in is still at the door, and would be tried without end.
  private static let pauseNanoseconds: UInt64 = 1_000_000_000

  /// Gets each connection.
  package var onConnection: (any ByteChannel) -> Void = { _ in }
  /// Told why one could not be had.
  package var onFailure: (SystemError) -> Void = { _ in }
  private let listener: any ChannelListener
  private let scheduler: any Scheduler
  private let pause: DeadlineTimer
  private var watch: DescriptorWatch?

  /// Waits for connections.
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
