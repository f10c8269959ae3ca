// The settings by name and type, so that no caller can ask for the wrong one. Values; control thread.

import Controls
import PlaybackModel
import Platform

extension Setting {
  /// Where the control socket is unless told otherwise.
  package static let usualSocketPath = "/run/swiftlet/control"
}

extension Settings {
  // The table decides the kind of each setting, and `set` keeps to it: these cannot fail, and a test reads all.

  func integer(_ setting: Setting) -> Int? {
    if case .integer(let number) = value(setting) { number } else { nil }
  }

  func number(_ setting: Setting) -> Double {
    guard case .decimal(let number) = value(setting) else { preconditionFailure("not a number") }
    return number
  }

  func seconds(_ setting: Setting) -> Seconds { Seconds(number(setting)) }

  func isOn(_ setting: Setting) -> Bool { value(setting) == .isOn(true) }

  /// A choice's name; nil for the special word.
  func choice(_ setting: Setting) -> String? {
    if case .choice(let name) = value(setting) { name } else { nil }
  }

  func text(_ setting: Setting) -> String? {
    if case .text(let text) = value(setting) { text } else { nil }
  }

  func minutes(_ setting: Setting) -> Int? {
    if case .timeOfDay(let minutes) = value(setting) { minutes } else { nil }
  }

  private func milliseconds(_ setting: Setting) -> Seconds? {
    integer(setting).map { Seconds(Double($0) / 1000) }
  }
}

// Sound
extension Settings {
  /// The ALSA device, or `null`.
  package var outputDevice: String { text(.outputDevice) ?? "default" }
  /// The card's rate; nil: the first track's.
  package var outputRate: SampleRate? { integer(.outputRate).map { SampleRate($0) } }
  /// The name of the card's sample format; nil: the widest.
  package var outputFormat: String? { choice(.outputFormat) }
  /// `auto`, `deep` or `shallow`.
  package var outputMode: String { choice(.outputMode) ?? "auto" }
  /// The card's period; nil: the mode's.
  package var outputPeriod: Seconds? { milliseconds(.outputPeriod) }
  /// The card's buffer; nil: the mode's.
  package var outputBuffer: Seconds? { milliseconds(.outputBuffer) }
  /// Whether both channels play the sum.
  package var isMono: Bool { isOn(.outputMono) }

  /// What is done for the sake of the speaker.
  package var speakerCorrection: SpeakerCorrection {
    SpeakerCorrection(
      bands: Setting.equalizer.map { if case .band(let band) = value($0) { band } else { nil } },
      highPass: integer(.speakerHighPass).map { Double($0) },
      loudness: isOn(.loudnessEnabled)
        ? LoudnessContour(reference: Volume(Float(integer(.loudnessReference) ?? 100)), curve: volumeCurve)
        : nil)
  }

  /// The button that asks for a safe start; nil: none.
  package var safeButton: ControlName? { text(.startSafeButton).flatMap { ControlName($0) } }

  /// Percent after power-on; nil: as before.
  package var startVolume: Int? { integer(.volumeStart) }
  /// The most percent, by day.
  package var maximumVolume: Int { integer(.volumeMaximum) ?? 100 }
  /// The hours of the night limit; nil without one.
  private var night: DailyHours? { DailyHours(from: minutes(.nightFrom), to: minutes(.nightTo)) }
  /// Minutes until the night limit begins or ends next, at least 1; nil without one.
  package func minutesToNightBorder(atMinute minute: Int) -> Int? { night?.minutesToBorder(from: minute) }

  /// How a volume becomes a gain.
  package var volumeCurve: VolumeCurve { choice(.volumeCurve).flatMap { VolumeCurve(name: $0) } ?? .cubic }
  /// Percent of one step.
  package var volumeStep: Int { integer(.volumeStep) ?? 5 }
  /// The most percent at a local time, in minutes since midnight: the night limit may cross midnight.
  package func maximumVolume(atMinute minute: Int) -> Int {
    let isNight = night?.contains(minute) ?? false
    return isNight ? min(maximumVolume, integer(.nightMaximum) ?? 100) : maximumVolume
  }
  /// The least percent of an alarm once it has risen: never above alarm.volume and the maximum of the day.
  package var minimumAlarmVolume: Int { min(maximumVolume, alarmVolume, integer(.alarmMinimum) ?? 30) }
  /// The most percent of an alarm at a local time, in minutes since midnight: the night limit does not take it below its minimum.
  package func maximumAlarmVolume(atMinute minute: Int) -> Int {
    max(maximumVolume(atMinute: minute), minimumAlarmVolume)
  }
  /// A sentence about the limit that keeps an alarm below alarm.volume; nil where none does.
  /// - Parameter minute: The alarm's local time, in minutes since midnight; nil: any time, the night included.
  package func alarmLimitNote(atMinute minute: Int? = nil) -> String? {
    let isNight = minute.map { night?.contains($0) ?? false } ?? (night != nil)
    let limit =
      isNight ? min(maximumVolume, max(integer(.nightMaximum) ?? 100, minimumAlarmVolume)) : maximumVolume
    guard limit < alarmVolume else { return nil }
    let cause =
      if limit == maximumVolume {
        "volume.maximum"
      } else {
        limit == integer(.nightMaximum) ? "night.maximum" : "night.maximum, raised by alarm.minimum,"
      }
    return cause + " limits an alarm" + (limit == maximumVolume ? "" : " in these hours") + " to "
      + String(limit)
      + " %, below alarm.volume (" + String(alarmVolume) + " %)"
  }

