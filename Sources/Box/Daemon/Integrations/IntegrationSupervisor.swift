// One integration's process: started, listened to, and started again when it has ended or says nothing any more. Control thread; never
// waits.

import Console
import Integrations
import Platform

/// Keeps an integration running while somebody wants it.
final class IntegrationSupervisor {
  /// Which integration it is.
  let kind: IntegrationKind
  private let machine: any Machine
  private let log: Log
  private let restart: RestartTimer
  private let silence: DeadlineTimer
  private var process: (any IntegrationProcess)?
  private var watches: (end: DescriptorWatch?, voice: DescriptorWatch?) = (nil, nil)
  /// Its number, and that of the one before, whose last words may only be on their way when its end is known.
  private var numbers: [Int32] = []
  private var reader = IntegrationReportReader()
  /// What it has said since a moment not longer ago than the time between two signs of life.
  private var said = (since: UInt64(0), lines: 0, bytes: 0)
  /// How it stands, while it runs; why it does not run, though it should.
  private var standing = ""
  private var exitReason: String?
  /// Whether it has said since it was started that it is alive: it has all that it needs then.
  private(set) var isUp = false
  /// Told when that has changed.
  var onUp: () -> Void = {}
  /// What it was started with, or would be.
  private(set) var order: IntegrationOrder?

  /// A supervisor that has nothing to do yet.
  init(_ kind: IntegrationKind, on machine: any Machine, log: Log) {
    self.kind = kind
    self.machine = machine
    self.log = log
    restart = RestartTimer(machine.scheduler)
    silence = DeadlineTimer(machine.scheduler)
  }

  private var name: String { kind.title }

  /// What `status` says; nil where none is wanted.
  var statusText: String? {
    guard order != nil else { return nil }
    return standing + (restart.secondsLeft.map { "; trying again in \($0) s" } ?? "")
  }

  /// Has it run as ordered from now on; nil: not at all. Another order starts it anew.
  func follow(_ wanted: IntegrationOrder?) {
    guard wanted != order else { return }
    restart.reset()
    letGo()
    order = wanted
    start()
  }

  /// Whether a group of processes is its own.
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

  // MARK: What it says

  private func awaitWord() {
    silence.start(after: IntegrationReport.maxSilence) { [unowned(unsafe) self] in
      // The box itself may have been stopped meanwhile.
      guard !listen() else { return }
      tryAgain("it said nothing for \(IntegrationReport.maxSilence / 1_000_000_000) s")
    }
  }

  /// Takes what it has said; false: nothing.
  @discardableResult private func listen() -> Bool {
    guard let process else { return false }
    guard let bytes = process.heard() else {
      watches.voice = nil
      return false
    }
    guard !bytes.isEmpty else { return false }
    let reports = reader.take(bytes)
    guard isBearable(reports.count, bytes.count) else {
      tryAgain("it said more than an integration has to say")
      return true
    }
    for report in reports { take(report) }
    if reports.contains(.beat) { note(isUp: true) }
    awaitWord()
    return true
  }

  /// Counts what it has said; false: more than any that is well would say.
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

  // MARK: Its end

  private func didEnd() {
    guard let process, let reason = process.ending() else { return }
    listen()
    // Its last words may have been too many.
    guard self.process != nil else { return }
    tryAgain(exitReason ?? reason)
  }

  private func tryAgain(_ reason: String) {
    letGo()
    standing = name + " does not run: " + reason
    let wait = restart.again { [unowned(unsafe) self] in start() }
    log.write(.error, "\(capital(standing).asSentence) Trying again in \(wait) s.")
  }

  /// As it begins a sentence.
  private func capital(_ text: String) -> String {
    var bytes = Array(text.utf8)
    if let first = bytes.first, first >= 0x61, first <= 0x7A { bytes[0] = first - 0x20 }
    return String(decoding: bytes, as: UTF8.self)
  }
}
