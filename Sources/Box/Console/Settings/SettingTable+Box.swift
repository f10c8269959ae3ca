// Settings of console, control socket, MPD, discovery, checkpoint, updates, log and cues. Pure; any thread.

extension SettingTable {
  /// A cue that a file can replace, with the time it is played at, to follow "The sound to play".
  typealias CueMoment = (setting: Setting, name: String, moment: String)

  /// All cues that files can replace.
  static let cueMoments: [CueMoment] = [
    (.cuesReady, "ready", "after power-on"),
    (.cuesErrorFile, "error-file", "when a file cannot be played"),
    (.cuesErrorNetwork, "error-network", "when the network fails"),
    (.cuesErrorOutput, "error-output", "when the sound card fails"),
    (.cuesErrorStorage, "error-storage", "when storage was removed"),
    (.cuesErrorInternal, "error-internal", "when the player itself fails"),
    (.cuesVolumeLimit, "volume-limit", "at the volume's limit"),
    (.cuesSleepTimer, "sleep-timer", "when the sleep timer is set"),
    (.cuesStorage, "storage", "when a stick is offered"),
    (.cuesStorageWait, "storage-wait", "when storage that music is to come from does not answer"),
    (
      .cuesAlarm, "alarm",
      "when an alarm has no music to ring with; it is heard even with cues.enabled off"
    ),
    (.cuesTagUnknown, "tag-unknown", "when a tag has no command"),
    (.cuesTagLearnt, "tag-learnt", "when a tag has got its command"),
    (.cuesLimit, "limit", "when what was asked for is not played because of limits"),
    (.cuesNotSaved, "not-saved", "when a change, such as a tag's command, cannot be stored"),
    (.cuesConfiguration, "configuration", "after power-on, when lines of the configuration are skipped"),
  ]

  private static func cue(_ cue: CueMoment) -> SettingDeclaration {
    SettingDeclaration(
      cue.setting, "cues." + cue.name, .path, or: Choice("built-in", "a synthesised sound"),
      default: "built-in",
      applies: cue.setting == .cuesReady || cue.setting == .cuesConfiguration ? .atNextStart : .atOnce,
      "The sound to play " + cue.moment
        + ". A file may be outside the media folders; it is decoded in the sandbox like any other.")
  }

  static let access: [SettingDeclaration] = [
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
      .mpdListen, "mpd.listen", .address, or: Choice("off", "no clients of MPD"), default: "off",
      "Where the box listens for clients of MPD, such as mpc, Home Assistant and apps on a phone. 127.0.0.1:6600 is for "
        + "programs on the box itself, 0.0.0.0:6600 or [::]:6600 for all that reach it."),
    SettingDeclaration(
      .mpdPassword, "mpd.password", .text(longest: 64), or: Choice("none", "clients need none"),
      default: "none",
      isSecret: true,
      "The password that clients of MPD have to give. It is sent over the network unencrypted."),
    SettingDeclaration(
      .mpdGuests, "mpd.guests",
      .choice([
        Choice("nothing"), Choice("read", "see what plays and browse the music"),
        Choice("add", "add to the queue, too"),
      ]), default: "nothing",
      "What clients of MPD may do that have not given mpd.password. Without a password all of them may do everything."
    ),

    SettingDeclaration(
      .discoveryEnabled, "discovery.enabled", .onOff, default: "off",
      "Announces the box in the local network, by Avahi, while its MPD server listens beyond the box itself, so that clients find it."
    ),
    SettingDeclaration(
      .discoveryName, "discovery.name", .text(longest: 63), or: Choice("host", "the machine's name"),
      default: "host", "What the box is called there."),
  ]

  static let box: [SettingDeclaration] =
    [
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
        .updatesAutomatic, "updates.automatic", .onOff, default: "off",
        "Installs a newer Swiftlet at night from the package source, while nothing plays and no alarm is due within an hour. A "
          + "version that does not work is replaced by the one before. 'status' says when an update is due, and the result of the last."
      ),
      SettingDeclaration(
        .updatesTime, "updates.time", .timeOfDay, default: "03:30",
        "When the two hours begin in which the box may be updated."),
      SettingDeclaration(
        .clockTimezone, "clock.timezone", .timeZone, or: Choice("system", "that of the operating system"),
        default: "system",
        "The time zone of alarms, nights and limits, such as Europe/Berlin. Nothing of the operating system is changed."
      ),

      SettingDeclaration(
        .logLevel, "log.level",
        .choice([Choice("error"), Choice("warning"), Choice("info"), Choice("debug")]), default: "info",
        "The least important level to log."),
      SettingDeclaration(
        .reportPath, "report.path", .path, or: Choice("off", "nothing outlives a crash"),
        default: "/run/swiftlet/flight", applies: .atNextStart,
        "The file that lets 'report' show what happened before a crash. It must be in memory, like /run, because it is "
          + "written all the time."),

      SettingDeclaration(
        .cuesEnabled, "cues.enabled", .onOff, default: "on", "Plays short sounds for errors and other events."
      ),
      SettingDeclaration(
        .cuesVolume, "cues.volume", .integer(0...100, unit: "%"), default: "60",
        "The most that cues are: they are as loud as the music, and at least -36 dB, up to this."),
    ] + cueMoments.map { cue($0) }
}
