// One console session (control socket or serial line): reads bytes, runs lines as commands, sends replies. Control
// thread; never blocks.

import Console
import Flight
import Platform

/// A session on a channel. It runs one line per turn, and `RoundRobin` lets sessions take turns.
final class Session: RoundRobinTask {
  /// Nanoseconds without input after which a session unlocked by a PIN is locked again, and a socket session without a
  /// pending reply or subscription is closed.
  static let idleNanoseconds: UInt64 = 600_000_000_000
  /// Maximum number of bytes per read; the next read happens once their lines have run.
  static let maxReadBytes = 1024

  private let source: CommandSource
  private var watch: DescriptorWatch?
  private let channel: any ByteChannel
  private unowned(unsafe) let target: any CommandTarget
  private unowned(unsafe) let owner: any SessionOwner
  private let scheduler: any Scheduler
  private let writer: ReplyWriter
  private let lock: ConsoleLock
  private var editor: LineEditor
  private var interest: EventInterest
  private var isOver = false
  /// Whether a command is pending; further input waits for its reply.
  private var isWaiting = false
  /// Scheduler time of the last input.
  private(set) var heardAt: UInt64
  /// Bytes read but not processed yet.
  private var held: [UInt8] = []
  private var completion = PathCompletion()
  /// Idle timeout of an unlocked console, or of a socket session without a pending reply.
  private let idle: DeadlineTimer
  private let hangUp: HangUpWatch
  private unowned(unsafe) let turns: RoundRobin

  /// Creates a session on a channel.
  ///
  /// - Parameters:
  ///   - mode: The kind of client: a program or a terminal.
  ///   - lock: What the session may do before a PIN is entered.
  ///   - turns: Shared by all sessions; gives each its turn to run a line. Must outlive the session.
  ///   - target: Carries out the commands. Must outlive the session.
  ///   - owner: Receives the session's end. Must outlive the session.
  /// - Throws: The event loop's error if the channel cannot be watched.
  init(
    _ channel: any ByteChannel, mode: LineEditor.Mode, lock: ConsoleLock, scheduler: any Scheduler,
    turns: RoundRobin, target: any CommandTarget, owner: any SessionOwner
  ) throws(SystemError) {
    writer = ReplyWriter(
      channel, lineEnd: mode == .plain ? .lineFeed : .carriageReturnLineFeed, scheduler: scheduler)
    self.channel = channel
    self.scheduler = scheduler
    self.turns = turns
    self.target = target
    self.owner = owner
    interest = EventInterest(after: owner.lastEvent)
    heardAt = scheduler.now
    self.lock = lock
    source = mode == .plain ? .socket : .serial
    idle = DeadlineTimer(scheduler)
    hangUp = HangUpWatch(channel, scheduler)
    editor = LineEditor(mode: mode, prompt: "swiftlet> ")
    try listen()
    writer.onClosed = { [unowned(unsafe) self] in end() }
    stayOpen()
  }

  /// Whether log lines are shown in this session.
  var showsLog: Bool { source == .serial }

  /// Shows a line and the first prompt.
  func greet(_ text: String) {
    editor.masksInput = !lock.gate.isOpen
    writer.write(text + "\r\n")
    writer.write(editor.prompt())
  }

  /// Shows an event or log line above the line being typed.
  func show(_ notice: Notice) {
    // A session that is not unlocked gets no events.
    guard !isOver, lock.gate.isOpen else { return }
    writer.write(editor.printAbove(writer.rendered(notice)))
  }

  /// Whether a reply or a subscription is pending.
  var isAwaited: Bool { isWaiting || interest.includes(EventSubjects.all) }

  /// Whether the session watches or waits for any of these subjects.
  func wants(_ subjects: EventSubjects) -> Bool { interest.includes(subjects) }

  /// Sends an event if the session watches or waits for its subject.
  func take(_ subject: EventSubject, _ notice: Notice) {
    guard !isOver else { return }
    if interest.watched.contains(subject) { show(notice) }
    guard let awaited = interest.endWaiting(for: subject) else { return }
    // Position events have no ID and are not kept.
    if subject == .position {
      answerIdle([notice], missed: 0)
    } else {
      let found = owner.events(after: interest.answered, about: awaited)
      answerIdle(found.notices, missed: found.missed)
    }
    prompt()
    stayOpen()
  }

  /// Closes the session.
  func end() {
    guard !isOver else { return }
    isOver = true
    watch = nil
    idle.stop()
    hangUp.cancel()
    writer.end()
    lock.close()
    interest.end()
    owner.didEnd(self)
  }

  private func read() {
    let bytes: [UInt8]?
    do throws(SystemError) {
      bytes = try channel.read(atMost: Self.maxReadBytes)
    } catch {
      return end()
    }
    guard let bytes else { return }
    guard !bytes.isEmpty else { return end() }
    heardAt = scheduler.now
    held = bytes
    proceed()
  }

  /// Restarts the idle timeout, which locks an unlocked console or closes an idle socket session.
  private func stayOpen() {
    guard !isOver else { return idle.stop() }
    if source == .socket, !isAwaited {
      return idle.start(after: Self.idleNanoseconds) { [unowned(unsafe) self] in end() }
    }
    guard lock.gate.isUnlocked else { return idle.stop() }
    idle.start(after: Self.idleNanoseconds) { [unowned(unsafe) self] in
      lock.gate.lock()
      didLock()
    }
  }

