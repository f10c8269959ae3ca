// Settings: defaults, ranges, and reading back what was written. Test threads.

import Console
import PlaybackModel
import Testing

@Suite struct SettingsTests {
  @Test(arguments: Setting.allCases) func defaultIsValidAndReadsBack(setting: Setting) throws {
    let declaration = setting.declaration
    #expect(declaration.setting == setting)
    #expect(Setting(key: declaration.key) == setting)
    #expect(declaration.help.hasSuffix("."))
    let value = try declaration.read([declaration.defaultText])
    #expect(Settings().value(setting) == value)
    #expect(declaration.words(value) == [declaration.defaultText])
  }

  /// A value other than the default for each setting.
  private static func another(_ setting: Setting) -> String {
    let declaration = setting.declaration
    switch declaration.kind {
    case .integer(let range, _):
      return String(declaration.defaultText == "\(range.upperBound)" ? 1 : range.upperBound)
    case .decimal(let range, _, _): return declaration.defaultText == "10" ? "2.5" : "\(range.upperBound)"
    case .choice, .onOff: return declaration.names.first { $0 != declaration.defaultText }!
    case .text: return "with blank # \"quote\" and \\"
    case .pin: return "0815"
    case .control: return "mode"
    case .path, .paths: return "/mnt/a b's"
    case .timeOfDay: return "23:59"
    case .timeZone: return "America/Argentina/Salta"
    case .address: return "[::1]:6601"
    case .output: return "plughw:CARD=Device,DEV=0"
    case .topic: return "elsewhere"
    case .proxy: return "socks5h://name:word@proxy"
    case .band: return "peak 80Hz +3.25dB Q1.5"
    }
  }

  private static func words(_ setting: Setting) -> [String] {
    let text = another(setting)
    guard setting.declaration.kind == .band else { return [text] }
    return text.split(separator: " ").map(String.init)
  }

  @Test func configurationReadsBack() throws {
    var settings = Settings()
    for setting in Setting.allCases {
      try settings.set(setting, to: setting.declaration.read(Self.words(setting)))
      #expect(!settings.isDefault(setting))
    }
    #expect(settings.changed == Setting.allCases)
    var read = Settings()
    for line in ConfigurationBase().configuration(settings, ControlTable()).split(separator: "\n") {
      guard let command = try Interpreter.parse(String(line)) else { continue }
      guard case .set(let setting, let value) = command else {
        Issue.record("\(line)")
        return
      }
      try read.set(setting, to: value)
    }
    #expect(read == settings)
    for setting in Setting.allCases { read.unset(setting) }
    #expect(read == Settings())
    #expect(read.differences(from: settings) == Setting.allCases)
  }

