// Settings of media, console, control socket, checkpoint, start, clock, log and knobs, with their typed values. Pure; any thread.

import Controls
import PlaybackModel

extension SettingTable {
  static let box: [SettingDeclaration] = [
    SettingDeclaration(
      .knobAcceleration, "knob.acceleration", .integer(1...4, unit: ""), default: "4",
      "How many steps a detent counts at most when a knob is turned fast, for volume and seek. With 1 each detent counts once."
    ),
    SettingDeclaration(
      .mediaRoot, "media.root", .paths(most: 8), default: "/srv/music",
      "The folders with the music. Nothing outside these and media.removable is played."),
    SettingDeclaration(
      .consoleTTY, "console.tty", .path, or: Choice("off", "no serial console"), default: "off",
      applies: .atNextStart,
      "The serial line of the console, such as /dev/ttyS0 or /dev/ttyGS0."),
    SettingDeclaration(
      .consoleBaud, "console.baud",
      .choice([
        Choice("9600"), Choice("19200"), Choice("38400"), Choice("57600"), Choice("115200"), Choice("230400"),
        Choice("460800"), Choice("921600"),
      ]), default: "115200", applies: .atNextStart,
      "The speed of the serial console: 8 bits, no parity, 1 stop bit."),
    SettingDeclaration(
      .consolePIN, "console.pin", .pin, or: Choice("off", "no PIN"), default: "off", isSecret: true,
      "The PIN that the serial console asks for before it takes commands."),
    SettingDeclaration(
      .socketPath, "socket.path", .path, or: Choice("off", "no socket"), default: Setting.usualSocketPath,
      applies: .atNextStart, "The control socket, which 'swiftlet ctl' connects to."),
    SettingDeclaration(
      .socketGroup, "socket.group", .text(longest: 32), or: Choice("none", "the daemon's own"),
      default: "none", applies: .atNextStart, "The group that may use the control socket."),
    SettingDeclaration(
      .checkpointPath, "checkpoint.path", .path, or: Choice("off", "nothing is remembered"),
      default: "/var/lib/swiftlet/checkpoint", applies: .atNextStart,
      "The file that keeps queue and position over a power cut."),
    SettingDeclaration(
      .checkpointInterval, "checkpoint.interval", .decimal(1...10, decimals: 1, unit: "s"), default: "10",
      "How often the position is saved while playing: the most that a power cut loses."),
    SettingDeclaration(
      .checkpointResume, "checkpoint.resume",
      .choice([
        Choice("as-it-was", "continues if it was playing"), Choice("paused", "waits at the position"),
        Choice("off", "begins with an empty queue"),
      ]), default: "as-it-was", applies: .atNextStart,
      "What to do at power-on with the saved queue and position."),
    SettingDeclaration(
      .startSafeButton, "start.safe-button", .control,
      or: Choice("off", "no safe start"), default: "play", applies: .atNextStart,
      "Holding this button for two seconds at power-on starts the box with defaults and an empty queue."
    ),
    SettingDeclaration(
      .clockTimezone, "clock.timezone", .timeZone, or: Choice("system", "that of the operating system"),
      default: "system",
      "The time zone of alarms, nights and limits, such as Europe/Berlin. Nothing of the operating system is changed."
    ),
    SettingDeclaration(
      .logLevel, "log.level",
      .choice([Choice("error"), Choice("warning"), Choice("info"), Choice("debug")]), default: "info",
      "The least important level to log."),
  ]
}

extension Settings {
  /// The button to hold for a safe start; nil: none.
  package var safeButton: ControlName? { text(.startSafeButton).flatMap { ControlName($0) } }
  /// The most steps of a detent when a knob is turned fast.
  package var knobAcceleration: Int { whole(.knobAcceleration) }
  /// The folders with the music; at least one.
  package var mediaRoots: [String] {
    if case .list(let paths) = value(.mediaRoot) { paths } else { [] }
  }
  /// The serial console's device; nil: none.
  package var consoleTTY: String? { text(.consoleTTY) }
  /// The serial console's speed, in baud.
  package var consoleBaud: Int { choice(.consoleBaud).flatMap { Int($0) } ?? 115200 }
  /// The serial console's PIN; nil: none.
  package var consolePIN: String? { text(.consolePIN) }
  /// The path of the control socket; nil: none.
  package var socketPath: String? { text(.socketPath) }
  /// The group of the control socket; nil: the daemon's own.
  package var socketGroup: String? { text(.socketGroup) }
  /// The path of the checkpoint file; nil: none.
  package var checkpointPath: String? { text(.checkpointPath) }
  /// The interval between checkpoints during playback.
  package var checkpointInterval: Seconds { seconds(.checkpointInterval) }
  /// `as-it-was`, `paused` or `off`.
  package var checkpointResume: String { word(.checkpointResume) }
  /// The time zone; nil: that of the operating system.
  package var timeZone: String? { text(.clockTimezone) }
  /// `error`, `warning`, `info` or `debug`.
  package var logLevel: String { word(.logLevel) }
}
