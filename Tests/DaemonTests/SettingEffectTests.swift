// When each setting takes effect: the table of settings against a running box. Test threads.

import Console
import Controls
import Flight
import Platform
import PlaybackModel
import Player
import RealtimeAudio
import Testing

@testable import Daemon
@testable import Simulator

@Suite struct SettingEffectTests {
  /// How to observe the effect of a setting.
  private struct Probe {
    /// Lines of the configuration.
    var lines = ""
    /// The value to change the setting to.
    let value: String
    /// Run once before the first observation.
    var arrange: (Bench) -> Void = { _ in }
    /// Returns what the setting decides in the present state of the box, and leaves that state unchanged.
    let look: (Bench) -> String
  }

  private func player(_ bench: Bench) -> Player { bench.box!.openedPlayer! }

  private func settings(_ bench: Bench) -> PlayerSettings { player(bench).machine.settings }

  /// The last sample after some seconds of playback.
  private func level(_ bench: Bench, after seconds: Double = 1) -> String {
    bench.clock.run(seconds: seconds)
    return "\(bench.machine.card?.last ?? 0)"
  }

  private func night(_ lines: String, _ value: String) -> Probe {
    Probe(lines: lines, value: value, arrange: { _ = $0.ask("volume 80") }) {
      $0.clock.run(seconds: 2)
      return $0.ask("volume")
    }
  }

  private func integration(_ lines: String, _ value: String) -> Probe {
    Probe(lines: lines, value: value, arrange: { $0.clock.run(seconds: 1) }) { bench in
      bench.clock.run(seconds: 1)
      return bench.machine.integrations.filter { !$0.isGone }.map {
        "\($0.order.words) \($0.order.password ?? "")"
      }.joined(separator: ", ")
    }
  }

  private func mqtt(_ value: String) -> Probe { integration("set mqtt.host broker\n", value) }

  private func discovery(_ value: String) -> Probe {
    Probe(
      lines: "set mpd.listen 0.0.0.0:6600\nset mpd.password secret\nset discovery.enabled on\n", value: value,
      arrange: { $0.clock.run(seconds: 1) }
    ) { bench in
      bench.clock.run(seconds: 1)
      bench.machine.integrations.first { $0.order.name == "mpd" && !$0.isGone }?.say(.beat)
      bench.clock.run(seconds: 1)
      return bench.machine.integrations.filter { !$0.isGone && $0.order.name == "discovery" }.map {
        "\($0.order.words)"
      }.joined(separator: ", ")
    }
  }

  private func alarm(_ lines: String, _ value: String, _ look: @escaping (Bench) -> String) -> Probe {
    Probe(
      lines: lines, value: value,
      arrange: { bench in
        bench.machine.minuteOfDay = 6 * 60 + 59
        bench.machine.wallClock.signal()
        _ = bench.ask("alarm 07:00 daily play long")
        bench.clock.run(seconds: 100)
      }, look: look)
  }

  private func playLong(_ bench: Bench) {
    _ = bench.ask("play /music/long")
    bench.clock.run(seconds: 2)
  }

  /// A track with ReplayGain tags that reduce it by 6 dB, or raise it above full scale.
  private func gain(_ lines: String, _ value: String) -> Probe {
    Probe(
      lines: "set volume.start 100\n" + lines, value: value, arrange: { _ = $0.ask("play /music/tagged") }
    ) { level($0) }
  }

  private func stream(_ value: String) -> Probe {
    Probe(value: value, arrange: { _ = $0.ask("play http://radio/") }) {
      "\($0.machine.storage.conditions.map { "\($0)" } ?? "")"
    }
  }

  private func output(_ value: String) -> Probe { Probe(value: value) { $0.machine.openedOutput } }

  private func cue(_ name: CueName) -> Probe {
    Probe(lines: "set cues.enabled on\n", value: "/music/short") { bench in
      bench.clock.run(seconds: 3)
      guard case .builtIn = bench.box!.owners.outputs.playback.cues.sound(name) else { return "a file" }
      return "built in"
    }
  }

  private func swipes(_ lines: String, _ value: String, _ look: @escaping (Bench) -> String) -> Probe {
    Probe(
      lines: lines, value: value,
      arrange: {
        _ = $0.ask("tag 1 play long")
        _ = $0.ask("tag swipe 1")
        $0.clock.run(seconds: 5)
      }, look: look)
  }

