// One person or program that gives commands: bytes in, lines to the interpreter, answers out. Control thread;
// never waits.

import Console
import Flight
import Platform

/// A session on a channel.
final class Session {
  /// Nanoseconds without a byte after which a session that a PIN has opened is locked again.
  static let idleNanoseconds: UInt64 = 600_000_000_000
  /// Bytes that are read at once; the rest waits for the next turn of the loop, and lets others have theirs.
  static let readSize = 1024

  /// What it is sent events about.
  private var watched: EventSubjects = []
  /// What it waits for an event about; nil while it does not.
  private var awaited: EventSubjects?
  /// The last event that `idle` has answered with, or that was there before the session.
  private var answeredEvent: UInt64
  /// Whether log lines are shown in between.
  let showsLog: Bool
  private let source: CommandSource
  private var watch: DescriptorWatch?
  private let channel: any ByteChannel
  private let lineEnd: LineEnd
  private unowned(unsafe) let target: any CommandTarget
  private unowned(unsafe) let owner: any SessionOwner
  private let scheduler: any Scheduler
  private let output: OutputBuffer
  private let lock: ConsoleLock
  private var editor: LineEditor
  private var format = ReplyFormat.text
  private var isOver = false
  /// A command is being carried out: what comes after it waits.
  private var isWaiting = false
  private var isReading = false
  /// What was read beyond the command that is being carried out.
  private var held: [UInt8] = []
  /// What is left of a report that is being sent.
  private var pages: ReportPages?
  private let pageTimer: DeadlineTimer
  /// Runs while a PIN keeps the session open.
  private let idleTimer: DeadlineTimer

  /// A session on a channel. `mode` tells what is at the other end; target and owner outlive the session.
  init(
    _ channel: any ByteChannel, mode: LineEditor.Mode, lock: ConsoleLock, scheduler: any Scheduler,
    target: any CommandTarget, owner: any SessionOwner
  ) throws(SystemError) {
    output = OutputBuffer(channel, scheduler: scheduler)
    self.channel = channel
    self.scheduler = scheduler
    self.target = target
    self.owner = owner
    answeredEvent = owner.lastEvent
    self.lock = lock
    source = mode == .plain ? .socket : .serial
    pageTimer = DeadlineTimer(scheduler)
    idleTimer = DeadlineTimer(scheduler)
    lineEnd = mode == .plain ? .lineFeed : .carriageReturnLineFeed
    showsLog = mode != .plain
    editor = LineEditor(mode: mode, prompt: "swiftlet> ")
    try listen()
    output.onClosed = { [unowned(unsafe) self] in end() }
  }

  /// Shows that somebody is there.
  func greet(_ text: String) {
    editor.masksInput = !lock.gate.isOpen
    output.write(text + "\r\n")
    output.write(editor.prompt())
  }

  /// Shows a line that nobody asked for just now, above the one that is being typed.
  func show(_ notice: Notice) {
    // Whoever has no PIN learns nothing of what plays.
    guard !isOver, lock.gate.isOpen else { return }
    output.write(editor.printAbove(notice.rendered(format, lineEnd: lineEnd)))
  }

  /// Whether it is to be told of events about any of these subjects.
  func wants(_ subjects: EventSubjects) -> Bool {
    !watched.isDisjoint(with: subjects) || awaited.map { !$0.isDisjoint(with: subjects) } == true
  }

  /// Sends an event, if the session watches or waits for its subject.
  func take(_ subject: EventSubject, _ notice: Notice) {
    guard !isOver else { return }
    if watched.contains(subject) { show(notice) }
    guard let awaited, awaited.contains(subject) else { return }
    self.awaited = nil
    // A position has no number, and is not kept.
    if subject == .position {
      answerIdle([notice], missed: 0)
    } else {
      let found = owner.events(after: answeredEvent, about: awaited)
      answerIdle(found.notices, missed: found.missed)
    }
    prompt()
  }

  /// Ends it; nothing comes from it any more.
  func end() {
    guard !isOver else { return }
    isOver = true
    watch = nil
    output.onClosed = {}
    output.onEmpty = nil
    pages = nil
    pageTimer.stop()
    idleTimer.stop()
    output.end()
    lock.close()
    watched = []
    awaited = nil
    owner.didEnd(self)
  }

  private func read() {
    let bytes: [UInt8]?
    do throws(SystemError) {
      bytes = try channel.read(atMost: Self.readSize)
    } catch {
      return end()
    }
    guard let bytes else { return }
    guard !bytes.isEmpty else { return end() }
    take(bytes)
    stayOpen()
  }

