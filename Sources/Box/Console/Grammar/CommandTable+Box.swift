// Declarations of the commands for information, the outside world and the session. Pure; any thread.

import PlaybackModel

extension CommandTable {
  static let information: [CommandDeclaration] = [
    CommandDeclaration(
      "status", .status, .information, "Shows what plays, its position, and the state of the box.",
      "Lists the seconds until the next retry, if any is due: output-retry-seconds for a missing sound card, "
        + "track-retry-seconds for a track that failed, checkpoint-retry-seconds for storage that takes no "
        + "checkpoint. bitrate is what a second of what is heard takes on average, in kbit/s: of a file by its size and its "
        + "length, of a station by what has come; it is left out where that is not known. failed-in-a-row is how many tracks have failed "
        + "one after another, if the next one waits already."
    ),
    CommandDeclaration(
      "current", .current, .information, "Shows the track that is heard.", "'status' shows everything."),
    CommandDeclaration(
      "watch", Arguments.watched, .information,
      "Sends every event, or every event about some subjects, as it happens, until 'watch off'.",
      "Without a subject, the position is left out; 'watch on' and 'watch position' send it ten times a second at most. 'help events' "
        + "lists the events and their fields.",
      examples: ["watch", "watch state track", "watch off"]
    ) { .watch($0) },
    CommandDeclaration(
      "idle", Arguments.subjects, .information,
      "Waits for the next event, or the next about some subjects, and answers with it.",
      "Events since this session's last 'idle', or since it began, are answered at once. Any line ends the wait. "
        + "Without a subject, the position is left out.",
      examples: ["idle", "idle track", "idle queue volume"]
    ) { .idle($0) },
    CommandDeclaration(
      "history", Arguments.count(most: History.capacity).optional, .information,
      "Shows the last changes of state.",
      "Shows 20 by default.", examples: ["history", "history 50"]
    ) { .history(count: $0 ?? 20) },
    CommandDeclaration(
      "log", Arguments.count(most: Command.maxLogLines).optional, .information,
      "Shows the last lines of the log.",
      "Shows 20 by default.", examples: ["log", "log 100"]
    ) { .log(count: $0 ?? 20) },
    CommandDeclaration(
      "stats", .stats, .information, "Shows counters: underruns, restarts, wake-ups, memory, latency.",
      "worker-crashes counts tracks that failed because their decoder crashed, hung or broke its sandbox, worker-restarts "
        + "decoders that were restarted and tracks that were tried again; power-ons how often the box was switched on, where a "
        + "checkpoint is kept."),
    CommandDeclaration(
      "report", .report(withPaths: false), .information,
      "Prints what the flight recorder holds, to find out what went wrong.",
      "The report holds settings, counters, the log and the events of the last minutes; after a crash, also those of the run "
        + "before. It names no file, title or PIN: the output of 'swiftlet ctl report > FILE' can be passed on, and "
        + "'swiftlet-sim replay FILE' explains it."),
    CommandDeclaration(
      "report with paths", .report(withPaths: true), .information,
      "Prints the report with the names of files.", "PINs stay hidden."),
  ]

  static let outside: [CommandDeclaration] = [
    CommandDeclaration("standby", .standby, .outside, "Pauses until 'wake'."),
    CommandDeclaration("wake", .wake, .outside, "Ends standby and resumes what it paused."),
    CommandDeclaration(
      "interruption begin", .interruptionBegin, .outside, "Pauses for something that must be heard.",
      "For an announcement, a door bell or a telephone."),
    CommandDeclaration(
      "interruption end",
      Arguments.oneOf([
        (Choice("resume", "resumes if it played"), true), (Choice("stay", "stays paused"), false),
      ]).optional, .outside, "Ends an interruption and resumes what it paused, unless 'stay' is given.",
      examples: ["interruption end", "interruption end stay"]
    ) { .interruptionEnd(shouldResume: $0 ?? true) },
    CommandDeclaration(
      "power-failing", .powerFailing, .outside,
      "Writes the checkpoint at once, for a power supply that warns."),
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
        (Choice("lines", "one field a line, for scripts"), .lines),
      ]), .session, "Sets the format of this session's answers.", examples: ["format json"]
    ) { .format($0) },
    CommandDeclaration(
      "pin", Arguments.pin, .session, "Unlocks a session that has a PIN (console.pin).",
      "From the third wrong PIN on, the next try waits 1, 2, 4 … seconds, up to five minutes.",
      examples: ["pin 1234"]
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
