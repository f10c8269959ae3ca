// `swiftlet ctl`: one command to the running daemon, its answer, and an exit status that scripts can use.

import CLinux
import Console
import Platform

/// The client of the control socket.
enum ControlCommand {
  static let help = """
    swiftlet ctl [--socket PATH] COMMAND…
      Sends a command to the running daemon (swiftlet run) and prints its answer.
      swiftlet ctl status                 show what it is doing
      swiftlet ctl play Music/Album       play a file, folder or playlist
      swiftlet ctl watch                  print each change of status, until Ctrl-C
      swiftlet ctl report > FILE          save what happened lately, to find out what went wrong
      swiftlet ctl help                   list all commands
    Exit status: 0 for ok, 1 for error, 69 if no daemon answers. Without --socket: $SWIFTLET_SOCKET, or
    /run/swiftlet/control.

    """

  static let usualSocket = "/run/swiftlet/control"

  static func run(_ arguments: [String]) -> Int32 {
    var words = arguments[...]
    var path = Environment.value("SWIFTLET_SOCKET") ?? usualSocket
    if words.first == "--socket", words.count >= 2 {
      path = words[words.startIndex + 1]
      words = words.dropFirst(2)
    }
    guard let verb = words.first, verb != "--help", verb != "-h" else {
      (words.isEmpty ? TextOutput.standardError : .standardOutput).write(help)
      return words.isEmpty ? 64 : 0
    }
    do throws(SystemError) {
      let connection = try LocalConnection(path: path)
      // One argument is a whole line, as in quotes; several are its words.
      let line = words.count == 1 ? verb : CommandLineText.line(of: Array(words))
      try connection.socket.writeAll(Array((line + "\n").utf8))
      let command = try? Interpreter.parse(line)
      return try relay(
        connection.socket, forEver: command == .watch(true),
        isFile: command == .report(withPaths: false) || command == .report(withPaths: true))
    } catch {
      TextOutput.standardError.line(
        "swiftlet: no daemon answers at \(error.description). Start it with 'swiftlet run', or name its "
          + "socket with --socket.")
      return 69
    }
  }

  /// Prints what comes until the answer's last line; of a file without what makes an answer of it.
  private static func relay(
    _ socket: borrowing FileDescriptor, forEver: Bool, isFile: Bool
  ) throws(SystemError) -> Int32 {
    var line: [UInt8] = []
    while let bytes = try socket.read(atMost: 4096), !bytes.isEmpty {
      for byte in bytes {
        guard byte == 0x0A else {
          if line.count < 65_536 { line.append(byte) }
          continue
        }
        let text = String(decoding: line, as: UTF8.self)
        line = []
        let isError = text.hasPrefix("error:")
        let isEnd = text == "ok" || text.hasPrefix("ok ")
        if isFile, !isError {
          if isEnd { return 0 }
          TextOutput.standardOutput.line(text.hasPrefix("  ") ? String(text.dropFirst(2)) : text)
          continue
        }
        (isError ? TextOutput.standardError : .standardOutput).line(text)
        if isError { return 1 }
        if isEnd, !forEver { return 0 }
      }
    }
    if forEver { return 0 }
    TextOutput.standardError.line("swiftlet: the daemon closed the connection before it had answered.")
    return 69
  }
}