  /// Lifts the tag, returns the state after some seconds, then puts the tag back and lets its music play.
  private func lift(_ bench: Bench, waiting seconds: Double) -> String {
    _ = bench.ask("tag lift")
    bench.clock.run(seconds: seconds)
    let state = bench.status("state") ?? ""
    bench.clock.run(seconds: 15)
    _ = bench.ask("tag swipe 1")
    _ = bench.ask("play")
    return state
  }

  /// The switch has no default, so a new setting needs a probe.
  private func probe(_ setting: Setting) -> Probe {
    switch setting {
    case .outputDevice: output("hw:1")
    case .outputRate: output("48000")
    case .outputFormat: output("S16")
    case .outputMode: output("shallow")
    case .outputPeriod: output("20")
    case .outputBuffer: output("100")
    case .outputMono:
      Probe(lines: "set volume.start 100\n", value: "on", arrange: { _ = $0.ask("play /music/stereo") }) {
        level($0, after: 2)
      }
    case .speakerHighPass: Probe(value: "100") { "\(player($0).correction)" }
    case .eq1, .eq2, .eq3, .eq4, .eq5, .eq6, .eq7, .eq8, .eq9, .eq10:
      Probe(value: "peak 1000Hz +3dB") { "\(player($0).correction)" }
    case .loudnessEnabled: Probe(value: "on") { "\(player($0).correction)" }
    case .loudnessReference:
      Probe(lines: "set loudness.enabled on\n", value: "50") { "\(player($0).correction)" }
    case .volumeStart: Probe(value: "17") { $0.ask("volume") }
    case .volumeMaximum: night("", "30")
    case .volumeStep:
      Probe(value: "9") { bench in
        _ = bench.ask("volume 40")
        return bench.ask("volume up")
      }
    case .volumeCurve: Probe(value: "even") { "\(player($0).volumeCurve)" }
    // The simulated clock reads noon.
    case .nightFrom: night("set night.to 20:00\n", "08:00")
    case .nightTo: night("set night.from 08:00\nset night.to 10:00\n", "20:00")
    case .nightMaximum: night("set night.from 08:00\nset night.to 20:00\n", "11")
    case .fadeLength: Probe(value: "7") { "\(settings($0).automaticFadeLength)" }
    case .fadeCurve: Probe(value: "linear") { "\(settings($0).curve)" }
    case .fadeManualLength: Probe(value: "7") { "\(settings($0).manualFadeLength)" }
    case .fadeAlbums: Probe(value: "fade") { "\(player($0).fadesAlbums)" }
    case .fadeQuickFinish: Probe(value: "80") { "\(settings($0).quickFinishThreshold)" }
    case .pauseRamp: Probe(value: "3") { "\(settings($0).pauseRamp)" }
    case .stopFade: Probe(value: "3") { "\(settings($0).stopFadeLength)" }
    case .queueRepeat: Probe(value: "one") { "\(player($0).queue.repeatMode)" }
    case .queueShuffle: Probe(value: "on") { "\(player($0).queue.isShuffled)" }
    case .queueEnd: Probe(value: "repeat") { "\(player($0).queue.endOfQueue)" }
    case .queueBeforeFirst: Probe(value: "stop") { "\(player($0).beforeFirst)" }
    case .gainMode: gain("", "track")
    case .gainPreamp: gain("set gain.mode track\n", "-6")
    case .gainClipProtection: gain("set gain.mode track\nset gain.preamp 12\n", "off")
    case .sleepFade: Probe(value: "3") { "\(settings($0).sleepFadeLength)" }
    case .bookmarksMinimumLength:
      Probe(lines: "set bookmarks.minimum-length off\n", value: "5") { bench in
        playLong(bench)
        bench.clock.run(seconds: 120)
        _ = bench.ask("play /music/short")
        bench.clock.run(seconds: 2)
        return bench.ask("bookmarks")
      }
    case .streamFallback, .streamFallbackAfter:
      Probe(
        lines: setting == .streamFallback
          ? "" : "set stream.fallback /music/long\nset stream.fallback.after 600\n",
        value: setting == .streamFallback ? "/music/long" : "3",
        arrange: { _ = $0.ask("play http://radio/") }
      ) { bench in
        let station = bench.machine.storage.tracks["http://radio/"]?.station
        station?.isOn = false
        bench.clock.run(seconds: 25)
        let path = bench.status("path") ?? ""
        station?.isOn = true
        bench.clock.run(seconds: 90)
        return path
      }
    case .streamSpool: stream("1048576")
    case .streamStart: stream("0.5")
    case .streamTimeout: stream("20")
    case .streamProxy: stream("http://proxy:3128")
    case .streamPrivateRedirects: stream("on")
    case .alarmFallback:
      alarm("", "/music/short") { bench in
        _ = bench.ask("pause")
        let track = bench.machine.storage.tracks.removeValue(forKey: "/music/long")
        bench.clock.run(seconds: 86_400)
        bench.clock.run(seconds: 30)
        let path = bench.status("path") ?? ""
        bench.machine.storage.tracks["/music/long"] = track
        return path
      }
    case .alarmVolume: alarm("set alarm.rise 0\n", "90") { $0.ask("volume") }
    case .alarmMinimum:
      alarm(
        "set alarm.rise 0\nset night.from 06:00\nset night.to 20:00\nset night.maximum 5\n", "12"
      ) { $0.ask("volume") }
    case .alarmRise:
      alarm("set alarm.rise 600\n", "0") { bench in
        bench.status("volume").flatMap { Int($0) }.map { $0 > 30 ? "loud" : "quiet" } ?? ""
      }
    case .alarmSnooze:
      alarm("", "3") { bench in
        defer { bench.clock.run(seconds: 600) }
        return bench.ask("snooze")
      }
    case .knobAcceleration:
      Probe(lines: "knob dial gpio gpiochip0 10 11\nbind dial right volume up\n", value: "2") { bench in
        _ = bench.ask("volume 20")
        bench.clock.run(seconds: 1)
        let wire = bench.machine.listener.connect()
        for _ in 0..<6 {
          wire.type("simulate turn dial +1")
          bench.clock.run(seconds: 0.02)
        }
        wire.hangUp()
        bench.clock.run(seconds: 1)
        return bench.ask("volume")
      }
    case .tagsAgain:
      swipes("", "restart") { bench in
        _ = bench.ask("tag swipe 1")
        bench.clock.run(seconds: 5)
        let state = bench.status("state") ?? ""
        _ = bench.ask("play")
        return state
      }
    case .tagsRemoved:
      swipes("set tags.again nothing\n", "pause") { lift($0, waiting: 5) }
    case .tagsDebounce:
      // The tag comes from a reader, because the debounce does not apply to a typed one.
      swipes("set tags.again nothing\nset tags.removed pause\nset tags.debounce 10\n", "0") { bench in
        let (tags, reader) = (bench.box!.owners.tags, ControlName("shelf")!)
        tags.take(.placed(TagID("1")!, on: reader))
        bench.clock.run(seconds: 15)
        _ = bench.ask("play")
        tags.take(.lifted(from: reader))
        let state = bench.status("state") ?? ""
        bench.clock.run(seconds: 15)
        return state
      }
    case .tagsResume:
      swipes("", "off") { bench in
        bench.clock.run(seconds: 60)
        _ = bench.ask("play /music/short")
        _ = bench.ask("tag swipe 1")
        let position = bench.status("position").flatMap { Double($0) } ?? 0
        return position > 20 ? "where it was" : "from the beginning"
      }
    case .limitsDaily: Probe(value: "30") { $0.status("minutes-left") ?? "" }
    case .limitsQuietFrom: Probe(lines: "set limits.quiet-to 20:00\n", value: "08:00") { $0.ask("play long") }
    case .limitsQuietTo:
      Probe(lines: "set limits.quiet-from 08:00\nset limits.quiet-to 10:00\n", value: "20:00") {
        $0.ask("play long")
      }
    case .limitsTagsOnly: Probe(value: "on") { $0.ask("play long") }
    case .mediaRoot: Probe(value: "/other") { $0.ask("queue add record") }
    case .mediaRemovable:
      Probe(value: "/other", arrange: { $0.machine.mounts.points = ["/other/stick", "/media/stick"] }) {
        $0.clock.run(seconds: 1)
        return "\($0.box!.owners.storage.mounted)"
      }
    case .mediaRemovableAction:
      Probe(value: "ignore") { bench in
        bench.machine.mounts.points = []
        bench.clock.run(seconds: 1)
        bench.machine.mounts.points = ["/media/stick"]
        bench.clock.run(seconds: 1)
        return bench.status("storage-offered") ?? ""
      }
    case .consoleTTY: Probe(value: "/dev/ttyS1") { $0.machine.openedLine }
    case .consoleBaud: Probe(lines: "set console.tty /dev/ttyS0\n", value: "9600") { $0.machine.openedLine }
    case .consolePIN:
      Probe(lines: "set console.tty /dev/ttyS0\n", value: "1234") { bench in
        bench.machine.serialLine?.hangUp()
        bench.clock.run(seconds: 10)
        bench.machine.serialLine?.type("status\r")
        bench.clock.run(seconds: 1)
        return bench.machine.serialLine?.takeText().contains("PIN") == true ? "asks" : "does not ask"
      }
    case .socketPath: Probe(value: "/run/other") { $0.machine.openedSocket }
    case .socketGroup: Probe(value: "audio") { $0.machine.openedSocket }
    case .mpdListen: integration("", "127.0.0.1:6600")
    case .mpdPassword: integration("set mpd.listen 127.0.0.1:6600\n", "secret")
    case .mpdGuests: integration("set mpd.listen 127.0.0.1:6600\nset mpd.password secret\n", "read")
    case .discoveryEnabled: discovery("off")
    case .discoveryName: discovery("kitchen")
    case .mqttHost: integration("", "broker")
    case .mqttPort: mqtt("1884")
    case .mqttTLS: mqtt("on")
    case .mqttCA: mqtt("/etc/ca.pem")
    case .mqttUser: mqtt("box")
    case .mqttPassword: mqtt("secret")
    case .mqttPrefix: mqtt("home/kitchen")
    case .mqttDiscovery: mqtt("off")
    case .mqttName: mqtt("Kitchen")
    case .checkpointPath:
      Probe(value: "/state2") { bench in
        _ = bench.ask("alarm 08:00 daily play long")
        _ = bench.ask("alarm remove 1")
        bench.clock.run(seconds: 20)
        return "\(bench.machine.storage.flashes["/state2"] != nil)"
      }
    case .checkpointInterval:
      Probe(value: "1", arrange: playLong) { bench in
        let before = Int(bench.status("checkpoints", of: "stats") ?? "") ?? 0
        bench.clock.run(seconds: 60)
        let after = Int(bench.status("checkpoints", of: "stats") ?? "") ?? 0
        return after - before > 20 ? "often" : "seldom"
      }
    case .checkpointResume:
      Probe(value: "paused", arrange: playLong) { $0.status("state") ?? "" }
    case .updatesAutomatic: Probe(value: "on") { $0.status("updates") ?? "by hand" }
    case .updatesTime:
      Probe(lines: "set updates.automatic on\n", value: "04:45") { $0.status("updates") ?? "by hand" }
    case .startSafeButton: Probe(value: "off") { $0.status("safe-start") ?? "no" }
    case .logLevel:
      Probe(value: "debug") { bench in
        let count = bench.machine.logged.count
        bench.press(0)
        bench.clock.run(seconds: 1)
        return bench.machine.logged.dropFirst(count).contains { $0.contains("play short: toggle") }
          ? "tells" : "does not tell"
      }
    case .clockTimezone:
      Probe(value: "Asia/Tokyo") { "\($0.machine.localTime.minuteOfDay / 60)" }
    case .reportPath:
      Probe(value: "/run/other") { $0.ask("report").contains("last flight") ? "has one" : "none" }
    case .cuesEnabled:
      Probe(value: "on") { bench in
        let before = bench.machine.card?.heard ?? 0
        _ = bench.ask("sleep 30")
        bench.clock.run(seconds: 2)
        _ = bench.ask("sleep off")
        return (bench.machine.card?.heard ?? 0) > before ? "heard" : "silent"
      }
    case .cuesVolume:
      Probe(lines: "set cues.enabled on\n", value: "0") { bench in
        bench.clock.run(seconds: 3)
        let before = bench.machine.card?.heard ?? 0
        _ = bench.ask("sleep 30")
        bench.clock.run(seconds: 2)
        _ = bench.ask("sleep off")
        return (bench.machine.card?.heard ?? 0) > before ? "heard" : "silent"
      }
    case .cuesErrorFile: cue(.errorFile)
    case .cuesErrorNetwork: cue(.errorNetwork)
    case .cuesErrorOutput: cue(.errorOutput)
    case .cuesErrorStorage: cue(.errorStorage)
    case .cuesErrorInternal: cue(.errorInternal)
    case .cuesVolumeLimit: cue(.volumeLimit)
    case .cuesSleepTimer: cue(.sleepTimer)
    case .cuesStorage: cue(.storage)
    case .cuesStorageWait: cue(.storageWait)
    case .cuesAlarm: cue(.alarm)
    case .cuesTagUnknown: cue(.tagUnknown)
    case .cuesTagLearnt: cue(.tagLearnt)
    case .cuesLimit: cue(.limit)
    case .cuesNotSaved: cue(.notSaved)
    // The cue plays after each start; by the first observation it has finished.
    case .cuesReady:
      Probe(lines: "set cues.enabled on\n", value: "/music/short") { "\($0.machine.card?.loudest ?? 0)" }
    case .cuesConfiguration:
      Probe(lines: "set cues.enabled on\nset nonsense 3\n", value: "/music/short") {
        "\($0.machine.card?.loudest ?? 0)"
      }
    case .libraryEnabled: Probe(value: "on") { $0.ask("find artist x") }
    }
  }

