// A session on the daemon's control socket: sends commands and matches answers in order. The integration's single
// thread; never blocks.

import Console
import Platform

/// A session with the daemon. Connects when a command is sent, and reconnects after the daemon has restarted.
package final class BoxConnection {
  /// Maximum number of commands awaiting answers.
  package static let maxWaiting = 4096
  private static let formatLine = Array((Command.format(.lines).line + "\n").utf8)

  /// Whether the session is connected.
  package var isConnected: Bool { channel != nil }
  /// Called when the connection is lost.
  package var onGone: () -> Void = {}

  private let connect: () -> (any ByteChannel)?
  private let scheduler: any Scheduler
  private var channel: (any ByteChannel)?
  private var watch: DescriptorWatch?
  private var room: DescriptorWatch?
  private var reader = BoxAnswerReader()
  private var unsent: [UInt8] = []
  /// Handlers of pending answers, oldest first, starting at index `answered`.
  private var waiting: [((BoxAnswer) -> Void)?] = []
  private var answered = 0

  /// Creates a session without connecting. `connect` returns nil if the daemon is not listening.
  package init(_ scheduler: any Scheduler, connect: @escaping () -> (any ByteChannel)?) {
    self.scheduler = scheduler
    self.connect = connect
  }

  /// Number of pending answers.
  package var waitingCount: Int { waiting.count - answered }

  /// Sends a command's line. `then` receives the answer, or `gone` without a connection; possibly before this returns.
  package func ask(_ line: String, then: @escaping (BoxAnswer) -> Void) {
    guard waitingCount < Self.maxWaiting, open() else { return then(.gone) }
    waiting.append(then)
    send(Array((line + "\n").utf8))
  }

  private func open() -> Bool {
    if channel != nil { return true }
    guard let made = connect() else { return false }
    do throws(SystemError) {
      watch = try DescriptorWatch(scheduler, readable: made.readable) { [unowned(unsafe) self] in read() }
    } catch {
      return false
    }
    channel = made
    reader = BoxAnswerReader()
    waiting.append({ _ in })
    send(Self.formatLine)
    return channel != nil
  }

  private func send(_ bytes: [UInt8]) {
    unsent += bytes
    flush()
  }

  private func flush() {
    while !unsent.isEmpty {
      guard let channel, let taken = channel.write(unsent) else { return close() }
      guard taken > 0 else {
        if room == nil {
          room = try? DescriptorWatch(scheduler, writable: channel.writable) { [unowned(unsafe) self] in
            flush()
          }
        }
        return
      }
      unsent.removeFirst(taken)
    }
    room = nil
  }

  private func read() {
    guard let channel else { return }
    var bytes: [UInt8]?
    do throws(SystemError) { bytes = try channel.read(atMost: 65_536) } catch { return close() }
    guard let bytes else { return }
    guard !bytes.isEmpty else { return close() }
    let answers = reader.take(bytes)
    guard !reader.isTooLong else { return close() }
    for answer in answers {
      guard answered < waiting.count else { return close() }
      let then = waiting[answered]
      waiting[answered] = nil
      answered += 1
      if answered == waiting.count {
        waiting = []
        answered = 0
      }
      then?(answer)
      // The handler may have closed this session.
      guard self.channel != nil else { return }
    }
  }

  /// Closes the connection and fails all pending commands.
  private func close() {
    guard channel != nil else { return }
    watch = nil
    room = nil
    channel = nil
    unsent = []
    let left = waiting[answered...]
    waiting = []
    answered = 0
    for then in left { then?(.gone) }
    onGone()
  }
}
