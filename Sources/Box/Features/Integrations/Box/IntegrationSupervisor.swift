// Supervises the process of one integration: starts it, reads its reports, restarts it when it exits or hangs. Control
// thread; never blocks.

import Console
import Integrations
import Platform

/// Keeps one integration running while it is enabled.
final class IntegrationSupervisor {
  /// The supervised integration.
  let kind: IntegrationKind
  private let machine: any Machine
  private let log: Log
  private let restart: RestartTimer
  private let silence: DeadlineTimer
  private var process: (any IntegrationProcess)?
  private var watches: (end: DescriptorWatch?, voice: DescriptorWatch?) = (nil, nil)
  /// Process group of the current process and of its predecessor, whose final commands may arrive after its exit was
  /// noticed.
  private var numbers: [Int32] = []
  private var reader = IntegrationReportReader()
  /// Output of the process in the current rate-limit interval, which began at `since`.
  private var said = (since: UInt64(0), lines: 0, bytes: 0)
  /// Status text: the integration's own report while it runs, or the reason why it does not run.
  private var standing = ""
  private var exitReason: String?
  /// Whether the running process has sent a heartbeat, so that it is fully started.
  private(set) var isUp = false
  /// Called when `isUp` has changed.
  var onUp: () -> Void = {}
  /// Command line and environment of the process; nil: the integration is disabled.
  private(set) var order: IntegrationOrder?

  /// Creates a supervisor without a process.
  init(_ kind: IntegrationKind, on machine: any Machine, log: Log) {
    self.kind = kind
    self.machine = machine
    self.log = log
    restart = RestartTimer(machine.scheduler)
    silence = DeadlineTimer(machine.scheduler)
  }

  private var name: String { kind.title }

  /// Text for `status`; nil if the integration is disabled.
  var statusText: String? {
    guard order != nil else { return nil }
    return standing + (restart.secondsLeft.map { "; trying again in \($0) s" } ?? "")
  }

  /// Applies the wanted configuration; a change restarts the process.
  ///
  /// - Parameter wanted: Command line of the process; nil: stop it.
  func follow(_ wanted: IntegrationOrder?) {
    guard wanted != order else { return }
    restart.reset()
    letGo()
    order = wanted
    start()
  }

  /// Whether this is the process group of the integration.
  func has(group: Int32) -> Bool { numbers.contains(group) }

  private func letGo() {
    silence.stop()
    watches = (nil, nil)
    process = nil
    note(isUp: false)
  }

  private func note(isUp isNowUp: Bool) {
    guard isNowUp != isUp else { return }
    isUp = isNowUp
    onUp()
  }

  private func start() {
    guard let order else { return }
    guard !order.socket.utf8.isEmpty else {
      standing = "\(name) does not run: the box has no control socket (socket.path)"
      return log.write(.error, capital(standing) + ".")
    }
    reader = IntegrationReportReader()
    said = (machine.scheduler.now, 0, 0)
    exitReason = nil
    do throws(SystemError) {
      let started = try machine.startIntegration(order)
      watches.end = try DescriptorWatch(machine.scheduler, readable: started.descriptor) {
        [unowned(unsafe) self] in didEnd()
      }
      watches.voice = try DescriptorWatch(machine.scheduler, readable: started.voice) {
        [unowned(unsafe) self] in listen()
      }
      process = started
      numbers = [started.number] + numbers.prefix(1)
    } catch {
      return tryAgain(error.description)
    }
    standing = order.standing
    restart.noteStart()
    awaitWord()
  }

  // MARK: Reports of the process

  private func awaitWord() {
    silence.start(after: IntegrationReport.maxSilence) { [unowned(unsafe) self] in
      // The daemon itself may have been suspended, so read pending output before declaring a timeout.
      guard !listen() else { return }
      tryAgain("it said nothing for \(IntegrationReport.maxSilence / 1_000_000_000) s")
    }
  }

  /// Reads and handles the process's output.
  ///
  /// - Returns: Whether there was any.
  @discardableResult private func listen() -> Bool {
    guard let process else { return false }
    guard let bytes = process.heard() else {
      watches.voice = nil
      return false
    }
    guard !bytes.isEmpty else { return false }
    let reports = reader.take(bytes)
    guard isBearable(reports.count, bytes.count) else {
      tryAgain("it sent more than the protocol allows")
      return true
    }
    for report in reports { take(report) }
    if reports.contains(.beat) { note(isUp: true) }
    awaitWord()
    return true
  }

  /// Applies the rate limit to the process's output.
  ///
  /// - Returns: False if it exceeds what a healthy integration sends.
  private func isBearable(_ lines: Int, _ bytes: Int) -> Bool {
    let now = machine.scheduler.now
    if now - said.since >= IntegrationReport.interval { said = (now, 0, 0) }
    said.lines += lines
    said.bytes += bytes
    return said.lines <= IntegrationReport.maxLines && said.bytes <= IntegrationReport.maxBytes
  }

  private func take(_ report: IntegrationReport) {
    switch report {
    case .beat: break
    case .standing(let text): stand(text, .info)
    case .trouble(let text): stand(text, .warning)
    case .note(let text): log.write(.warning, capital(name) + ": " + text + ".")
    case .exitReason(let text): exitReason = text
    }
  }

  private func stand(_ text: String, _ level: LogLevel) {
    guard text != standing else { return }
    standing = text
    log.write(level, capital(name) + ": " + text + ".")
  }

  // MARK: Exit and restart

  private func didEnd() {
    guard let process, let reason = process.ending() else { return }
    listen()
    // `listen` may have restarted it already because of excessive output.
    guard self.process != nil else { return }
    tryAgain(exitReason ?? reason)
  }

  private func tryAgain(_ reason: String) {
    letGo()
    standing = name + " does not run: " + reason
    let wait = restart.again { [unowned(unsafe) self] in start() }
    log.write(.error, "\(capital(standing).asSentence) Trying again in \(wait) s.")
  }

  /// The text with its first letter in upper case.
  private func capital(_ text: String) -> String {
    var bytes = Array(text.utf8)
    if let first = bytes.first, first >= 0x61, first <= 0x7A { bytes[0] = first - 0x20 }
    return String(decoding: bytes, as: UTF8.self)
  }
}