  /// Keeps flight recorders in memory; one path has the recording of a crash.
  private final class Flights: FlightStore {
    func open(_ path: String, size: Int) throws(SystemError) -> any FlightMemory {
      HeapFlightMemory(size: size)
    }
    func last(_ path: String) -> [UInt8]? {
      path == "/run/other" ? [UInt8](repeating: 0, count: 4096) : nil
    }
  }

  private func storage(_ lines: String) -> SimulatedStorage {
    let storage = Bench.storage("set media.removable /media\n" + lines)
    storage.tracks["http://radio/"] = SimulatedTrack(
      seconds: 36_000, level: 0.25, station: SimulatedStation())
    storage.tracks["/music/stereo"] = SimulatedTrack(seconds: 36_000, level: 0.5, right: 0.25)
    storage.tracks["/music/tagged"] = SimulatedTrack(
      seconds: 36_000, level: 0.125, loudness: Loudness(trackGain: -6, trackPeak: 1))
    storage.tracks["/other/record"] = SimulatedTrack(seconds: 30, level: 0.5)
    return storage
  }

  private func bench(_ storage: SimulatedStorage, _ setting: Setting) throws -> Bench {
    // The safe-start button is held at each start.
    let bench = try Bench(
      storage, pressed: setting == .startSafeButton ? [0] : [], hasSerialLine: true, library: FakeIndex(),
      flights: Flights())
    bench.clock.run(seconds: 3)
    bench.machine.devices.chip.set(0, isPressed: false)
    bench.clock.run(seconds: 1)
    return bench
  }

