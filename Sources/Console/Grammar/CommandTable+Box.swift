// The table of commands: information, the outside world and the session. Pure; any thread.

import PlaybackModel

extension CommandTable {
  static let information: [CommandDeclaration] = [
    CommandDeclaration(
      "status", .status, .information, "Shows what plays, where, and how the box is.",
      "What has failed and is tried again by itself says when: output-retry-seconds for a sound card that is "
        + "gone, track-retry-seconds for a track, checkpoint-retry-seconds for storage that takes no checkpoint."
    ),
    CommandDeclaration(
      "current", .current, .information, "Shows the track that is heard.", "'status' shows everything."),
    CommandDeclaration(
      "watch", Arguments.watched, .information,
      "Sends every event, or those about some subjects, as it happens, until 'watch off'.",
      "The position comes ten times a second at most. 'help events' lists the events and their fields.",
      examples: ["watch", "watch state track", "watch off"]
    ) { .watch($0) },
    CommandDeclaration(
      "idle", Arguments.subjects, .information,
      "Waits for the next event, or the next about some subjects, and answers with it.",
      "What has happened since this session's last 'idle', or since it began, is answered at once. Any line ends the "
        + "waiting. Without a subject the position is left out.",
      examples: ["idle", "idle track", "idle queue volume"]
    ) { .idle($0) },
    CommandDeclaration(
      "history", Arguments.count(most: History.capacity).optional, .information,
      "Shows the last changes of state.",
      "20 unless told otherwise.", examples: ["history", "history 50"]
    ) { .history(count: $0 ?? 20) },
    CommandDeclaration(
      "log", Arguments.count(most: Command.mostLogLines).optional, .information,
      "Shows the last lines of the log.",
      "20 unless told otherwise.", examples: ["log", "log 100"]
    ) { .log(count: $0 ?? 20) },
    CommandDeclaration(
      "stats", .stats, .information, "Shows counters: underruns, restarts, wake-ups, memory, latency.",
      "worker-crashes are tracks whose decoder crashed, hung or broke its sandbox; worker-restarts how often a "
        + "track that failed was tried again with a new one."),
    CommandDeclaration(
      "report", .report(withPaths: false), .information,
      "Tells all that the flight recorder holds, for whoever is to find out what went wrong.",
      "Settings, counters, the log and the last minutes of what happened, as lines; after a crash those of the run "
        + "before, too. No file, title or PIN is named: 'swiftlet ctl report > FILE' makes a file that can be given "
        + "away, and 'swiftlet-sim replay FILE' tells what it shows."),
    CommandDeclaration(
      "report with paths", .report(withPaths: true), .information,
      "The same with the names of files.", "PINs stay hidden."),
  ]

  static let outside: [CommandDeclaration] = [
    CommandDeclaration("standby", .standby, .outside, "Pauses until 'wake'."),
    CommandDeclaration("wake", .wake, .outside, "Ends standby; resumes what standby has paused."),
    CommandDeclaration(
      "interruption begin", .interruptionBegin, .outside, "Pauses for something that must be heard.",
      "An announcement, a door bell, a telephone."),
    CommandDeclaration(
      "interruption end",
      Arguments.oneOf([
        (Choice("resume", "plays on if it played"), true), (Choice("stay", "stays paused"), false),
      ]).optional, .outside, "Ends an interruption; resumes what it has paused unless told to stay.",
      examples: ["interruption end", "interruption end stay"]
    ) { .interruptionEnd(shouldResume: $0 ?? true) },
    CommandDeclaration(
      "power-failing", .powerFailing, .outside, "Writes the checkpoint at once: for a supply that warns."),
    CommandDeclaration(
      "shutdown", .shutdown, .outside, "Writes the checkpoint, fades out and ends the daemon.",
      "The board itself stays on, and the service is not started again before the next power-on."),
  ]

  static let session: [CommandDeclaration] = [
    CommandDeclaration(
      "format",
      Arguments.oneOf([
        (Choice("text", "for people"), ReplyFormat.text),
        (Choice("json", "one object a line, for programs"), .json),
      ]), .session, "Sets how this session's answers are written.", examples: ["format json"]
    ) { .format($0) },
    CommandDeclaration(
      "pin", Arguments.pin, .session, "Unlocks a session that has a PIN (console.pin).",
      "Each wrong PIN makes the next try wait longer.", examples: ["pin 1234"]
    ) { .pin($0) },
    CommandDeclaration(
      "help", Arguments.topic, aliases: ["?"], .session, "Explains commands and settings.",
      examples: [
        "help", "help seek", "help queue", "help fade", "help fade.length", "help settings", "help events",
      ]
    ) { .help($0) },
    CommandDeclaration("exit", .exit, aliases: ["quit", "logout"], .session, "Ends this session."),
  ]
}
