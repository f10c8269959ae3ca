// The fields of all events, for help and reference. A test compares them with the events the daemon sends.
// Pure; any thread.

/// A field of an event.
package struct EventField: Hashable, Sendable {
  /// The name in JSON.
  package let name: String
  /// The value's meaning, with its unit.
  package let meaning: String
  /// Whether the field is omitted if it is unknown or does not apply.
  package let isOptional: Bool

  init(_ name: String, _ meaning: String, isOptional: Bool = false) {
    self.name = name
    self.meaning = meaning
    self.isOptional = isOptional
  }
}

/// The declaration of one kind of event.
package struct EventDeclaration: Sendable {
  /// The subject that `watch` and `idle` select it by.
  package let subject: EventSubject
  /// When it is sent, in one line.
  package let summary: String
  /// Its fields in order, without `EventTable.common`.
  package let fields: [EventField]
}

/// The declarations of all events.
package enum EventTable {
  /// The number of past events kept for later queries.
  package static let kept = 64

  /// The first fields of every event except `position`.
  package static var common: [EventField] {
    [
      EventField("id", "a number that increases by one with each event since the start"),
      EventField("seconds", "when it happened, in seconds since the start"),
    ]
  }

  private static var trackFields: [EventField] {
    [
      EventField("track", "the id of the queue's entry"),
      EventField("title", "the title, or the file's name"),
      EventField("artist", "the artist", isOptional: true),
      EventField("album", "the album", isOptional: true),
      EventField("path", "the file"),
      EventField("length", "the length in seconds", isOptional: true),
    ]
  }

  private static var optionalTrack: [EventField] {
    trackFields.map { EventField($0.name, $0.meaning, isOptional: true) }
  }

  /// All events, indexed by the raw value of their subject.
  package static let declarations: [EventDeclaration] = [
    EventDeclaration(
      subject: .state, summary: "The state has changed.",
      fields: [
        EventField("from", "the state before"), EventField("event", "what happened"),
        EventField("to", "the state now, as in `status`"),
        EventField("text", "the state in words"),
      ] + optionalTrack + [EventField("next", "the title of a fade's next track", isOptional: true)]),
    EventDeclaration(
      subject: .track,
      summary: "A track started or stopped playing; or a live stream changed its title or reconnected.",
      fields: [EventField("change", "`began`, `left`, `titled`, `missed` or `restarted`")] + trackFields + [
        EventField("station", "the station's name, when `title` is that of its sound", isOptional: true),
        EventField("position", "where it was left, in seconds", isOptional: true),
        EventField("missing", "how many seconds of a station did not come, about", isOptional: true),
        EventField("over", "whether it was heard to its end, when it is left", isOptional: true),
        EventField("kind", "why its decoder was restarted, as in `error`", isOptional: true),
        EventField("text", "the same in a sentence", isOptional: true),
      ]),
    EventDeclaration(
      subject: .position,
      summary: "The position has changed: ten times a second at most, while music plays or after a change.",
      fields: [EventField("state", "the state"), EventField("text", "the state in words")] + [
        EventField("title", "the title", isOptional: true),
        EventField("position", "the position in seconds"), EventField("volume", "percent"),
        EventField("light", "the light's colour and pattern"),
      ]),
    EventDeclaration(
      subject: .volume, summary: "The volume has changed, or a limit of it has.",
      fields: [EventField("volume", "percent")]),
    EventDeclaration(
      subject: .queue, summary: "The queue has changed.",
      fields: [
        EventField("version", "a number that changes with the queue"),
        EventField("tracks", "how many there are"),
      ]),
    EventDeclaration(
      subject: .setting, summary: "A setting has changed.",
      fields: [
        EventField("key", "the setting, or `all`"),
        EventField("value", "its value in the form of 'show'; secrets hidden", isOptional: true),
      ]),
    EventDeclaration(
      subject: .sleep, summary: "The sleep timer was set or ended, or `sleep track` or `sleep queue` was.",
      fields: [
        EventField("seconds-left", "seconds until it stops; null where nothing is set", isOptional: true),
        EventField("after", "`track` or `queue`, where it stops with its end", isOptional: true),
      ]),
    EventDeclaration(
      subject: .alarm, summary: "An alarm was set or removed, rings, is snoozed or is over.",
      fields: [
        EventField("alarm", "whether one rings, as in `status`"),
        EventField("path", "the music of the alarm that rings or is snoozed", isOptional: true),
        EventField("next", "day and time of the next; null where none is set"),
      ]),
    EventDeclaration(
      subject: .output, summary: "The sound output was lost, restored or replaced.",
      fields: [
        EventField("output", "the output, as in `status`"), EventField("there", "whether it can play"),
      ]),
    EventDeclaration(
      subject: .error, summary: "A track or the output has failed; playing may continue.",
      fields: [
        EventField("kind", "the kind of error"), EventField("text", "what went wrong"),
        EventField("remedy", "what to do"), EventField("path", "the file", isOptional: true),
      ]),
    EventDeclaration(
      subject: .light, summary: "The light has changed.",
      fields: [EventField("light", "colour and pattern, as in `status`")]),
    EventDeclaration(
      subject: .storage,
      summary: "Removable storage has appeared or was removed, or storage does not answer, or does again.",
      fields: [
        EventField("path", "the folder"), EventField("there", "whether it is there"),
        EventField("waiting", "whether it is waited for, because it does not answer", isOptional: true),
      ]),
    EventDeclaration(
      subject: .announcement,
      summary: "An announcement waits, has begun or has ended, or why it was not heard.",
      fields: [
        EventField("change", "`waits`, `began`, `ended`, `stopped`, `dropped`, `cut` or `failed`"),
        EventField("path", "the file or address"),
        EventField("waiting", "how many are in line after the first"),
        EventField("text", "what went wrong, when it has failed", isOptional: true),
      ]),
    EventDeclaration(
      subject: .library, summary: "The index of the music is being brought up to date, or has been.",
      fields: [
        EventField("path", "the folder that is looked through"),
        EventField("updating", "whether it is still in progress"),
        EventField("changed", "how many tracks were read anew or removed, when it is over", isOptional: true),
      ]),
    EventDeclaration(
      subject: .tag,
      summary: "A tag has come to a reader or has gone, has failed, or was set, learnt or removed.",
      fields: [
        EventField("change", "`placed`, `unknown`, `failed`, `lifted`, `set`, `learnt` or `removed`"),
        EventField("tag", "the tag's number"),
        EventField("command", "what it does", isOptional: true),
        EventField("reader", "the reader's name, where one has reported it", isOptional: true),
      ]),
    EventDeclaration(
      subject: .limits,
      summary: "Playing is limited, or is not any more, or a minute of the day's time was used.",
      fields: [
        EventField("limit", "why nothing may be played: `quiet` or `daily`; null where it may"),
        EventField("minutes-left", "minutes of today that are left; null without a daily limit"),
      ]),
    EventDeclaration(
      subject: .playlist, summary: "A playlist that the box keeps was made, changed or deleted.",
      fields: [
        EventField("playlist", "its name"),
        EventField("tracks", "how many tracks it has; null: it is not there any more"),
      ]),
    EventDeclaration(
      subject: .source, summary: "A live source is heard, or is not any more.",
      fields: [
        EventField("source", "its name"),
        EventField("change", "`began`, `ended`, `dismissed`, `displaced`, `lost` or `broken`"),
      ]),
    EventDeclaration(
      subject: .sticker, summary: "Something was written about a song, or taken away.",
      fields: [EventField("path", "the song, by the name that clients of MPD have")]),
    EventDeclaration(
      subject: .clock,
      summary: "The clock was set, the time zone was changed, or the time of day became known.",
      fields: [
        EventField("time", "day and time"), EventField("known", "whether the time of day is known"),
      ]),
  ]

  /// The declaration for a subject.
  package static func declaration(_ subject: EventSubject) -> EventDeclaration {
    declarations[Int(subject.rawValue)]
  }
}
