// Typed accessors for the values of all settings. Values; control thread.

import Controls
import PlaybackModel
import Platform

extension Setting {
  /// The default path of the control socket.
  package static let usualSocketPath = "/run/swiftlet/control"
}

extension Settings {
  // The table fixes the kind of each setting and `set` enforces it, so these accessors cannot fail. A test
  // reads all of them.

  func integer(_ setting: Setting) -> Int? {
    if case .integer(let number) = value(setting) { number } else { nil }
  }

  func number(_ setting: Setting) -> Double {
    guard case .decimal(let number) = value(setting) else { preconditionFailure("not a number") }
    return number
  }

  func seconds(_ setting: Setting) -> Seconds { Seconds(number(setting)) }

  func isOn(_ setting: Setting) -> Bool { value(setting) == .isOn(true) }

  /// The name of the choice; nil for the special word.
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
  /// The output: an ALSA device, a Snapcast server or `null`.
  package var outputDevice: String { text(.outputDevice) ?? "default" }
  /// The sample rate; nil: 44.1 kHz, or the nearest rate that the card supports.
  package var outputRate: SampleRate? { integer(.outputRate).map { SampleRate($0) } }
  /// The card's sample format; nil: the widest that it supports.
  package var outputFormat: String? { choice(.outputFormat) }
  /// `auto`, `deep` or `shallow`.
  package var outputMode: String { choice(.outputMode) ?? "auto" }
  /// The card's period; nil: chosen by the mode.
  package var outputPeriod: Seconds? { milliseconds(.outputPeriod) }
  /// The card's buffer; nil: chosen by the mode.
  package var outputBuffer: Seconds? { milliseconds(.outputBuffer) }
  /// Whether both channels are mixed to mono.
  package var isMono: Bool { isOn(.outputMono) }

  /// Equaliser, high-pass and loudness for the speaker.
  package var speakerCorrection: SpeakerCorrection {
    SpeakerCorrection(
      bands: Setting.equalizer.map { if case .band(let band) = value($0) { band } else { nil } },
      highPass: integer(.speakerHighPass).map { Double($0) },
      loudness: isOn(.loudnessEnabled)
        ? LoudnessContour(reference: Volume(Float(integer(.loudnessReference) ?? 100)), curve: volumeCurve)
        : nil)
  }

  /// The button to hold for a safe start; nil: none.
  package var safeButton: ControlName? { text(.startSafeButton).flatMap { ControlName($0) } }

  /// The volume after power-on in percent; nil: the last volume.
  package var startVolume: Int? { integer(.volumeStart) }
  /// The highest volume in percent, outside the night limit.
  package var maximumVolume: Int { integer(.volumeMaximum) ?? 100 }
  /// The hours of the night limit; nil without one.
  private var night: DailyHours? { DailyHours(from: minutes(.nightFrom), to: minutes(.nightTo)) }
  /// Minutes until the night limit begins or ends next, at least 1; nil without one.
  ///
  /// - Parameter minute: The local time, in minutes since midnight.
  package func minutesToNightBorder(atMinute minute: Int) -> Int? { night?.minutesToBorder(from: minute) }

  /// The mapping of volume to gain.
  package var volumeCurve: VolumeCurve { choice(.volumeCurve).flatMap { VolumeCurve(name: $0) } ?? .cubic }
  /// Percentage points of one volume step.
  package var volumeStep: Int { integer(.volumeStep) ?? 5 }
  /// The highest volume in percent at a local time; the night limit may span midnight.
  ///
  /// - Parameter minute: The local time, in minutes since midnight.
  package func maximumVolume(atMinute minute: Int) -> Int {
    let isNight = night?.contains(minute) ?? false
    return isNight ? min(maximumVolume, integer(.nightMaximum) ?? 100) : maximumVolume
  }
  /// The lowest volume in percent of an alarm after its rise, at most alarm.volume and volume.maximum.
  package var minimumAlarmVolume: Int { min(maximumVolume, alarmVolume, integer(.alarmMinimum) ?? 30) }
  /// The highest volume in percent of an alarm at a local time. The night limit does not lower it below
  /// `minimumAlarmVolume`.
  ///
  /// - Parameter minute: The local time, in minutes since midnight.
  package func maximumAlarmVolume(atMinute minute: Int) -> Int {
    max(maximumVolume(atMinute: minute), minimumAlarmVolume)
  }
  /// A sentence naming the limit that keeps an alarm below alarm.volume; nil if there is none.
  ///
  /// - Parameter minute: The alarm's local time, in minutes since midnight; nil: any time, including the
  ///   night.
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