  @Test(arguments: Setting.allCases) func aSettingActsWhenItSaysSo(setting: Setting) throws {
    let probe = probe(setting)
    let storage = storage(probe.lines)
    let first = try bench(storage, setting)
    probe.arrange(first)
    let before = probe.look(first)
    #expect(probe.look(first) == before, "\(setting.key): two looks without a change differ")
    let reply = first.ask("set \(setting.key) \(probe.value)")
    try #require(reply.contains("ok"), "\(reply)")
    let atOnce = probe.look(first)
    let claim = setting.declaration.application
    #expect(
      (atOnce != before) == (claim == .atOnce), "\(setting.key) claims \(claim.name): \(before) → \(atOnce)")
    #expect(reply.contains("takes effect \(claim.name)") == (claim != .atOnce), "\(reply)")
    switch claim {
    case .atOnce: break
    case .forNextTrack:
      _ = first.ask("play /music/tagged")
      #expect(probe.look(first) != before, "\(setting.key) does nothing to the next track")
    case .forNewStreams:
      _ = first.ask("play /music/short")
      _ = first.ask("play http://radio/")
      #expect(probe.look(first) != before, "\(setting.key) does nothing to another stream")
    case .atNextOutput:
      first.box?.openedPlayer?.handle(.outputLost)
      first.clock.run(seconds: 10)
      #expect(probe.look(first) != before, "\(setting.key) does nothing to another output")
    case .atNextStart: break
    }
    guard claim == .atNextStart || claim == .atNextOutput else { return }
    _ = first.ask("save")
    first.clock.run(seconds: 61)
    first.machine.terminate()
    first.clock.run(seconds: 5)
    first.pullThePlug()
    let second = try bench(storage, setting)
    #expect(probe.look(second) != before, "\(setting.key) does nothing at the next start")
  }
}
