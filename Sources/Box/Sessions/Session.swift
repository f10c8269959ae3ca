// One person or program that gives commands: bytes in, lines to the interpreter, answers out. Control thread;
// never waits.

import Console
import Platform

/// Carries out commands for sessions. Class-bound, for Embedded Swift.
protocol CommandTarget: AnyObject {
  /// Does what a command asks for and says what came of it.
  func perform(_ command: Command) -> Reply
  /// Names of files and folders that a path which is being typed may become.
  func paths(beginning text: String) -> [String]
  /// Somebody began or ceased to watch.
  func watchersDidChange()
  /// A session is over; its descriptor is about to be closed.
  func didEnd(_ session: Session)
}

/// A session on a descriptor.
final class Session {
  /// Bytes that are read at once; the rest waits for the next turn of the loop, and lets others have theirs.
  static let readSize = 1024

  /// Whether it gets a status line whenever something changes.
  private(set) var isWatching = false
  /// Whether log lines are shown in between.
  let showsLog: Bool
  private let descriptor: FileDescriptor
  private let lineEnd: LineEnd
  private let target: any CommandTarget
  private let events: EventLoop
  private let output: OutputBuffer
  private let lock: ConsoleLock
  private var token: EventLoop.Token?
  private var editor: LineEditor
  private var format = ReplyFormat.text
  private var isOver = false

  /// A session on a descriptor that does not block. `mode` tells what is at the other end.
  init(
    _ descriptor: consuming FileDescriptor, mode: LineEditor.Mode, lock: ConsoleLock, events: EventLoop,
    target: any CommandTarget
  ) throws(SystemError) {
    output = try OutputBuffer(descriptor, events: events)
    self.descriptor = descriptor
    self.events = events
    self.target = target
    self.lock = lock
    lineEnd = mode == .plain ? .lineFeed : .carriageReturnLineFeed
    showsLog = mode != .plain
    editor = LineEditor(mode: mode, prompt: "swiftlet> ")
    token = try events.add(readable: self.descriptor.raw) { [self] in read() }
    output.onClosed = { [self] in end() }
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
    if let token { events.remove(token) }
    token = nil
    output.onClosed = {}
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
      bytes = try descriptor.read(atMost: Self.readSize)
    } catch {
      return end()
    }
    guard let bytes else { return }
    guard !bytes.isEmpty else { return end() }
    var rest = bytes[...]
    while !rest.isEmpty, !isOver {
      let (echo, event) = editor.feed(&rest) { [self] line in
        Completion(of: line, paths: { self.target.paths(beginning: $0) })
      }
      if !echo.isEmpty { output.write(echo) }
      guard let event else { break }
      take(event)
    }
  }

  private func take(_ event: LineEditor.Event) {
    switch event {
    case .endOfInput: return end()
    case .refused(let error): answer(.error(error))
    case .line(let line):
      do throws(ConsoleError) {
        if let command = try Interpreter.parse(line) { answer(reply(to: command)) }
      } catch {
        answer(.error(error))
      }
    }
    guard !isOver else { return }
    editor.masksInput = !lock.gate.isOpen
    output.write(editor.prompt())
  }

  private func answer(_ reply: Reply) {
    guard !isOver else { return }
    output.write(reply.rendered(format, lineEnd: lineEnd))
  }

  private func reply(to command: Command) -> Reply {
    if let refusal = lock.gate.refusal(of: command) { return refusal }
    switch command {
    case .pin(let code):
      return lock.gate.enter(code, now: Double(MonotonicClock.now()) / 1e9).reply
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
    default: return target.perform(command)
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
