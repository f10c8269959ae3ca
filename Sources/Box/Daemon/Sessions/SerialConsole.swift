// The serial console: one session on a tty that may vanish and return. Control thread; never waits.

import Console
import Platform

/// Keeps a session on a tty for as long as the tty is there, and looks for it while it is not.
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

  /// A console on the tty at `path`, once it is started. `turns`, `target` and `owner` outlive it.
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

  /// Opens the tty now, or as soon as it is there. Whoever `owner` is knows this console by now: the session may
  /// end before this returns, if the far end goes away during the greeting.
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

  /// Takes another PIN, or none, from now on.
  func setPIN(_ pin: String?) {
    lock.gate.change(to: pin)
    session?.didLock()
  }

  /// Its session has ended: the tty has gone, or somebody typed `exit`.
  func didEnd() {
    guard session != nil else { return }
    session = nil
    openLater()
  }

  private func openLater() {
    guard !timer.isRunning else { return }
    timer.start(after: backOff.next(at: machine.scheduler.now)) { [unowned(unsafe) self] in open() }
  }

  /// Ends it for good.
  func end() {
    timer.stop()
    let last = session
    session = nil
    last?.end()
  }
}
