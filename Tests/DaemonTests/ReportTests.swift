// The contents of `report`, and what it must not reveal. Test threads.

import Console
import Flight
import PlaybackModel
import Testing

@testable import Daemon

@Suite struct ReportTests {
  /// The lines of a report without the indentation of a response.
  private func report(_ bench: Bench, _ command: String = "report") -> [String] {
    bench.ask(command).split(separator: "\n").map {
      $0.hasPrefix("  ") ? String($0.dropFirst(2)) : String($0)
    }
  }

  @Test func aReportTellsWhatHappened() throws {
    let bench = try Bench()
    _ = bench.ask("play short")
    bench.clock.run(seconds: 5)
    _ = bench.ask("pause")
    let lines = report(bench)
    #expect(lines.first == "swiftlet report 1")
    #expect(lines.last == "ok" && lines.dropLast().last == "[end]")
    for section in ["[status]", "[stats]", "[settings]", "[log]", "[flight]"] {
      #expect(lines.contains(section))
    }
    #expect(lines.contains { $0.contains(" command from=socket : play name-") })
    #expect(lines.contains { $0.contains(" event event=pause from=playing to=paused verdict=changed") })
    #expect(lines.contains { $0.contains(" deck deck=A what=ready") })
    #expect(lines.contains { $0.contains(" job what=looking ok=1 took=0.005") })
    #expect(lines.contains { $0.contains(" heard took=") })
    #expect(lines.contains { $0.contains(" rings a=") })
  }

  /// Private names: folders, files, controls, a title, a PIN in the configuration and one typed in the wrong
  /// place.
  private static let secrets = [
    "Hidden", "geheim", "8472", "9913", "Mistress", "kuechenknopf", "Nachtlied", "quiet-group",
    "socket-place",
  ]

  private func nastyBench() throws -> Bench {
    let storage = Bench.storage(
      """
      set console.pin 8472
      set socket.group quiet-group
      set socket.path /run/socket-place
      set media.removable /Hidden/sticks
      button kuechenknopf gpio gpiochip0 1
      bind kuechenknopf short play "/music/Hidden/Nachtlied.flac"
      set cues.ready /Hidden/geheim.wav
      play "/music/Hidden/geheim.Mistress"

      """)
    storage.tracks["/music/Hidden/geheim.Mistress"] = SimulatedTrack(seconds: 20, level: 0.1)
    storage.tracks["/music/Hidden/Nachtlied.flac"] = SimulatedTrack(seconds: 20, level: 0.1)
    storage.tracks["/music/Hidden/status"] = SimulatedTrack(seconds: 20, level: 0.1)
    let bench = try Bench(storage)
    bench.clock.run(seconds: 2)
    for line in [
      "queue add \"/music/Hidden/Nachtlied.flac\"", "queue insert next /music/Hidden/status",
      "play /Hidden/none.mp3",
      "pin 9913", "9913", "set console.pin 9913", "set console.pin 99130000000000", "media Hidden", "next",
      "bind kuechenknopf long queue add /Hidden/geheim.ogg", "simulate down kuechenknopf",
      "button up kuechenknopf",
      "set media.root /music /Hidden/other", "show console.pin", "set cues.error-file '/Hidden/geheim 2.wav'",
      "set nothing Hidden", "play 'Hidden",
    ] {
      _ = bench.ask(line)
    }
    bench.machine.mounts.points = ["/Hidden/sticks/geheim"]
    bench.clock.run(seconds: 1)
    bench.machine.mounts.points = []
    bench.clock.run(seconds: 30)
    return bench
  }