  /// The length of the fade between tracks; 0: gapless.
  package var fadeLength: Seconds { seconds(.fadeLength) }
  /// The shape of fades.
  package var fadeCurve: FadeCurve { choice(.fadeCurve).flatMap { FadeCurve(name: $0) } ?? .equalPower }
  /// The length of the fade when the user skips; 0: none.
  package var manualFadeLength: Seconds { seconds(.fadeManualLength) }
  /// Whether consecutive tracks of an album fade, too.
  package var fadesAlbums: Bool { choice(.fadeAlbums) == "fade" }
  /// A fade that is paused at or after this percentage ends quickly when resumed; 101: never.
  package var quickFinishThreshold: Int { integer(.fadeQuickFinish) ?? 101 }
  /// The ramp at pause and resume.
  package var pauseRamp: Seconds { seconds(.pauseRamp) }
  /// The fade-out at stop.
  package var stopFade: Seconds { seconds(.stopFade) }
}

// Playing
extension Settings {
  /// The repeat mode of the queue.
  package var repeatMode: RepeatMode {
    switch choice(.queueRepeat) {
    case "one": .one
    case "all": .all
    default: .off
    }
  }
  /// Whether the queue plays in random order.
  package var isShuffled: Bool { isOn(.queueShuffle) }
  /// The effect of `previous` at the beginning of the first track.
  package var beforeFirst: BeforeFirst { choice(.queueBeforeFirst) == "stop" ? .stop : .restart }
  /// The action after the last track.
  package var endOfQueue: EndOfQueue {
    EndOfQueue.allCases.first { $0.name == choice(.queueEnd) } ?? .stopAndKeep
  }

  /// `off`, `track` or `album`.
  package var gainMode: String { choice(.gainMode) ?? "off" }
  /// Gain in dB that is added to tracks with ReplayGain or R128 tags.
  package var gainPreamp: Double { number(.gainPreamp) }
  /// Whether a track's gain is limited to prevent clipping.
  package var gainPreventsClipping: Bool { isOn(.gainClipProtection) }

  /// The length of the sleep timer's fade-out.
  package var sleepFade: Seconds { seconds(.sleepFade) }
  /// The most steps of a detent when a knob is turned fast.
  package var knobAcceleration: Int { integer(.knobAcceleration) ?? 1 }

  /// The shortest track that gets a bookmark; nil: no bookmarks.
  package var bookmarkLength: Seconds? {
    integer(.bookmarksMinimumLength).map { Seconds(Double($0) * 60) }
  }

  /// The path of the music that replaces a silent stream; nil: none.
  package var streamFallback: String? { text(.streamFallback) }
  /// The duration of silence before the fallback plays.
  package var streamFallbackAfter: Seconds { seconds(.streamFallbackAfter) }
  /// Bytes kept in memory for each stream.
  package var streamSpool: Int { integer(.streamSpool) ?? 4 << 20 }
  /// The amount of audio to decode before a stream starts.
  package var streamStart: Seconds { seconds(.streamStart) }
  /// The timeout for connecting, and for receiving no data.
  package var streamTimeout: Seconds { Seconds(Double(integer(.streamTimeout) ?? 10)) }
  /// Whether redirects may lead to addresses of the box or of its local network.
  package var streamPrivateRedirects: Bool { isOn(.streamPrivateRedirects) }
  /// The proxy for streams; nil: none.
  package var streamProxy: String? { text(.streamProxy) }

  /// The path that an alarm plays if its own is not heard; nil: the built-in sound.
  package var alarmFallback: String? { text(.alarmFallback) }
  /// The final volume of an alarm, in percent.
  package var alarmVolume: Int { integer(.alarmVolume) ?? 40 }
  /// The duration of an alarm's rise in volume.
  package var alarmRise: Seconds { seconds(.alarmRise) }
  /// The default number of minutes that an alarm is snoozed.
  package var alarmSnooze: Int { integer(.alarmSnooze) ?? 9 }
  /// The actions when a tag is placed again, and when it is removed.
  package var tagRules: TagRules {
    TagRules(
      again: TagAgain.allCases.first { $0.name == choice(.tagsAgain) } ?? .toggle,
      removed: TagRemoved.allCases.first { $0.name == choice(.tagsRemoved) } ?? .nothing)
  }
  /// The time in which the same tag counts neither as removed nor as placed again.
  package var tagsDebounce: Seconds { seconds(.tagsDebounce) }
  /// Whether a tag's music resumes at its last position.
  package var tagsResume: Bool { isOn(.tagsResume) }
  /// Minutes of music per day; nil: unlimited.
  package var dailyLimit: Int? { integer(.limitsDaily) }
  /// The hours in which no music may play; nil: none.
  package var quietHours: DailyHours? {
    DailyHours(from: minutes(.limitsQuietFrom), to: minutes(.limitsQuietTo))
  }
  /// Whether only tags and alarms may choose the music.
  package var isTagsOnly: Bool { isOn(.limitsTagsOnly) }

