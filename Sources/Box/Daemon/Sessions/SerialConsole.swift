// Serial console: one session on a tty that may disappear and return, such as a USB adapter. Control thread; never
// blocks.

import Console
import Platform

/// Opens a session on a tty, and reopens it with a backoff while the tty is missing.
final class SerialConsole {
  private(set) var session: Session?
  private let path: String
  private let baud: Int
  private let lock: ConsoleLock
  private let machine: any Machine
  private unowned(unsafe) let turns: RoundRobin
  private unowned(unsafe) let target: any CommandTarget
  private unowned(unsafe) let owner: any SessionOwner
  private let log: Log
  private let timer: DeadlineTimer
  private var backOff = BackOff(first: 500_000_000, longest: 8_000_000_000)
  private var isTold = false

  /// Creates a console; `start` opens it. `turns`, `target` and `owner` must outlive it.
  init(
    path: String, baud: Int, pin: String?, on machine: any Machine, turns: RoundRobin,
    target: any CommandTarget, owner: any SessionOwner, log: Log
  ) {
    self.path = path
    self.baud = baud
    lock = ConsoleLock(pin: pin)
    self.machine = machine
    self.turns = turns
    self.target = target
    self.owner = owner
    self.log = log
    timer = DeadlineTimer(machine.scheduler)
  }

  /// Opens the tty now, or as soon as it exists. `owner` must already hold this object, since the session may end
  /// during the greeting if the tty disappears.
  func start() { open() }

  private func open() {
    do throws(SystemError) {
      let line = try machine.openSerialLine(path, baud: baud)
      let session = try Session(
        line, mode: .dumb, lock: lock, scheduler: machine.scheduler, turns: turns, target: target,
        owner: owner)
      self.session = session
      backOff.reset()
      log.write(.info, "The serial console is open on \(path).")
      isTold = false
      session.greet("Swiftlet. 'help' lists the commands.")
    } catch {
      if !isTold { log.write(.warning, "No serial console: \(error.description). Looking for it.") }
      isTold = true
      openLater()
    }
  }

  /// Changes the PIN; nil removes it.
  func setPIN(_ pin: String?) {
    lock.gate.change(to: pin)
    session?.didLock()
  }

  /// Reopens the tty after its session has ended, because the tty disappeared or the user entered `exit`.
  func didEnd() {
    guard session != nil else { return }
    session = nil
    openLater()
  }

  private func openLater() {
    guard !timer.isRunning else { return }
    timer.start(after: backOff.next(at: machine.scheduler.now)) { [unowned(unsafe) self] in open() }
  }

  /// Ends the session and stops reopening.
  func end() {
    timer.stop()
    let last = session
    session = nil
    last?.end()
  }
}
