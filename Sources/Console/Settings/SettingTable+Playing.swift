// The settings of the queue, loudness, sleep timer, bookmarks and media. Pure; any thread.

extension SettingTable {
  static let playing: [SettingDeclaration] = [
    SettingDeclaration(
      .queueRepeat, "queue.repeat",
      .choice([Choice("off"), Choice("one", "the current track"), Choice("all", "the whole queue")]),
      default: "off", "What is played again. 'queue repeat' is the short form."),
    SettingDeclaration(
      .queueShuffle, "queue.shuffle", .onOff, default: "off",
      "Plays in random order, each track once before any comes again. 'queue shuffle' is the short form."),
    SettingDeclaration(
      .queueEnd, "queue.end",
      .choice([
        Choice("stop", "stops; the queue stays"), Choice("clear", "stops; the queue is emptied"),
        Choice("repeat", "begins again"),
      ]), default: "stop", "What happens after the last track."),

    SettingDeclaration(
      .gainMode, "gain.mode",
      .choice([
        Choice("off", "as recorded"), Choice("track", "each track equally loud"),
        Choice("album", "albums equally loud"),
      ]), default: "off", "Levels loudness by the files' ReplayGain or R128 tags."),
    SettingDeclaration(
      .gainPreamp, "gain.preamp", .decimal(-15...15, decimals: 2, unit: "dB"), default: "0",
      "Added to every levelled track."),
    SettingDeclaration(
      .gainClipProtection, "gain.clip-protection", .onOff, default: "on",
      "Lowers a track that levelling would make louder than full scale."),

    SettingDeclaration(
      .sleepFade, "sleep.fade", .decimal(0...120, decimals: 3, unit: "s"), default: "20",
      "How long the sleep timer fades out."),
    SettingDeclaration(
      .bookmarksMinimumLength, "bookmarks.minimum-length", .integer(1...600, unit: "min"),
      or: Choice("off", "no bookmarks"), default: "20",
      "Tracks at least this long, such as audio books, go on where they were left."),

    SettingDeclaration(
      .mediaRoot, "media.root", .paths(most: 8), default: "/srv/music",
      "The folders that hold the music. Nothing outside of them and of media.removable is played."),
    SettingDeclaration(
      .mediaRemovable, "media.removable", .path, or: Choice("off", "removable storage is not looked for"),
      default: "/media", "The folder in which sticks and cards are mounted."),
    SettingDeclaration(
      .mediaRemovableAction, "media.removable-action",
      .choice([
        Choice("offer", "shown by 'media', with a cue"), Choice("play", "replaces the queue and plays"),
        Choice("ignore", "nothing"),
      ]), default: "offer", "What happens when a stick or card appears."),
  ]
}
