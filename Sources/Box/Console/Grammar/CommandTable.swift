// The command table, with the commands for transport and sound. Pure; any thread.

import PlaybackModel

enum CommandTable {
  /// All commands, by chapter.
  static let declarations: [CommandDeclaration] = parts.flatMap { $0 }

  /// The commands of the player, of each feature, and of the box.
  private static let parts: [[CommandDeclaration]] = [
    transport, volumes, sound, equalizer, sleepTimer, alarms, limits, announcements, queue, playlists,
    library,
    pictures, stickers, settings, controls, tags, information, outside, sources, session,
  ]

  /// The distinct first words of all names, without aliases.
  static let verbs: [String] = {
    var verbs: [String] = []
    for declaration in declarations {
      let verb = declaration.spellings[0][0]
      if verbs.last != verb, !verbs.contains(verb) { verbs.append(verb) }
    }
    return verbs
  }()

  /// The verbs and all aliases, for nearest-match hints.
  static let verbsAndAliases: [String] = verbs + declarations.flatMap { $0.aliases }

  private static let transport: [CommandDeclaration] = [
    CommandDeclaration(
      "play", Arguments.path.optional, .transport, "Resumes, or plays a file, folder, playlist or stream.",
      "Without a path it resumes, replays what has ended, or retries what has failed. With an empty queue it plays what "
        + "there is: the stick that was offered, or else everything in media.root. If the storage of the queue is away, it plays "
        + "the stick that was offered, or else the next track of the queue that is there, or else it waits for the storage. "
        + "With a path, or an address that begins with http:// or https://, it replaces the queue.",
      examples: ["play", "play \"Kind of Blue\"", "play https://example.org/podcast.mp3"]
    ) { .play(path: $0) },
    CommandDeclaration(
      "play offered", .playOffered, .transport, "Plays the stick that was offered.",
      "It replaces the queue. status shows the stick as storage-offered."),
    CommandDeclaration("pause", .pause, .transport, "Pauses, also in the middle of a fade."),
    CommandDeclaration(
      "toggle", .toggle, .transport, "Pauses or resumes.",
      "Meant for a box with a single button."),
    CommandDeclaration("stop", .stop, .transport, "Fades out (stop.fade) and stops; the queue stays."),
    CommandDeclaration(
      "next", .next, aliases: ["skip"], .transport, "Goes to the next track.",
      "Fades over if fade.manual-length is set. Stops after the last track."),
    CommandDeclaration(
      "previous", .previous, aliases: ["prev"], .transport,
      "Restarts the track, or goes to the previous one.",
      "It restarts the track after its first three seconds, and the first track of the queue always. With "
        + "'set queue.before-first stop' it stops the music from there."),
    CommandDeclaration(
      "seek", Arguments.seekTarget, .transport, "Goes to a position in the track.",
      "Takes seconds, minutes:seconds or hours:minutes:seconds, a percentage of the track, or with + or - a "
        + "distance from here. stream.spool buffers the last minutes of a live stream: a seek beyond them goes to their "
        + "oldest, 'seek live' to the present; status shows behind-live.",
      examples: ["seek 90", "seek 1:30", "seek +10", "seek -0:30", "seek 25%", "seek live"]
    ) { .seek($0) },
    CommandDeclaration(
      "finish-fade", .finishFade, .transport, "Ends a running fade within a second."),
    CommandDeclaration(
      "retry", .retry, .transport, "Retries what has failed, at the same position."),
    CommandDeclaration(
      "reset", .reset, .transport, "Leaves the failed state; nothing plays afterwards.",
      "To restore settings, use 'unset'."),
  ]

  private static let sound: [CommandDeclaration] = [
    CommandDeclaration(
      "crossfade", fadeLength, .sound, "Sets how long tracks fade into each other.",
      "The same as 'set fade.length'. 0 joins them without a gap.",
      examples: ["crossfade 5", "crossfade 0", "crossfade 750ms"]
    ) { .set(.fadeLength, $0) },
    CommandDeclaration(
      "curve", fadeCurve, .sound, "Sets the shape of fades.", "The same as 'set fade.curve'.",
      examples: ["curve equal-power"]
    ) { .set(.fadeCurve, .choice($0.name)) },
    CommandDeclaration(
      "test",
      Arguments.oneOf([
        (Choice("tone", "a tone on the left, then on the right"), TestSubject.tone),
        (Choice("leds", "each LED in turn"), .leds),
        (Choice("buttons", "shows what is pressed"), .buttons),
      ]), .sound, "Tests a part of the box.", examples: ["test tone"]
    ) { .test($0) },
  ]

  private static let fadeLength: Argument<SettingValue> = {
    let declaration = Setting.fadeLength.declaration
    return Argument("SECONDS", declaration.wanted) { try? declaration.read([$0]) }
  }()

  private static let fadeCurve: Argument<FadeCurve> = {
    guard case .choice(let choices) = Setting.fadeCurve.declaration.kind else {
      preconditionFailure("fade.curve is not a choice")
    }
    let names = choices.map { $0.name }
    return Argument("CURVE", SettingKind.joined(names), [.words(choices)]) {
      FadeCurve(name: Spelling.small($0))
    }
  }()
}