  @Test func nothingPrivateIsTold() throws {
    let bench = try nastyBench()
    let text = report(bench).joined(separator: "\n")
    for secret in Self.secrets { #expect(!text.contains(secret), "\(secret)") }
    #expect(text.contains("(hidden)") && text.contains("track-") && text.contains("****"))
    // Each pseudonym replaces a single name throughout the report.
    let names = Set(
      text.split { !$0.isLetter && !$0.isNumber && $0 != "-" && $0 != "." }.filter { $0.hasPrefix("track-") })
    #expect(names.count >= 2, "\(names)")
  }

  @Test func namesAreToldToWhoAsks() throws {
    let bench = try nastyBench()
    let text = report(bench, "report with paths").joined(separator: "\n")
    #expect(text.contains("Nachtlied.flac") && text.contains(" name is=track-"))
    for pin in ["8472", "9913"] { #expect(!text.contains(pin)) }
  }

  /// The flight recorder has an answer for each command of the configuration, of sessions and of buttons.
  @Test(
    arguments: [
      // In the configuration.
      ("play long\n", [], 1), ("play nowhere\n", [], 0), ("volume 30\n", [], 1),
      ("set limits.quiet-from 11:00\nset limits.quiet-to 13:00\nplay long\n", [], 0),
      // Of a session: refused by the limits, and handled by the ringing alarm.
      ("set limits.tags-only on\n", ["play long"], 0),
      ("", ["alarm 12:01 daily play nowhere", "wait", "toggle"], 1),
      ("", ["play long", "pause"], 1), ("", ["play nowhere"], 0),
      // Of a button.
      ("bind play short play long\n", ["press"], 1), ("bind play short snooze\n", ["press"], 0),
    ] as [(String, [String], Int)])
  func eachCommandHasItsAnswer(lines: String, steps: [String], isOK: Int) throws {
    let bench = try Bench(Bench.storage(lines))
    bench.clock.run(seconds: 2)
    for step in steps {
      switch step {
      case "wait": bench.clock.run(seconds: 100)
      case "press":
        bench.press(0)
        bench.clock.run(seconds: 1)
      default: _ = bench.ask(step)
      }
    }
    let records = report(bench).filter { $0.contains(" command from=") || $0.contains(" answer ok=") }
    let answers = records.filter { $0.contains(" answer ok=") }
    #expect(answers.count * 2 == records.count && !answers.isEmpty, "\(records)")
    #expect(answers.last?.contains(" ok=\(isOK) ") == true, "\(records)")
  }

  /// A secret that a user has bound to a button, or played, by mistake.
  @Test(arguments: Setting.allCases.filter { $0.declaration.isSecret })
  func noSecretIsTold(setting: Setting) throws {
    let secret = setting == .consolePIN ? "84721" : "geheimwort"
    let bench = try Bench(
      Bench.storage("set \(setting.key) \(secret)\nbind play long play \(secret)\n"))
    _ = bench.ask("play \(secret)")
    bench.press(0, seconds: 1)
    bench.clock.run(seconds: 2)
    #expect(bench.machine.logged.contains { $0.contains(secret) }, "\(bench.machine.logged)")
    let text = report(bench, "report with paths").joined(separator: "\n")
    #expect(text.contains("[log]") && !text.contains(secret), "\(text)")
  }

  @Test func aReportIsReadByJSONToo() throws {
    let bench = try Bench()
    _ = bench.ask("format json")
    let lines = bench.ask("report").split(separator: "\n")
    #expect(lines.first == #"{"event":"report","text":"swiftlet report 1"}"#)
    #expect(lines.last == #"{"ok":true}"#)
  }

  @Test func aReportIsBoundedAndOthersHaveTheirTurn() throws {
    let bench = try Bench()
    _ = bench.ask("play long")
    for number in 0..<3000 { bench.wire.type("volume \(number % 100)") }
    bench.clock.run(seconds: 20)
    _ = bench.wire.takeText()
    let text = bench.ask("report")
    #expect(
      text.hasSuffix("ok\n") && text.utf8.count > 100_000 && text.utf8.count < 1_000_000, "\(text.utf8.count)"
    )
    #expect(text.contains("older slots made room"))
  }

  @Test func aPausedBoxIsNotWoken() throws {
    let bench = try Bench()
    _ = bench.ask("play long")
    bench.clock.run(seconds: 20)
    _ = bench.ask("pause")
    bench.clock.run(seconds: 60)
    let box = try #require(bench.box)
    let before = FlightReader(box.owners.flight.recorder.bytes)
    #expect(!box.owners.flight.isLooking)
    bench.clock.run(seconds: 3600)
    #expect(newest(before) == newest(FlightReader(box.owners.flight.recorder.bytes)))
  }

  private func newest(_ reader: FlightReader) -> UInt64 {
    var reader = reader
    var newest: UInt64 = 0
    while let record = reader.next() { newest = record.sequence }
    return newest
  }
}