  /// Locks a session that nobody types into.
  private func stayOpen() {
    guard !isOver, lock.gate.isUnlocked else { return idleTimer.stop() }
    idleTimer.start(after: Self.idleNanoseconds) { [unowned(unsafe) self] in
      lock.gate.lock()
      didLock()
    }
  }

  /// The gate was locked, or opened, by something else than what was typed here.
  func didLock() {
    editor.masksInput = !lock.gate.isOpen
    guard !lock.gate.isOpen else { return }
    idleTimer.stop()
    watched = []
    awaited = nil
    owner.watchersDidChange()
  }

  private func listen() throws(SystemError) {
    watch = try DescriptorWatch(scheduler, readable: channel.readable) { [unowned(unsafe) self] in read() }
  }

  private func take(_ bytes: [UInt8]) {
    isReading = true
    var rest = bytes[...]
    while !rest.isEmpty, !isOver, !isWaiting {
      let (echo, event) = editor.feed(&rest) { line in
        Completion(of: line, paths: { self.target.paths(beginning: $0) })
      }
      if !echo.isEmpty { output.write(echo) }
      guard let event else { break }
      take(event)
    }
    held = Array(rest)
    isReading = false
    // Whoever sends more is made to wait, too.
    if isWaiting { watch = nil }
  }

  private func goOn() {
    guard !isReading, !isOver else { return }
    take(held)
    guard !isWaiting, !isOver, watch == nil else { return }
    do throws(SystemError) { try listen() } catch { end() }
  }

  private func take(_ event: LineEditor.Event) {
    // Whoever types has waited long enough.
    if awaited != nil {
      awaited = nil
      answer(.ok())
    }
    switch event {
    case .endOfInput: return end()
    case .refused(let error): answer(.error(error))
    case .line(let line):
      do throws(ConsoleError) {
        if let command = try Interpreter.parse(line) { return carryOut(command) }
      } catch {
        answer(.error(error))
      }
    }
    prompt()
  }

  private func carryOut(_ command: Command) {
    if case .idle(let subjects) = command, lock.gate.refusal(of: command) == nil {
      return wait(for: subjects)
    }
    if let reply = reply(to: command) {
      answer(reply)
      return prompt()
    }
    isWaiting = true
    if case .report(let withPaths) = command {
      pages = target.report(withPaths: withPaths)
      return sendPage()
    }
    target.perform(command, from: source) { [self] reply in
      isWaiting = false
      answer(reply)
      prompt()
      goOn()
    }
  }

  private func wait(for subjects: EventSubjects) {
    let found = owner.events(after: answeredEvent, about: subjects)
    guard found.notices.isEmpty else {
      answerIdle(found.notices, missed: found.missed)
      return prompt()
    }
    awaited = subjects
    owner.watchersDidChange()
  }

  private func answerIdle(_ notices: [Notice], missed: Int) {
    answeredEvent = owner.lastEvent
    let fields = missed > 0 ? [Field("missed", missed)] : []
    answer(
      .ok(
        Answer(
          fields: fields, rows: notices.map { Row($0.text, [Field("event", $0.event)] + $0.fields) })))
  }

  /// Sends a part of a report, and the next one when that has been taken and others have had their turn.
  private func sendPage() {
    guard !isOver, let page = pages?.next() else {
      pages = nil
      isWaiting = false
      answer(.ok())
      prompt()
      return goOn()
    }
    for line in page { output.write(ReportLine(line).rendered(format, lineEnd: lineEnd)) }
    guard !isOver else { return }
    let onwards = { [unowned(unsafe) self] in
      pageTimer.start(after: 0) { [unowned(unsafe) self] in sendPage() }
    }
    if output.isEmpty { onwards() } else { output.onEmpty = onwards }
  }

  private func prompt() {
    guard !isOver else { return }
    editor.masksInput = !lock.gate.isOpen
    output.write(editor.prompt())
  }

  private func answer(_ reply: Reply) {
    guard !isOver else { return }
    output.write(reply.rendered(format, lineEnd: lineEnd))
  }

  /// The answer to what is the session's own; nil for what the box does.
  private func reply(to command: Command) -> Reply? {
    if let refusal = lock.gate.refusal(of: command) { return refusal }
    switch command {
    case .pin(let code):
      return lock.gate.enter(code, now: Double(scheduler.now) / 1e9).reply
    case .help(let topic): return .ok(topic.answer)
    case .format(let format):
      self.format = format
      return .ok()
    case .watch(let subjects):
      watched = subjects
      owner.watchersDidChange()
      return .ok()
    case .exit:
      output.write(Reply.ok("bye").rendered(format, lineEnd: lineEnd))
      end()
      return .ok()
    default: return nil
    }
  }
}
