// One person or program that gives commands: bytes in, lines to the interpreter, answers out. Control thread;
// never waits.

import Console
import Flight
import Platform

/// Carries out commands for sessions. Class-bound, for Embedded Swift.
protocol CommandTarget: AnyObject {
  /// Does what a command asks for and says what came of it: before this returns, or within half a minute where
  /// storage has to be waited for.
  func perform(_ command: Command, from source: CommandSource, then answer: @escaping (Reply) -> Void)
  /// What the flight recorder holds.
  func report(withPaths: Bool) -> ReportPages
  /// Names of files and folders that a path which is being typed may become.
  func paths(beginning text: String) -> [String]
  /// Somebody began or ceased to watch.
  func watchersDidChange()
  /// A session is over. It may be in the middle of something: it is let go a little later.
  func didEnd(_ session: Session)
}

/// A session on a channel.
final class Session {
  /// Bytes that are read at once; the rest waits for the next turn of the loop, and lets others have theirs.
  static let readSize = 1024

  /// Whether it gets a status line whenever something changes.
  private(set) var isWatching = false
  /// Whether log lines are shown in between.
  let showsLog: Bool
  private let source: CommandSource
  private var watch: DescriptorWatch?
  private let channel: any ByteChannel
  private let lineEnd: LineEnd
  private unowned(unsafe) let target: any CommandTarget
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

  /// A session on a channel. `mode` tells what is at the other end; the target outlives the session.
  init(
    _ channel: any ByteChannel, mode: LineEditor.Mode, lock: ConsoleLock, scheduler: any Scheduler,
    target: any CommandTarget
  ) throws(SystemError) {
    output = OutputBuffer(channel, scheduler: scheduler)
    self.channel = channel
    self.scheduler = scheduler
    self.target = target
    self.lock = lock
    source = mode == .plain ? .socket : .serial
    pageTimer = DeadlineTimer(scheduler)
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
    guard !isOver else { return }
    output.write(editor.printAbove(notice.rendered(format, lineEnd: lineEnd)))
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
    output.end()
    lock.close()
    if isWatching {
      isWatching = false
      target.watchersDidChange()
    }
    target.didEnd(self)
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
    case .watch(let isOn):
      isWatching = isOn
      target.watchersDidChange()
      return .ok()
    case .exit:
      output.write(Reply.ok("bye").rendered(format, lineEnd: lineEnd))
      end()
      return .ok()
    default: return nil
    }
  }
}

/// The PIN's lock of one line; it stays when sessions come and go, so that hanging up shortens no wait.
final class ConsoleLock {
  var gate: PINGate

  /// A lock; open where there is no PIN.
  init(pin: String?) { gate = PINGate(pin: pin) }

  /// The session is over.
  func close() { gate.lock() }
}
