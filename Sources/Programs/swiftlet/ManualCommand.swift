// `swiftlet help --man`: generates the man page swiftlet(1) from the help texts. Main thread.

import Platform

/// Generator of packaging/swiftlet.1; scripts/smoke-board checks that the file is up to date.
enum ManualCommand {
  /// Prints the man page.
  static func run() -> Int32 {
    var text = heading
    append(section: "SUBCOMMANDS", of: Swiftlet.help, to: &text)
    append(section: "PLAYING IN A TERMINAL", of: PlayOptions.help, to: &text)
    append(section: "THE DAEMON", of: RunCommand.help, to: &text)
    append(section: "SIMULATING A BOX", of: SimOptions.help, to: &text)
    append(section: "BOARDS", of: BoardsCommand.help, to: &text)
    append(section: "A CONFIGURATION FILE ON THE CARD", of: CardCommand.help, to: &text)
    append(section: "THE SPEAKER", of: EqualizerCommand.help, to: &text)
    append(section: "OTHER PROTOCOLS", of: ServeCommand.help, to: &text)
    append(section: "COMMANDS TO THE DAEMON", of: ControlCommand.help, to: &text)
    TextOutput.standardOutput.write(text + closing)
    return 0
  }

  private static let heading = """
    .\\" Written by `swiftlet help --man > packaging/swiftlet.1`.
    .TH SWIFTLET 1 "" Swiftlet "User Commands"
    .SH NAME
    swiftlet \\- playback engine for headless speaker boxes
    .SH SYNOPSIS
    .B swiftlet
    .I SUBCOMMAND
    .RI [ ARGUMENT ...]
    .SH DESCRIPTION
    Plays audio files gaplessly or crossfaded through ALSA, from a terminal or as the daemon of a box with buttons,
    a serial console and no screen. Decodes each track in a sandboxed process of its own.

    """

  private static let closing = """
    .SH FILES
    .TP
    .I /var/lib/swiftlet/swiftlet.conf
    The configuration of the service, written by the command
    .BR save ;
    initially a copy of
    .IR /etc/swiftlet/swiftlet.conf .
    .TP
    .I /var/lib/swiftlet/checkpoint
    What outlives a power cut: queue, position, volume.
    .TP
    .I /run/swiftlet/control
    The control socket.
    .TP
    .I /usr/lib/swiftlet/codecs
    The codec plugins.
    .TP
    .I /usr/share/swiftlet/boards
    Profiles of boards: commands that name their buttons and lights.
    .SH ENVIRONMENT
    .TP
    .B SWIFTLET_CODECS
    The folders of codec plugins, with colons between them, instead of the usual ones.
    .TP
    .B SWIFTLET_SOCKET
    The control socket that
    .B swiftlet ctl
    speaks to.
    .TP
    .B SSL_CERT_FILE
    A file of certificates (PEM) that streams over https trust, instead of the system's.
    .SH SEE ALSO
    .BR swiftlet\\-console (7),
    .BR aplay (1),
    .BR journalctl (1)

    """

  private enum Place { case start, tagged, prose }

  /// Formats a help text as a section: options and examples as tagged paragraphs, the rest as prose.
  private static func append(section title: String, of help: String, to text: inout String) {
    text += ".SH " + title + "\n"
    var place = Place.start
    for line in help.split(separator: "\n", omittingEmptySubsequences: false) {
      let indent = line.utf8.prefix { $0 == 0x20 }.count
      let words = line.dropFirst(indent)
      if words.isEmpty {
        place = .start
      } else if indent == 0, words.hasPrefix("swiftlet ") || words.hasPrefix("usage: ") {
        text += ".PP\n.B " + escaped(words) + "\n"
        place = .start
      } else if indent > 0, words.hasPrefix("--") || words.hasPrefix("swiftlet ") {
        let (tag, meaning) = halves(words)
        text += ".TP\n.B " + escaped(tag) + "\n" + (meaning.isEmpty ? "" : escaped(meaning) + "\n")
        place = .tagged
      } else {
        // A deeply indented line continues its option.
        let isNew = place == .start || place == .tagged && indent < 8
        text += (isNew ? ".PP\n" : "") + escaped(words) + "\n"
        if isNew { place = .prose }
      }
    }
  }

  /// Splits a line at the first two consecutive blanks.
  private static func halves(_ line: Substring) -> (Substring, Substring) {
    var index = line.startIndex
    while index < line.endIndex {
      if line[index...].hasPrefix("  ") {
        return (line[..<index], line[index...].drop { $0 == " " })
      }
      index = line.index(after: index)
    }
    return (line, "")
  }

  /// Escapes characters that are special in roff.
  private static func escaped(_ line: Substring) -> String {
    var bytes: [UInt8] = []
    for byte in line.utf8 {
      if bytes.isEmpty && (byte == 0x2E || byte == 0x27) { bytes += "\\&".utf8 }
      if byte == 0x2D || byte == 0x5C { bytes.append(0x5C) }
      bytes.append(byte == 0x5C ? 0x65 : byte)
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