  /// The folders with the music; at least one.
  package var mediaRoots: [String] {
    if case .list(let paths) = value(.mediaRoot) { paths } else { [] }
  }
  /// The folder below which removable storage is mounted; nil: removable storage is ignored.
  package var removableFolder: String? { text(.mediaRemovable) }
  /// Whether the index of the music is enabled.
  package var isLibraryEnabled: Bool { isOn(.libraryEnabled) }
  /// `offer`, `play` or `ignore`.
  package var removableAction: String { choice(.mediaRemovableAction) ?? "offer" }
}

// The box
extension Settings {
  /// The serial console's device; nil: none.
  package var consoleTTY: String? { text(.consoleTTY) }
  /// The serial console's speed, in baud.
  package var consoleBaud: Int { choice(.consoleBaud).flatMap { Int($0) } ?? 115200 }
  /// The serial console's PIN; nil: none.
  package var consolePIN: String? { text(.consolePIN) }
  /// The path of the control socket; nil: none.
  package var socketPath: String? { text(.socketPath) }
  /// The group of the control socket; nil: the daemon's own.
  package var socketGroup: String? { text(.socketGroup) }

  /// The address that the MPD server listens on; nil: no MPD server.
  package var mpdAddress: NetworkAddress? { text(.mpdListen).flatMap { NetworkAddress($0) } }
  /// The password of MPD clients; nil: none.
  package var mpdPassword: String? { text(.mpdPassword) }
  /// The permissions of MPD clients that have not given the password: `nothing`, `read` or `add`.
  package var mpdGuests: String { choice(.mpdGuests) ?? "nothing" }

  /// Whether the box is announced in the local network.
  package var isDiscoveryEnabled: Bool { isOn(.discoveryEnabled) }
  /// The announced name; nil: the host name.
  package var discoveryName: String? { text(.discoveryName) }

  /// The MQTT broker's name or address; nil: no MQTT.
  package var mqttHost: String? { text(.mqttHost) }
  /// The broker's port.
  package var mqttPort: Int { integer(.mqttPort) ?? (usesMQTTOverTLS ? 8883 : 1883) }
  /// Whether the connection to the broker uses TLS.
  package var usesMQTTOverTLS: Bool { isOn(.mqttTLS) }
  /// The certificate file of the broker's authority; nil: the system's trusted authorities.
  package var mqttAuthority: String? { text(.mqttCA) }
  /// The user name for the broker; nil: none.
  package var mqttUser: String? { text(.mqttUser) }
  /// The password for the broker; nil: none.
  package var mqttPassword: String? { text(.mqttPassword) }
  /// The prefix of the box's topics; nil: derived from the host name.
  package var mqttPrefix: String? { text(.mqttPrefix) }
  /// The topic prefix of Home Assistant discovery; nil: disabled.
  package var mqttDiscovery: String? { text(.mqttDiscovery) }
  /// The name of the box in Home Assistant; nil: the host name.
  package var mqttName: String? { text(.mqttName) }

  /// The path of the checkpoint file; nil: none.
  package var checkpointPath: String? { text(.checkpointPath) }
  /// The interval between checkpoints during playback.
  package var checkpointInterval: Seconds { seconds(.checkpointInterval) }
  /// `as-it-was`, `paused` or `off`.
  package var checkpointResume: String { choice(.checkpointResume) ?? "as-it-was" }

  /// Whether newer packages are installed at night.
  package var updatesAutomatically: Bool { isOn(.updatesAutomatic) }
  /// The beginning of the update window, in minutes since midnight.
  package var updateMinute: Int { minutes(.updatesTime) ?? 210 }
  /// The time zone; nil: that of the operating system.
  package var timeZone: String? { text(.clockTimezone) }

  /// `error`, `warning`, `info` or `debug`.
  package var logLevel: String { choice(.logLevel) ?? "info" }

  /// The flight recorder's file; nil: none.
  package var reportPath: String? { text(.reportPath) }

  /// Whether cues are played.
  package var cuesEnabled: Bool { isOn(.cuesEnabled) }
  /// The highest volume of cues, in percent.
  package var cuesVolume: Int { integer(.cuesVolume) ?? 60 }
  /// The file that replaces a cue; nil: the built-in sound.
  ///
  /// - Parameter name: The cue's name, as in `PlaybackError.cue` and `cues.NAME`.
  package func cueFile(_ name: String) -> String? { Setting(key: "cues." + name).flatMap { text($0) } }
}

extension PlayerSettings {
  /// Extracts the settings that the player's state machine uses.
  ///
  /// - Parameters:
  ///   - settings: The box's settings.
  ///   - rate: The output's sample rate.
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