  /// The fade between tracks; 0: joined.
  package var fadeLength: Seconds { seconds(.fadeLength) }
  /// The shape of fades.
  package var fadeCurve: FadeCurve { choice(.fadeCurve).flatMap { FadeCurve(name: $0) } ?? .equalPower }
  /// The fade of a person's skip; 0: none.
  package var manualFadeLength: Seconds { seconds(.fadeManualLength) }
  /// Whether tracks of one album fade, too.
  package var fadesAlbums: Bool { choice(.fadeAlbums) == "fade" }
  /// From this percentage on a paused fade finishes quickly; 101: never.
  package var quickFinishThreshold: Int { integer(.fadeQuickFinish) ?? 101 }
  /// Pause and resume.
  package var pauseRamp: Seconds { seconds(.pauseRamp) }
  /// Stop.
  package var stopFade: Seconds { seconds(.stopFade) }
}

// Playing
extension Settings {
  /// What is repeated.
  package var repeatMode: RepeatMode {
    switch choice(.queueRepeat) {
    case "one": .one
    case "all": .all
    default: .off
    }
  }
  /// Whether the order is random.
  package var isShuffled: Bool { isOn(.queueShuffle) }
  /// Where `previous` leads from the first track.
  package var beforeFirst: BeforeFirst { choice(.queueBeforeFirst) == "stop" ? .stop : .restart }
  /// What happens after the last track.
  package var endOfQueue: EndOfQueue {
    EndOfQueue.allCases.first { $0.name == choice(.queueEnd) } ?? .stopAndKeep
  }

  /// `off`, `track` or `album`.
  package var gainMode: String { choice(.gainMode) ?? "off" }
  /// Decibels added to levelled tracks.
  package var gainPreamp: Double { number(.gainPreamp) }
  /// Whether ReplayGain may not clip.
  package var gainPreventsClipping: Bool { isOn(.gainClipProtection) }

  /// The sleep timer's fade.
  package var sleepFade: Seconds { seconds(.sleepFade) }
  /// How many steps a detent counts at most when a knob is turned fast.
  package var knobAcceleration: Int { integer(.knobAcceleration) ?? 1 }

  /// Tracks from this length on have bookmarks; nil: none.
  package var bookmarkLength: Seconds? {
    integer(.bookmarksMinimumLength).map { Seconds(Double($0) * 60) }
  }

  /// What is played in a silent stream's place; nil: nothing.
  package var streamFallback: String? { text(.streamFallback) }
  /// For how long a stream is silent before that.
  package var streamFallbackAfter: Seconds { seconds(.streamFallbackAfter) }
  /// Bytes of a stream that are kept.
  package var streamSpool: Int { integer(.streamSpool) ?? 4 << 20 }
  /// How much of a stream is decoded before it is heard.
  package var streamStart: Seconds { seconds(.streamStart) }
  /// How long a server may take to accept a connection, or send nothing.
  package var streamTimeout: Seconds { Seconds(Double(integer(.streamTimeout) ?? 10)) }
  /// Whether a stream's server may lead into the box and its network.
  package var streamPrivateRedirects: Bool { isOn(.streamPrivateRedirects) }
  /// The proxy for streams; nil: none.
  package var streamProxy: String? { text(.streamProxy) }

  /// What an alarm plays where it finds nothing else; nil: nothing.
  package var alarmFallback: String? { text(.alarmFallback) }
  /// Percent that an alarm reaches.
  package var alarmVolume: Int { integer(.alarmVolume) ?? 40 }
  /// How long it takes to reach them.
  package var alarmRise: Seconds { seconds(.alarmRise) }
  /// Minutes until an alarm that is snoozed rings again.
  package var alarmSnooze: Int { integer(.alarmSnooze) ?? 9 }
  /// What happens when a tag comes again, and when it goes.
  package var tagRules: TagRules {
    TagRules(
      again: TagAgain.allCases.first { $0.name == choice(.tagsAgain) } ?? .toggle,
      removed: TagRemoved.allCases.first { $0.name == choice(.tagsRemoved) } ?? .nothing)
  }
  /// For how long the same tag is neither taken away nor swiped again.
  package var tagsDebounce: Seconds { seconds(.tagsDebounce) }
  /// Whether a tag's music goes on where it was left.
  package var tagsResume: Bool { isOn(.tagsResume) }
  /// Minutes of music in a day; nil: as many as there are.
  package var dailyLimit: Int? { integer(.limitsDaily) }
  /// The hours without music; nil: none.
  package var quietHours: DailyHours? {
    DailyHours(from: minutes(.limitsQuietFrom), to: minutes(.limitsQuietTo))
  }
  /// Whether only tags and alarms choose what is played.
  package var isTagsOnly: Bool { isOn(.limitsTagsOnly) }

