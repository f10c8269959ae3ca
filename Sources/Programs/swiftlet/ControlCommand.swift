// `swiftlet ctl`: sends commands to the running daemon and prints the replies. Main thread.

import Console
import Platform

/// The subcommand `ctl`.
enum ControlCommand {
  static let help = """
    swiftlet ctl [--socket PATH] [--json] COMMAND…
      Sends a command to the running daemon (swiftlet run) and prints its answer.
      swiftlet ctl status                 show what it is doing
      swiftlet ctl play Music/Album       play a file, folder or playlist
      swiftlet ctl watch                  print events as they happen, until Ctrl-C
      swiftlet ctl idle track             wait for the next event about the track,
                                          and print it
      swiftlet ctl report > FILE          save what happened lately, to find out
                                          what went wrong
      swiftlet ctl help                   list all commands
      swiftlet ctl help events            list all events
      Without a COMMAND, reads commands from standard input, one a line, and
      answers them in order.

      --socket PATH   the daemon's socket (default: $SWIFTLET_SOCKET, or
                      /run/swiftlet/control, or $XDG_RUNTIME_DIR/swiftlet-control)
      --json          print answers and events as JSON objects, one a line

    Exit status: 0 for ok, 1 if a command was refused, 64 for wrong usage, 69 if no
    daemon answers, 77 if you may not use its socket.

    """

  /// Control socket of a daemon that the user has started; nil without $XDG_RUNTIME_DIR.
  static var socketOfUser: String? {
    guard let folder = Environment.value("XDG_RUNTIME_DIR"), !folder.utf8.isEmpty else { return nil }
    return folder + "/swiftlet-control"
  }

  static func run(_ arguments: [String]) -> Int32 {
    var words = arguments[...]
    var path = Environment.value("SWIFTLET_SOCKET")
    var format = ReplyFormat.text
    options: while let word = words.first {
      switch word {
      case "--help", "-h":
        TextOutput.standardOutput.write(help)
        return 0
      case "--json": format = .json
      case "--socket":
        words = words.dropFirst()
        guard let value = words.first else { return refuse("--socket needs a path") }
        path = value
      case let word where word.hasPrefix("--socket="):
        path = String(decoding: word.utf8.dropFirst("--socket=".utf8.count), as: UTF8.self)
      default: break options
      }
      words = words.dropFirst()
    }
    if let word = words.first, word.utf8.first == 0x2D { return refuse("there is no option '\(word)'") }
    if words.isEmpty, Terminal.isStandardInput { return refuse("a command is missing") }
    // A single argument is a complete command line; several arguments are its words.
    let line = words.count == 1 ? words[words.startIndex] : CommandLineText.line(of: Array(words))
    return talk(to: path, words.isEmpty ? nil : line, format)
  }

  /// Sends one line, or those of standard input.
  private static func talk(to path: String?, _ line: String?, _ format: ReplyFormat) -> Int32 {
    if let line {
      do throws(ConsoleError) {
        // An empty line gets no reply; a line with a line break would be two commands and is not sent.
        guard try !CommandLineText(Array(line.utf8)).words.isEmpty else {
          return refuse("a command is missing")
        }
      } catch {
        ControlClient.show(.error(error), format)
        return 64
      }
    }
    do throws(SystemError) {
      var client = try ControlClient.connected(to: path, format)
      try client.begin()
      let outcome = if let line { try client.give(line) } else { try client.giveInput() }
      guard let outcome else {
        TextOutput.standardError.line("swiftlet: the daemon closed the connection before it had answered.")
        return 69
      }
      return outcome ? 0 : 1
    } catch {
      guard error.code != SystemError.accessDenied else {
        TextOutput.standardError.line("swiftlet: \(error.description). \(advice(on: error.subject))")
        return 77
      }
      TextOutput.standardError.line(
        "swiftlet: no daemon answers at \(error.description). Start it with 'swiftlet run', or name its "
          + "socket with --socket.")
      return 69
    }
  }

  /// What to do about a socket that this user may not access.
  private static func advice(on socket: String) -> String {
    guard let group = FactFinder.group(of: socket), group != "root" else { return "Use sudo." }
    return "Use sudo, or join the socket's group: 'sudo usermod -aG \(group) $USER', then log in again."
  }

  private static func refuse(_ reason: String) -> Int32 {
    TextOutput.standardError.write("swiftlet ctl: \(reason).\n" + help)
    return 64
  }
}
