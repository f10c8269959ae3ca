// Client of the daemon's control socket: sends commands and prints replies. Main thread; blocks on the socket.

import CLinux
import Console
import Platform

/// A connection to the control socket.
struct ControlClient: ~Copyable {
  /// Maximum length of a received line in bytes; the rest is dropped.
  private static let maxLineLength = 65_536

  private let connection: LocalConnection
  private let format: ReplyFormat
  private var line: [UInt8] = []
  /// Received bytes not yet split into lines.
  private var bytes: ArraySlice<UInt8> = []
  private var isWatching = false

  /// Connects to a daemon.
  ///
  /// - Throws: `SystemError` if no daemon listens.
  init(socket path: String, _ format: ReplyFormat) throws(SystemError) {
    connection = try LocalConnection(path: path)
    self.format = format
  }

  /// Connects to the daemon at a path; without a path, to the service's, or else to one started by this user.
  static func connected(to path: String?, _ format: ReplyFormat) throws(SystemError) -> ControlClient {
    do throws(SystemError) {
      return try ControlClient(socket: path ?? Setting.usualSocketPath, format)
    } catch {
      guard path == nil, let other = ControlCommand.socketOfUser,
        let client = try? ControlClient(socket: other, format)
      else {
        throw error
      }
      return client
    }
  }

  /// Requests JSON replies, if that format was chosen.
  mutating func begin() throws(SystemError) {
    guard format == .json else { return }
    try connection.socket.writeAll(Array("format json\n".utf8))
    while let text = try nextLine(), Self.outcome(of: text) == nil {}
  }

  /// Prints a reply in the daemon's format.
  static func show(_ reply: Reply, _ format: ReplyFormat) {
    let text = String(decoding: reply.rendered(format), as: UTF8.self)
    (reply.isOK || format == .json ? TextOutput.standardOutput : .standardError).write(text)
  }

  /// Sends a command and prints its reply; after `watch`, prints events until the connection closes.
  ///
  /// - Returns: Whether the command succeeded; nil if the connection was closed before the reply.
  mutating func give(_ line: String) throws(SystemError) -> Bool? {
    let outcome = try ask(line)
    if outcome == true, isWatching { while let text = try nextLine() { show(text) } }
    return outcome
  }

  /// Sends the lines of standard input, each after the reply to the previous one.
  ///
  /// - Returns: Whether all commands succeeded; nil if the connection was closed.
  mutating func giveInput() throws(SystemError) -> Bool? {
    let input = FileDescriptor(owning: dup(0))
    var isDone = true
    var typed: [UInt8] = []
    var isOver = false
    while !isOver {
      if isWatching, try !showNotices(until: input) { return nil }
      guard let chunk = try input.read(atMost: 4096) else { continue }
      isOver = chunk.isEmpty
      typed += chunk
      // The last line may lack a line feed.
      if isOver, !typed.isEmpty { typed.append(0x0A) }
      while let end = typed.firstIndex(of: 0x0A) {
        let line = Array(typed[..<end])
        typed.removeSubrange(...end)
        do throws(ConsoleError) {
          guard try !CommandLineText(line).words.isEmpty else { continue }
        } catch {
          Self.show(.error(error), format)
          isDone = false
          continue
        }
        guard let outcome = try ask(String(decoding: line, as: UTF8.self)) else { return nil }
        isDone = isDone && outcome
      }
      guard typed.count <= CommandLineText.maxLineLength else {
        Self.show(.failed("a line of standard input is too long"), format)
        return false
      }
    }
    if isWatching { while let text = try nextLine() { show(text) } }
    return isDone
  }

  /// Prints events until there is input.
  ///
  /// - Returns: False if the daemon has closed the connection.
  private mutating func showNotices(until input: borrowing FileDescriptor) throws(SystemError) -> Bool {
    while bytes.contains(0x0A), let text = try nextLine() { show(text) }
    while true {
      var entries = (
        pollfd(fd: input.raw, events: Int16(POLLIN), revents: 0),
        pollfd(fd: connection.socket.raw, events: Int16(POLLIN), revents: 0)
      )
      let count = withUnsafeMutablePointer(to: &entries) { pointer in
        pointer.withMemoryRebound(to: pollfd.self, capacity: 2) { poll($0, 2, -1) }
      }
      guard count > 0 else { continue }
      if entries.1.revents != 0 {
        guard let text = try nextLine() else { return false }
        show(text)
        while bytes.contains(0x0A), let text = try nextLine() { show(text) }
      }
      if entries.0.revents != 0 { return true }
    }
  }

  /// Sends a command.
  ///
  /// - Returns: The lines of the reply without its status line; nil if the command was refused.
  mutating func answer(to line: String) throws(SystemError) -> [String]? {
    try connection.socket.writeAll(Array((line + "\n").utf8))
    var lines: [String] = []
    while let text = try nextLine() {
      if let outcome = Self.outcome(of: text) { return outcome ? lines : nil }
      lines.append(text)
    }
    return nil
  }

  private mutating func ask(_ line: String) throws(SystemError) -> Bool? {
    let command = try? Interpreter.parse(line)
    let isReport = command == .report(withPaths: false) || command == .report(withPaths: true)
    if case .watch(let subjects)? = command { isWatching = !subjects.isEmpty }
    try connection.socket.writeAll(Array((line + "\n").utf8))
    while let text = try nextLine() {
      let outcome = Self.outcome(of: text)
      if isReport, outcome != false {
        // A report is meant to be saved as a file, so print it without the indentation and the status line.
        if outcome == nil {
          TextOutput.standardOutput.line(text.hasPrefix("  ") ? String(text.dropFirst(2)) : text)
        }
      } else {
        show(text)
      }
      if let outcome { return outcome }
    }
    return nil
  }

  /// Whether a line ends a reply with success or failure; nil for any other line.
  private static func outcome(of line: String) -> Bool? {
    if line == "ok" || line.hasPrefix("ok ") || line.hasPrefix("{\"ok\":true") { return true }
    return line.hasPrefix("error:") || line.hasPrefix("{\"ok\":false") ? false : nil
  }

  private func show(_ line: String) {
    (line.hasPrefix("error:") ? TextOutput.standardError : .standardOutput).line(line)
  }

  /// The next line without its line feed; nil when the connection is closed.
  private mutating func nextLine() throws(SystemError) -> String? {
    while true {
      while let byte = bytes.popFirst() {
        guard byte == 0x0A else {
          if line.count < Self.maxLineLength { line.append(byte) }
          continue
        }
        defer { line = [] }
        return String(decoding: line, as: UTF8.self)
      }
      guard let more = try connection.socket.read(atMost: 4096), !more.isEmpty else { return nil }
      bytes = more[...]
    }
  }
}
