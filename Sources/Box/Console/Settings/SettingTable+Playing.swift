// Settings of queue, ReplayGain, streams, alarms, tags, limits, media and library. Pure; any thread.

extension SettingTable {
  static let playing: [SettingDeclaration] = [
    SettingDeclaration(
      .queueRepeat, "queue.repeat",
      .choice([Choice("off"), Choice("one", "the current track"), Choice("all", "the whole queue")]),
      default: "off", "What to repeat. 'queue repeat' is the short form."),
    SettingDeclaration(
      .queueShuffle, "queue.shuffle", .onOff, default: "off",
      "Plays in random order, each track once before any comes again. 'queue shuffle' is the short form."),
    SettingDeclaration(
      .queueEnd, "queue.end",
      .choice([
        Choice("stop", "stops and keeps the queue"), Choice("clear", "stops and empties the queue"),
        Choice("repeat", "starts again"),
      ]), default: "stop", "What to do after the last track."),
    SettingDeclaration(
      .queueBeforeFirst, "queue.before-first",
      .choice([Choice("restart", "begins the first track again"), Choice("stop", "stops")]),
      default: "restart", "What 'previous' does in the first three seconds of the first track."),

    SettingDeclaration(
      .gainMode, "gain.mode",
      .choice([
        Choice("off", "as recorded"), Choice("track", "each track equally loud"),
        Choice("album", "albums equally loud"),
      ]), default: "off", applies: .forNextTrack, "Adjusts loudness by the files' ReplayGain or R128 tags."),
    SettingDeclaration(
      .gainPreamp, "gain.preamp", .decimal(-15...15, decimals: 2, unit: "dB"), default: "0",
      applies: .forNextTrack,
      "Gain added to every adjusted track."),
    SettingDeclaration(
      .gainClipProtection, "gain.clip-protection", .onOff, default: "on", applies: .forNextTrack,
      "Lowers a track that would exceed full scale otherwise."),

    SettingDeclaration(
      .sleepFade, "sleep.fade", .decimal(0...120, decimals: 3, unit: "s"), default: "20",
      "The length of the sleep timer's fade-out."),
    SettingDeclaration(
      .bookmarksMinimumLength, "bookmarks.minimum-length", .integer(1...600, unit: "min"),
      or: Choice("off", "no bookmarks"), default: "20",
      "Tracks at least this long, such as audio books, continue where they were left."),

    SettingDeclaration(
      .streamFallback, "stream.fallback", .path, or: Choice("off", "silence until the station is back"),
      default: "off",
      "The file, folder or playlist that is played in a stream's place while that is silent. It fades in and, when the stream is "
        + "back, out again; the queue is not changed."),
    SettingDeclaration(
      .streamFallbackAfter, "stream.fallback.after", .decimal(1...600, decimals: 1, unit: "s"), default: "10",
      "For how long a stream is silent before stream.fallback is played."),
    SettingDeclaration(
      .streamSpool, "stream.spool", .integer(262_144...67_108_864, unit: "B"), default: "4194304",
      applies: .forNewStreams,
      "How many bytes of each stream are kept in memory, rounded up to a power of two: 4 MiB are four minutes at 128 kbit/s."
    ),
    SettingDeclaration(
      .streamStart, "stream.start", .decimal(0.3...2.5, decimals: 1, unit: "s"), default: "1.5",
      applies: .forNewStreams,
      "How much sound of a stream is decoded before it is heard, also after it ran dry."),
    SettingDeclaration(
      .streamTimeout, "stream.timeout", .integer(1...120, unit: "s"), default: "10", applies: .forNewStreams,
      "How long a server may take to accept a connection, and how long it may send nothing before the connection is made "
        + "again."),
    SettingDeclaration(
      .streamProxy, "stream.proxy", .text(longest: 256), or: Choice("off", "none"), default: "off",
      applies: .forNewStreams,
      isSecret: true,
      "The proxy for streams, such as http://proxy:3128 or socks5h://name:word@proxy."),
    SettingDeclaration(
      .streamPrivateRedirects, "stream.private-redirects", .onOff, default: "off", applies: .forNewStreams,
      "Whether a server on the internet may lead a stream to an address of the box or of its network, by a redirection, a station's list "
        + "or a playlist of segments. The address that you name may always be one of these. With stream.proxy the proxy decides."
    ),

    SettingDeclaration(
      .alarmFallback, "alarm.fallback", .path, or: Choice("off", "a sound of the box's own"), default: "off",
      "The file, folder or playlist that an alarm plays when what it should play is not heard within 20 seconds. If that fails, "
        + "too, a sound of the box's own rings."),
    SettingDeclaration(
      .alarmVolume, "alarm.volume", .integer(1...100, unit: "%"), default: "40",
      "How loud an alarm gets, within volume.maximum. At night it is limited to night.maximum, but not below alarm.minimum."
    ),
    SettingDeclaration(
      .alarmMinimum, "alarm.minimum", .integer(1...100, unit: "%"), default: "30",
      "The least volume of an alarm once it has risen, whatever the knob and night.maximum say. It is never above alarm.volume and "
        + "volume.maximum."),
    SettingDeclaration(
      .alarmRise, "alarm.rise", .decimal(0...600, decimals: 0, unit: "s"), default: "60",
      "How long an alarm takes from 10 % to alarm.volume."),
    SettingDeclaration(
      .alarmSnooze, "alarm.snooze", .integer(1...60, unit: "min"), default: "9",
      "After how many minutes an alarm rings again when 'snooze' names no number."),

    SettingDeclaration(
      .knobAcceleration, "knob.acceleration", .integer(1...4, unit: ""), default: "4",
      "How many steps a detent counts at most when a knob is turned fast, for volume and seek. With 1 each detent counts once."
    ),

    SettingDeclaration(
      .tagsAgain, "tags.again",
      .choice([
        Choice("toggle", "pauses, or plays on"), Choice("next", "goes to the next track"),
        Choice("restart", "begins at the beginning"), Choice("nothing"),
      ]), default: "toggle", "What a tag does that comes again while its music is in the queue."),
    SettingDeclaration(
      .tagsRemoved, "tags.removed",
      .choice([Choice("nothing"), Choice("pause", "plays on when the tag is back"), Choice("stop")]),
      default: "nothing",
      "What happens when a tag is taken from its reader. Readers that are keyboards do not report that; panels and a PN532 do."
    ),
    SettingDeclaration(
      .tagsDebounce, "tags.debounce", .decimal(0...10, decimals: 1, unit: "s"), default: "1.5",
      "How long a tag may be out of a reader's sight without counting as taken away, and how soon the same tag may come again "
        + "without counting as a second swipe. Raise it for a reader that repeats a tag that lies on it."),
    SettingDeclaration(
      .tagsResume, "tags.resume", .onOff, default: "on",
      "A tag's music continues at the track and position where it was left, also after other tags and power cuts. Heard to its end, it "
        + "begins at the beginning."),

    SettingDeclaration(
      .limitsDaily, "limits.daily", .integer(1...1440, unit: "min"), or: Choice("off", "no limit"),
      default: "off", "How long music may be heard in a day. Alarms and announcements do not count."),
    SettingDeclaration(
      .limitsQuietFrom, "limits.quiet-from", .timeOfDay, or: Choice("off", "no quiet hours"), default: "off",
      "When the hours begin in which no music is played, in local time. Alarms ring."),
    SettingDeclaration(
      .limitsQuietTo, "limits.quiet-to", .timeOfDay, default: "07:00", "When the quiet hours end."),
    SettingDeclaration(
      .limitsTagsOnly, "limits.tags-only", .onOff, default: "off",
      "Only tags and alarms choose what is played. Buttons and clients can pause and play it, skip within it and change the volume."
    ),

    SettingDeclaration(
      .mediaRoot, "media.root", .paths(most: 8), default: "/srv/music",
      "The folders with the music. Nothing outside these and media.removable is played."),
    SettingDeclaration(
      .mediaRemovable, "media.removable", .path, or: Choice("off", "no removable storage"),
      default: "/media", "The folder below which sticks and cards are mounted."),
    SettingDeclaration(
      .mediaRemovableAction, "media.removable-action",
      .choice([
        Choice("offer", "plays a cue; 'play' on an empty queue plays it, 'media' lists it"),
        Choice("play", "replaces the queue and plays"),
        Choice("ignore", "does nothing"),
      ]), default: "offer", "What to do when a stick or card appears."),

    SettingDeclaration(
      .libraryEnabled, "library.enabled", .onOff, default: "off",
      "Keeps an index of the music's tags beside the file of checkpoint.path, for 'find', 'search', 'list' and 'count', and for "
        + "clients of MPD. It is filled in the background, at idle priority."),
  ]
}
