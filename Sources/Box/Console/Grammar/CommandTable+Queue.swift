// Declarations of the commands for queue, media and settings. Pure; any thread.

import PlaybackModel

extension CommandTable {
  static let queue: [CommandDeclaration] = [
    CommandDeclaration("queue", .queue(.list(from: nil, count: nil)), .queue, "Lists the queue."),
    CommandDeclaration(
      "queue list", Arguments.position.optional, Arguments.count(most: PlayQueue.limit).optional, .queue,
      "Lists the queue, from a position on.",
      "Lists 50 entries where no COUNT is given. Of up to 50, what was not opened yet is shown as the index of the music knows it.",
      examples: ["queue list", "queue list 200", "queue list 200 10"]
    ) { .queue(.list(from: $0, count: $1)) },
    CommandDeclaration(
      "queue add", Arguments.path.repeated, aliases: ["add"], .queue,
      "Adds files, folders or playlists at the end.",
      examples: ["queue add \"Kind of Blue\" extras/interview.ogg"]
    ) { .queue(.add(paths: $0)) },
    CommandDeclaration(
      "queue insert", Arguments.insertPosition, Arguments.path, part.optional, .queue,
      "Inserts a file, folder or playlist at a position.",
      "'next' is the place after the current track; the added tracks play next, even in a shuffle. 5:10 takes from the fifth track to "
        + "the tenth of the tracks of PATH, 5: from the fifth on.",
      examples: [
        "queue insert 2 song.flac", "queue insert next song.flac", "queue insert next playlist:Evening 5:10",
      ]
    ) { .queue(.insert($0, path: $1, part: $2)) },
    CommandDeclaration(
      "queue remove", Arguments.place, Arguments.position.optional, .queue, "Removes an entry, or several.",
      "With a second position it removes all from the first to that one. If the current track is among them, the next one "
        + "plays, or is cued where the music is paused; behind the last one it stops.",
      examples: ["queue remove 3", "queue remove 3 7", "queue remove id:17"]
    ) { .queue(.edit(.remove($0, through: $1))) },
    CommandDeclaration(
      "queue move", Arguments.place, Arguments.position, Arguments.position.optional, .queue,
      "Moves an entry, or several, to another position.",
      "With a third position it moves all from the first to the second one, so that the first of them is then at the third.",
      examples: ["queue move 5 1", "queue move id:17 1", "queue move 5 8 1"]
    ) { place, second, third in
      .queue(
        .edit(
          third.map { .move(place, through: second, to: $0) } ?? .move(place, through: nil, to: second)))
    },
    CommandDeclaration(
      "queue swap", Arguments.place, Arguments.place, .queue, "Exchanges two entries.",
      examples: ["queue swap 2 5", "queue swap id:17 1"]
    ) { .queue(.edit(.swap($0, $1))) },
    CommandDeclaration(
      "queue edit", version, edit.repeated, .queue, "Carries out several changes of the queue as one.",
      "VERSION is the queue-version of 'status'. If the queue has changed since, or if one of the changes is not possible, none "
        + "is carried out. A change is what follows 'queue', in quotes: remove, move, swap, clear, mix or priority.",
      examples: ["queue edit 17 \"move id:5 1\" \"remove 3 4\""]
    ) { .queue(.edits($1, ofVersion: $0)) },
    CommandDeclaration(
      "queue jump", Arguments.place, .queue, "Plays the entry at a position.",
      examples: ["queue jump 4", "queue jump id:17"]
    ) { .queue(.jump($0)) },
    CommandDeclaration(
      "queue cue", Arguments.place, Arguments.trackPosition.optional, .queue,
      "Makes the entry at a position the current one.",
      "It plays where music plays, and is paused at its beginning, or at TIME, where none does.",
      examples: ["queue cue 4", "queue cue id:17 1:30"]
    ) { .queue(.cue($0, at: $1)) },
    CommandDeclaration(
      "queue clear", .queue(.edit(.clear)), aliases: ["clear"], .queue,
      "Empties the queue and stops the music."),
    CommandDeclaration(
      "queue clear upcoming", .queue(.edit(.clearUpcoming)), .queue, "Removes what has not been played yet."),
    CommandDeclaration(
      "queue shuffle", Arguments.onOff.optional, aliases: ["shuffle", "random"], .queue,
      "Plays in random order, or in the order of the queue.",
      "Without a word it toggles it.", examples: ["queue shuffle on", "queue shuffle"]
    ) { $0.map { .queue(.shuffle($0)) } ?? .cycle(.queueShuffle) },
    CommandDeclaration(
      "queue mix", Arguments.position.optional, Arguments.position.optional, .queue,
      "Puts the queue, or a part of it, into random order, once.",
      "'queue shuffle' plays in random order and does not change the queue's order.",
      examples: ["queue mix", "queue mix 5 20"]
    ) { .queue(.edit(.mix(from: $0, through: $1))) },
    CommandDeclaration(
      "queue priority", priority, Arguments.place, Arguments.position.optional, .queue,
      "Has an entry, or several, played before others in random order.",
      "Those with a higher priority come first, those with the same in random order. What was played is played again where it gets "
        + "ahead of the current track by that. In the order of the queue priorities are only remembered.",
      examples: ["queue priority 10 7", "queue priority 10 7 12", "queue priority 0 id:17"]
    ) { .queue(.edit(.prioritize($1, through: $2, priority: $0))) },
    CommandDeclaration(
      "queue repeat",
      Arguments.oneOf([
        (Choice("off"), RepeatMode.off), (Choice("one", "the current track"), .one),
        (Choice("all", "the whole queue"), .all),
      ]).optional, aliases: ["repeat"], .queue, "Repeats nothing, the track, or the queue.",
      "Without a word it steps through the choices.", examples: ["queue repeat all", "queue repeat"]
    ) { $0.map { .queue(.repeat($0)) } ?? .cycle(.queueRepeat) },
    CommandDeclaration(
      "media", Arguments.path.optional, aliases: ["ls"], .queue, "Lists a folder of music.",
      "Without a path it lists the roots and the removable storage, or what is in them if there is but one.",
      examples: ["media", "media Jazz"]
    ) { .media(path: $0) },
    CommandDeclaration("bookmarks", .bookmarks, .queue, "Lists where long tracks were left."),
    CommandDeclaration("bookmarks clear", .clearBookmarks, .queue, "Removes all bookmarks."),
  ]