  @Test func namedValues() throws {
    var settings = Settings()
    #expect(settings.outputRate == nil)
    #expect(settings.startVolume == nil)
    #expect(settings.quickFinishThreshold == 50)
    #expect(settings.cueFile("ready") == nil)
    try settings.set("output.rate", "44100")
    try settings.set("output.period", "10ms")
    try settings.set("fade.length", "2.5s")
    try settings.set("fade.manual-length", "1")
    try settings.set("pause.ramp", "0.12345")
    #expect(settings.pauseRamp == Seconds(0.123))
    try settings.set("fade.quick-finish", "never")
    try settings.set("queue.repeat", "All")
    try settings.set("queue.end", "clear")
    try settings.set("cues.error-file", "/a.wav")
    try settings.set("console.baud", "9600")
    try settings.set("media.root", "/a", "/b")
    #expect(settings.outputRate == SampleRate(44100))
    #expect(settings.outputPeriod == Seconds(0.01))
    #expect(settings.repeatMode == .all)
    #expect(settings.endOfQueue == .stopAndClear)
    #expect(settings.cueFile("error-file") == "/a.wav")
    #expect(settings.consoleBaud == 9600)
    #expect(settings.mediaRoots == ["/a", "/b"])
    #expect(settings.speakerCorrection.isOff)
    try settings.set("eq.3", "high-shelf", "8kHz", "-2.5dB")
    try settings.set("speaker.high-pass", "80Hz")
    try settings.set("loudness.reference", "70")
    let shelf = EqualizerBand(.highShelf, frequency: 8000, gain: -2.5)
    #expect(
      settings.speakerCorrection == SpeakerCorrection(bands: [nil, nil, shelf], highPass: 80, loudness: nil))
    try settings.set("loudness.enabled", "on")
    #expect(settings.speakerCorrection.loudness == LoudnessContour(reference: Volume(70), curve: .cubic))
    try settings.set("stream.fallback", "/srv/music/still.m3u")
    try settings.set("stream.fallback.after", "4s")
    try settings.set("stream.spool", "262144")
    try settings.set("stream.start", "0.5")
    try settings.set("stream.timeout", "3")
    try settings.set("stream.proxy", "http://proxy:3128")
    #expect(settings.streamFallback == "/srv/music/still.m3u" && settings.streamFallbackAfter == Seconds(4))
    #expect(settings.streamSpool == 262_144 && settings.streamStart == Seconds(0.5))
    #expect(settings.streamTimeout == Seconds(3) && settings.streamProxy == "http://proxy:3128")
    #expect(
      settings.mqttHost == nil && settings.mqttPort == 1883 && settings.mqttDiscovery == "homeassistant")
    try settings.set("mqtt.host", "broker.lan")
    try settings.set("mqtt.tls", "on")
    #expect(settings.mqttHost == "broker.lan" && settings.mqttPort == 8883 && settings.usesMQTTOverTLS)
    try settings.set("mqtt.port", "18883")
    try settings.set("mqtt.ca", "/etc/ssl/home.pem")
    try settings.set("mqtt.user", "box")
    try settings.set("mqtt.password", "secret")
    try settings.set("mqtt.prefix", "home/kitchen/box")
    try settings.set("mqtt.discovery", "off")
    try settings.set("mqtt.name", "Kitchen box")
    #expect(settings.mqttPort == 18883 && settings.mqttAuthority == "/etc/ssl/home.pem")
    #expect(settings.mqttUser == "box" && settings.mqttPassword == "secret" && settings.mqttDiscovery == nil)
    #expect(settings.mqttPrefix == "home/kitchen/box" && settings.mqttName == "Kitchen box")
    #expect(!settings.isDiscoveryEnabled && settings.discoveryName == nil)
    try settings.set("discovery.enabled", "on")
    try settings.set("discovery.name", "Kitchen box")
    #expect(settings.isDiscoveryEnabled && settings.discoveryName == "Kitchen box")
    #expect(!settings.updatesAutomatically && settings.updateMinute == 3 * 60 + 30)
    try settings.set("updates.automatic", "on")
    try settings.set("updates.time", "4:45")
    #expect(settings.updatesAutomatically && settings.updateMinute == 4 * 60 + 45)
    settings.clearEqualizer()
    #expect(settings.isDefault(.eq3) && !settings.isDefault(.speakerHighPass))
    let player = PlayerSettings(settings, rate: SampleRate(44100))
    #expect(player.automaticFadeLength == Seconds(2.5))
    #expect(player.fadesManually)
    #expect(player.quickFinishThreshold == 101)
  }

  @Test func defaultsAgreeWithTheMachine() {
    let made = PlayerSettings(Settings(), rate: SampleRate(48000))
    var plain = PlayerSettings()
    plain.manualFadeLength = made.manualFadeLength
    #expect(made == plain)
    #expect(
      Setting.fadeCurve.declaration.names == FadeCurve.allCases.map(\.name)
        && Setting.queueRepeat.declaration.names == RepeatMode.allCases.map(\.name))
    for kind in PlaybackError.Kind.allCases {
      #expect(Setting(key: "cues." + PlaybackError(kind).cue) != nil)
    }
  }

  @Test(arguments: [
    ("22:00", "7:00", 23 * 60, 30), ("22:00", "7:00", 60, 30), ("22:00", "7:00", 420, 80),
    ("13:00", "15:00", 14 * 60, 30), ("13:00", "15:00", 15 * 60, 80), ("off", "7:00", 60, 80),
    ("7:00", "7:00", 420, 80),
  ])
  func nightLimit(from: String, to: String, minute: Int, limit: Int) throws {
    var settings = Settings()
    try settings.set("volume.maximum", "80")
    try settings.set("night.from", from)
    try settings.set("night.to", to)
    #expect(settings.maximumVolume(atMinute: minute) == limit)
  }

  @Test func cycleGoesRound() throws {
    var settings = Settings()
    var seen: [RepeatMode] = []
    for _ in 0..<3 {
      try settings.set(.queueRepeat, to: settings.next(.queueRepeat))
      seen.append(settings.repeatMode)
    }
    #expect(seen == [.one, .all, .off])
    #expect(try settings.next(.queueShuffle) == .isOn(true))
    try settings.set("output.format", "FLOAT")
    #expect(try settings.next(.outputFormat) == .special)
    #expect(throws: ConsoleError.self) { try settings.next(.fadeLength) }
  }

  @Test func refusesForeignValues() {
    var settings = Settings()
    #expect(throws: ConsoleError.self) { try settings.set(.fadeLength, to: .decimal(16)) }
    #expect(throws: ConsoleError.self) { try settings.set(.fadeLength, to: .decimal(.nan)) }
    #expect(throws: ConsoleError.self) { try settings.set(.fadeLength, to: .text("5")) }
    #expect(throws: ConsoleError.self) { try settings.set(.fadeLength, to: .special) }
    #expect(throws: ConsoleError.self) {
      try settings.set(.outputDevice, to: .text("a\nset volume.maximum 1"))
    }
    #expect(throws: ConsoleError.self) {
      try settings.set("media.root", "/" + String(repeating: "\"", count: 9000))
    }
    #expect(settings == Settings())
  }

  @Test func secretsAreHiddenFromPeopleOnly() throws {
    var settings = Settings()
    #expect(settings.shown(.consolePIN) == "off")
    try settings.set("console.pin", "4711")
    #expect(settings.shown(.consolePIN) == "****")
    #expect(settings.line(.consolePIN) == "set console.pin 4711")
    #expect(settings.shownLine(.consolePIN) == "set console.pin ****")
    #expect(settings.shown(.fadeLength) == "0 s")
    #expect(settings.shown(.volumeMaximum) == "100%")
  }
}