  /// The folders with music; at least one.
  package var mediaRoots: [String] {
    if case .list(let paths) = value(.mediaRoot) { paths } else { [] }
  }
  /// Where removable storage is mounted; nil: not looked for.
  package var removableFolder: String? { text(.mediaRemovable) }
  /// Whether there is an index of the music.
  package var isLibraryEnabled: Bool { isOn(.libraryEnabled) }
  /// `offer`, `play` or `ignore`.
  package var removableAction: String { choice(.mediaRemovableAction) ?? "offer" }
}

// The box
extension Settings {
  /// The serial console's device; nil: none.
  package var consoleTTY: String? { text(.consoleTTY) }
  /// Its speed, in baud.
  package var consoleBaud: Int { choice(.consoleBaud).flatMap { Int($0) } ?? 115200 }
  /// Its PIN; nil: none.
  package var consolePIN: String? { text(.consolePIN) }
  /// The control socket; nil: none.
  package var socketPath: String? { text(.socketPath) }
  /// Its group; nil: the daemon's own.
  package var socketGroup: String? { text(.socketGroup) }

  /// Where clients of MPD are listened for; nil: nowhere.
  package var mpdAddress: NetworkAddress? { text(.mpdListen).flatMap { NetworkAddress($0) } }
  /// What they have to say first; nil: nothing.
  package var mpdPassword: String? { text(.mpdPassword) }
  /// What those may do that do not say it.
  package var mpdGuests: String { choice(.mpdGuests) ?? "nothing" }

  /// Whether the box is announced in the local network.
  package var isDiscoveryEnabled: Bool { isOn(.discoveryEnabled) }
  /// What it is called there; nil: as the machine.
  package var discoveryName: String? { text(.discoveryName) }

  /// The MQTT broker's name or address; nil: none.
  package var mqttHost: String? { text(.mqttHost) }
  /// Its port.
  package var mqttPort: Int { integer(.mqttPort) ?? (usesMQTTOverTLS ? 8883 : 1883) }
  /// Whether the connection is encrypted.
  package var usesMQTTOverTLS: Bool { isOn(.mqttTLS) }
  /// The authority's certificate; nil: what the system trusts.
  package var mqttAuthority: String? { text(.mqttCA) }
  /// The user at the broker; nil: none.
  package var mqttUser: String? { text(.mqttUser) }
  /// The user's password; nil: none.
  package var mqttPassword: String? { text(.mqttPassword) }
  /// The topic below which the box's are; nil: by the machine's name.
  package var mqttPrefix: String? { text(.mqttPrefix) }
  /// The topic below which Home Assistant looks; nil: it is told nothing.
  package var mqttDiscovery: String? { text(.mqttDiscovery) }
  /// What the box is called; nil: as the machine.
  package var mqttName: String? { text(.mqttName) }

  /// The checkpoint file; nil: none.
  package var checkpointPath: String? { text(.checkpointPath) }
  /// How often it is written while playing.
  package var checkpointInterval: Seconds { seconds(.checkpointInterval) }
  /// `as-it-was`, `paused` or `off`.
  package var checkpointResume: String { choice(.checkpointResume) ?? "as-it-was" }

  /// Whether newer packages are installed at night.
  package var updatesAutomatically: Bool { isOn(.updatesAutomatic) }
  /// When that may begin, in minutes since midnight.
  package var updateMinute: Int { minutes(.updatesTime) ?? 210 }
  /// The time zone; nil: the operating system's.
  package var timeZone: String? { text(.clockTimezone) }

  /// `error`, `warning`, `info` or `debug`.
  package var logLevel: String { choice(.logLevel) ?? "info" }

  /// The flight recorder's file; nil: none.
  package var reportPath: String? { text(.reportPath) }

  /// Whether cues are heard.
  package var cuesEnabled: Bool { isOn(.cuesEnabled) }
  /// Their volume, in percent.
  package var cuesVolume: Int { integer(.cuesVolume) ?? 60 }
  /// The file that replaces a cue, by the name in `PlaybackError.cue` and `cues.NAME`; nil: the built-in one.
  package func cueFile(_ name: String) -> String? { Setting(key: "cues." + name).flatMap { text($0) } }
}

extension PlayerSettings {
  /// What the machine decides by, as the box is set, at a rate.
  package init(_ settings: Settings, rate: SampleRate) {
    self.init(rate: rate)
    fadesManually = settings.manualFadeLength > .zero
    manualFadeLength = settings.manualFadeLength
    automaticFadeLength = settings.fadeLength
    curve = settings.fadeCurve
    stopFadeLength = settings.stopFade
    sleepFadeLength = settings.sleepFade
    pauseRamp = settings.pauseRamp
    quickFinishThreshold = settings.quickFinishThreshold
  }
}