  private static let part = Argument<TrackRange>(
    "FROM:TO", "tracks such as 5:10, from the fifth to the tenth, or 5:, from the fifth on"
  ) { TrackRange($0) }

  private static let version = Argument<Int>("VERSION", "the queue-version of 'status'") {
    SettingKind.integer($0, unit: "")
  }

  /// A change of the queue in quotes, as it is typed after `queue`.
  private static let edit = Argument<QueueEdit>("CHANGE", "a change in quotes, like \"move 5 1\"") { word in
    guard let command = try? Interpreter.parse("queue " + word), case .queue(.edit(let edit)) = command else {
      return nil
    }
    return edit
  }

  private static let priority = Argument<UInt8>("PRIORITY", "0 to 255, of which 0 is that of others") {
    SettingKind.integer($0, unit: "").flatMap { UInt8(exactly: $0) }
  }

  static let settings: [CommandDeclaration] = [
    CommandDeclaration(
      "set", Arguments.settingAndValue, .settings, "Changes a setting.",
      "'help KEY' shows what a setting takes. 'save' keeps it for the next start.",
      examples: ["set fade.length 5", "set night.from 22:30", "set media.root /srv/music /mnt/books"]
    ) { .set($0.0, $0.1) },
    CommandDeclaration(
      "cycle", Arguments.cycledSetting, .settings, "Changes a setting to its next choice.",
      "After the last choice comes the first. Meant for buttons.",
      examples: ["cycle queue.repeat", "cycle queue.shuffle"]
    ) { .cycle($0) },
    CommandDeclaration(
      "unset", Arguments.settingOrAll, .settings, "Restores the default of a setting, or of all.",
      examples: ["unset fade.length", "unset all"]
    ) { .unset($0) },
    CommandDeclaration(
      "show", Arguments.selection, .settings, "Shows settings: all, a group, or one.",
      examples: ["show", "show fade", "show fade.length"]
    ) { .show($0) },
    CommandDeclaration("diff", .diff, .settings, "Shows the settings that differ from their defaults."),
    CommandDeclaration(
      "save", .save, .settings, "Writes the settings to the configuration file.",
      "What the user has changed in the file since the box read it is kept, and takes effect at the next start. A setting "
        + "that was changed in both is an error, and nothing is written. The former file is kept beside it, as .bak."
    ),
  ]
}
