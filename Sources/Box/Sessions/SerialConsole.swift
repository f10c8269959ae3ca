// The serial console: one session on a tty that may vanish and return. Control thread; never waits.

import Console
import Platform

/// Keeps a session on a tty for as long as the tty is there, and looks for it while it is not.
final class SerialConsole {
  static let firstWait: UInt64 = 500_000_000
  static let longestWait: UInt64 = 8_000_000_000

  private(set) var session: Session?
  private let path: String
  private let baud: Int
  private let lock: ConsoleLock
  private let events: EventLoop
  private let target: any CommandTarget
  private let log: Log
  private var wait = SerialConsole.firstWait
  private var timer: EventLoop.Token?
  private var isTold = false

  /// A console on the tty at `path`, once it is started.
  init(path: String, baud: Int, pin: String?, events: EventLoop, target: any CommandTarget, log: Log) {
    self.path = path
    self.baud = baud
    lock = ConsoleLock(pin: pin)
    self.events = events
    self.target = target
    self.log = log
  }

  /// Opens the tty now, or as soon as it is there. Whoever `target` is knows this console by now: the session may
  /// end before this returns, if the far end goes away during the greeting.
  func start() { open() }

  private func open() {
    timer = nil
    do throws(SystemError) {
      let line = try SerialPort.open(path, baud: baud)
      let session = try Session(line, mode: .dumb, lock: lock, events: events, target: target)
      self.session = session
      wait = Self.firstWait
      log.write(.info, "The serial console is open on \(path).")
      isTold = false
      session.greet("Swiftlet. 'help' lists the commands.")
    } catch {
      if !isTold { log.write(.warning, "No serial console: \(error.description). Looking for it.") }
      isTold = true
      openLater()
    }
  }

  /// Its session has ended: the tty has gone, or somebody typed `exit`.
  func didEnd() {
    guard session != nil else { return }
    session = nil
    openLater()
  }

  private func openLater() {
    guard timer == nil else { return }
    timer = events.after(wait) { [self] in open() }
    wait = min(wait * 2, Self.longestWait)
  }

  /// Ends it for good.
  func end() {
    if let timer { events.remove(timer) }
    timer = nil
    let last = session
    session = nil
    last?.end()
  }
}