  /// Updates the session after the lock's state was changed from outside, by a timeout or a new PIN.
  func didLock() {
    editor.masksInput = !lock.gate.isOpen
    guard !lock.gate.isOpen else { return }
    writer.write(editor.endPages())
    idle.stop()
    interest.end()
    owner.watchersDidChange()
  }

  private func listen() throws(SystemError) {
    watch = try DescriptorWatch(scheduler, readable: channel.readable) { [unowned(unsafe) self] in read() }
  }

  /// Requests a turn if there is unprocessed input; otherwise resumes reading.
  private func proceed() {
    guard !isOver, !isWaiting else { return }
    guard held.isEmpty else {
      // Stop reading, so that a client that sends faster than its lines run is slowed down.
      watch = nil
      return turns.add(self)
    }
    guard watch == nil else { return }
    do throws(SystemError) { try listen() } catch { end() }
  }

  /// Feeds the editor up to the end of a line, or up to a Tab whose completions must be looked up first.
  func runPiece() {
    guard !isOver, !isWaiting else { return }
    let rest = held[...]
    let end = rest.firstIndex(of: Self.tab).map { $0 + 1 } ?? rest.endIndex
    var part = rest[..<end]
    let (echo, event) = editor.feed(&part) { line in
      Completion(of: line, paths: { self.completion.paths(beginning: $0) })
    }
    completion.forgetPaths()
    if let text = completion.takeWantedText() {
      // The Tab is fed again once its completions are known. Until then an empty result does not ring the bell.
      held = Array(rest[(end - 1)...])
      writer.write(echo.last == Self.bell ? echo.dropLast() : echo)
      return lookUp(text)
    }
    held = Array(event == nil ? rest[end...] : rest[(end - part.count)...])
    if !echo.isEmpty { writer.write(echo) }
    if let event { take(event) }
    proceed()
    stayOpen()
  }

  private static let tab: UInt8 = 0x09
  private static let bell: UInt8 = 0x07

  private func lookUp(_ text: String) {
    isWaiting = true
    target.paths(beginning: text) { [self] found in
      completion.keep(found, beginning: text)
      isWaiting = false
      proceed()
    }
  }

  private func take(_ event: LineEditor.Event) {
    // Any input ends a pending `idle`.
    if interest.endWaiting() { answer(.ok()) }
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
    if case .idle(let subjects) = command, lock.refusal(of: command) == nil {
      return wait(for: subjects)
    }
    if let reply = reply(to: command) {
      if case .help = command { answerInPages(reply) } else { answer(reply) }
      return prompt()
    }
    isWaiting = true
    if case .report(let withPaths) = command {
      return writer.write(target.report(withPaths: withPaths)) { [unowned(unsafe) self] in answered(.ok()) }
    }
    target.perform(command, from: source, until: hangUp.begin()) { [self] reply in answered(reply) }
  }

  /// Finishes the pending command.
  private func answered(_ reply: Reply) {
    isWaiting = false
    hangUp.end()
    answer(reply)
    prompt()
    proceed()
    stayOpen()
  }

  private func wait(for subjects: EventSubjects) {
    let found = owner.events(after: interest.answered, about: subjects)
    guard found.notices.isEmpty else {
      answerIdle(found.notices, missed: found.missed)
      return prompt()
    }
    interest.wait(for: subjects)
    owner.watchersDidChange()
  }

  private func answerIdle(_ notices: [Notice], missed: Int) {
    interest.noteAnswer(upTo: owner.lastEvent)
    let fields = missed > 0 ? [Field("missed", missed)] : []
    answer(
      .ok(
        Answer(
          fields: fields, rows: notices.map { Row($0.text, [Field("event", $0.event)] + $0.fields) })))
  }

  private func prompt() {
    guard !isOver else { return }
    editor.masksInput = !lock.gate.isOpen
    writer.write(editor.prompt())
  }

  private func answer(_ reply: Reply) {
    guard !isOver else { return }
    writer.write(reply)
  }

  /// Sends a long reply to a terminal page by page. If more input is queued, the client is a program and gets it whole.
  private func answerInPages(_ reply: Reply) {
    guard !isOver else { return }
    let isTypedAhead = held.contains { $0 != Self.lineFeed }
    guard source == .serial, writer.format == .text, !isTypedAhead else { return answer(reply) }
    writer.write(editor.page(writer.rendered(reply)))
  }

  private static let lineFeed: UInt8 = 0x0A

  /// Carries out commands that concern the session itself.
  ///
  /// - Returns: The reply; nil if the command is for the target.
  private func reply(to command: Command) -> Reply? {
    if let refusal = lock.refusal(of: command) { return refusal }
    switch command {
    case .pin(let code):
      let outcome = lock.gate.enter(code, now: Double(scheduler.now) / 1e9)
      if case .wrong = outcome { owner.didRefusePIN() }
      return outcome.reply
    case .help(let topic): return .ok(topic.answer)
    case .format(let format):
      writer.format = format
      return .ok()
    case .watch(let subjects):
      interest.watched = subjects
      owner.watchersDidChange()
      return .ok()
    case .exit:
      writer.write(Reply.ok("bye"))
      end()
      return .ok()
    default: return nil
    }
  }
}
