// Settings of the cues, the short sounds of the box itself, with their typed values. Pure; any thread.

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

  static let cues: [SettingDeclaration] =
    [
      SettingDeclaration(
        .cuesEnabled, "cues.enabled", .onOff, default: "on", "Plays short sounds for errors and other events."
      ),
      SettingDeclaration(
        .cuesVolume, "cues.volume", .integer(0...100, unit: "%"), default: "60",
        "The most that cues are: they are as loud as the music, and at least -36 dB, up to this."),
    ] + cueMoments.map { cue($0) }
}

extension Settings {
  /// Whether cues are played.
  package var cuesEnabled: Bool { isOn(.cuesEnabled) }
  /// The highest volume of cues, in percent.
  package var cuesVolume: Int { whole(.cuesVolume) }
  /// The file that replaces a cue; nil: the built-in sound.
  ///
  /// - Parameter name: The cue's name, as in `PlaybackError.cue` and `cues.NAME`.
  package func cueFile(_ name: String) -> String? { Setting(key: "cues." + name).flatMap { text($0) } }
}
