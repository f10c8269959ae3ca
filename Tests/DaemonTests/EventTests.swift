// Events as console sessions receive them: `watch`, `idle`, and the documented fields. Test threads.

import Console
import Foundation
import PlaybackModel
import Player
import Testing

@testable import Daemon
@testable import Simulator

@Suite struct EventTests {
  /// The lines of a response or of unsolicited output.
  private func lines(_ text: String) -> [String] { text.split(separator: "\n").map { String($0) } }

  private func objects(_ text: String) throws -> [[String: Any]] {
    try lines(text).map { try #require(JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]) }
  }

  @Test func whoWatchesIsToldOfEveryChange() throws {
    let bench = try Bench()
    let watcher = bench.watcher("watch on")
    _ = bench.ask("play short long")
    _ = bench.ask("play short")
    _ = bench.ask("volume 40")
    _ = bench.ask("set fade.length 3")
    _ = bench.ask("sleep 20")
    let told = lines(watcher.takeText())
    for start in [
      "* state: Preparing: short", "* state: Playing: short", "* track: short begins", "* queue: 1 track",
      "* light: green steady", "* volume: 40 %", "* setting: fade.length 3 s", "* sleep: stops in 20 min",
      "* position: Playing 1",
    ] {
      #expect(told.contains { $0.hasPrefix(start) }, "\(start): \(told.filter { !$0.contains("position") })")
    }
    watcher.type("watch off")
    bench.clock.run(seconds: 1)
    _ = watcher.takeText()
    _ = bench.ask("pause")
    #expect(watcher.takeText() == "")
  }

  @Test func thePositionIsSentWhereItIsAskedFor() throws {
    for (line, isWanted) in [
      ("watch", false), ("watch on", true), ("watch position", true), ("watch state", false),
    ] {
      let bench = try Bench()
      let watcher = bench.watcher(line)
      _ = bench.ask("play long")
      bench.clock.run(seconds: 2)
      let told = lines(watcher.takeText())
      #expect(told.contains { $0.hasPrefix("* position") } == isWanted, "\(line)")
      if line != "watch position" { #expect(told.contains { $0.hasPrefix("* state: Playing") }, "\(line)") }
    }
  }

  @Test func thePositionIsSentTenTimesASecond() throws {
    let bench = try Bench()
    _ = bench.ask("play long")
    let watcher = bench.watcher("watch position")
    bench.clock.run(seconds: 10)
    let count = lines(watcher.takeText()).count { $0.hasPrefix("* position") }
    #expect((90...101).contains(count), "\(count)")
  }

  @Test func whoWatchesSomethingIsToldOfThatOnly() throws {
    let bench = try Bench()
    let watcher = bench.watcher("watch volume track")
    _ = bench.ask("play short")
    _ = bench.ask("volume 40")
    _ = bench.ask("pause")
    #expect(lines(watcher.takeText()) == ["* track: short begins", "* volume: 40 %"])
  }

  private func declared(_ subject: EventSubject) -> [EventField] {
    EventTable.declaration(subject).fields + (subject == .position ? [] : EventTable.common)
  }

  @Test func everyEventHasTheFieldsOfTheTable() throws {
    let storage = Bench.storage(
      "set media.removable /media\nset library.enabled on\nset limits.daily 600\nsource airplay exec \"receive\"\n"
    )
    storage.tracks["/music/bad"] = SimulatedTrack(seconds: 1, level: 0)
    storage.tracks["/music/broken"] = SimulatedTrack(seconds: 1, level: 0, failure: .corrupt)
    let bench = try Bench(storage, hasCard: false, library: FakeIndex())
    let airplay = SimulatedSender()
    bench.machine.senders = ["receive": airplay]
    let watcher = bench.machine.listener.connect()
    watcher.type("format json\nwatch on")
    bench.clock.run(seconds: 1)
    bench.machine.hasCard = true
    bench.clock.run(seconds: 10)
    for line in [
      "queue add short long", "play", "set fade.length 5", "next", "announce short", "announce bad volume 20",
      "announce stop", "volume 12", "sleep 5", "sleep off",
      "playlist add A short", "playlist delete A", "tag 1 play long", "tag swipe 1", "tag remove 1",
      "sticker set short rating 1", "alarm 07:00 daily play long", "play broken", "play long",
    ] {
      _ = bench.ask(line)
    }
    airplay.level = 0.3
    bench.clock.run(seconds: 3)
    airplay.level = nil
    bench.clock.run(seconds: 70)
    for line in ["set console.pin 4711", "unset all", "seek 25", "play /music/none", "stop"] {
      _ = bench.ask(line)
    }
    bench.machine.mounts.points = ["/media/stick"]
    bench.machine.wallClock.signal()
    bench.clock.run(seconds: 10)
    let text = watcher.takeText()
    #expect(!text.contains("4711"))
    var seen: Set<String> = []
    var last = 0
    for object in try objects(text) {
      guard let name = object["event"] as? String else { continue }
      let subject = try #require(EventSubject.allCases.first { $0.name == name }, "\(name)")
      let fields = try #require(object["fields"] as? [String: Any])
      seen.insert(name)
      // The values of `change` are those that the field's description lists.
      if let change = fields["change"] as? String {
        let meaning = declared(subject).first { $0.name == "change" }?.meaning ?? ""
        #expect(meaning.contains("`\(change)`"), "\(object)")
      }
      let declaredFields = declared(subject)
      #expect(Set(fields.keys).isSubset(of: Set(declaredFields.map { $0.name })), "\(object)")
      for field in declaredFields where !field.isOptional {
        #expect(fields[field.name] != nil, "\(field.name) \(object)")
      }
      guard let id = fields["id"] as? Int else { continue }
      #expect(last == 0 || id == last + 1, "an event is missing")
      last = id
    }
    #expect(seen == Set(EventSubject.allCases.map { $0.name }))
  }

  /// The values of `change` that the program can send, by subject.
  private static let changes: [EventSubject: Set<String>] = [
    .track: Set(TrackChange.allCases.map { $0.rawValue }),
    .announcement: Set(AnnouncementChange.allCases.map { $0.rawValue }),
    .source: Set(LiveInputOutcome.allCases.map { $0.word }),
    .tag: Set(TagFacts.Change.allCases.map { $0.word }),
  ]

  /// The documented values of `change` are exactly those that the program can send.
  @Test(arguments: EventSubject.allCases) func everyChangeIsInTheTable(subject: EventSubject) {
    let meaning = declared(subject).first { $0.name == "change" }?.meaning
    // The odd pieces are those between backticks.
    let pieces = meaning?.split(separator: "`", omittingEmptySubsequences: false).enumerated()
    let named = pieces.map { Set($0.filter { $0.offset % 2 == 1 }.map { String($0.element) }) }
    #expect(named == Self.changes[subject])
  }

  @Test func theOutputAndItsLossAreTold() throws {
    let bench = try Bench(hasCard: false)
    let watcher = bench.watcher("watch output")
    bench.machine.hasCard = true
    bench.clock.run(seconds: 10)
    #expect(lines(watcher.takeText()) == ["* output: a simulated card"])
  }

  @Test func idleWaitsForTheNextChange() throws {
    let bench = try Bench()
    _ = bench.ask("play long")
    let waiting = bench.machine.listener.connect()
    waiting.type("idle volume track")
    bench.clock.run(seconds: 5)
    #expect(waiting.takeText() == "")
    _ = bench.ask("pause")
    #expect(waiting.takeText() == "", "it was not about that")
    _ = bench.ask("volume 33")
    #expect(waiting.takeText() == "  volume: 33 %\nok\n")
    // An event between two `idle` commands is not lost.
    _ = bench.ask("volume 34")
    _ = bench.ask("volume 35")
    waiting.type("idle volume")
    bench.clock.run(seconds: 1)
    #expect(waiting.takeText() == "  volume: 34 %\n  volume: 35 %\nok\n")
  }

  @Test func aLineEndsTheWaiting() throws {
    let bench = try Bench()
    let waiting = bench.machine.listener.connect()
    waiting.type("idle")
    bench.clock.run(seconds: 1)
    waiting.type("volume")
    bench.clock.run(seconds: 1)
    #expect(waiting.takeText() == "ok\n  volume: 50\n  most:   100\nok 50 %\n")
  }

  @Test func whoMissedTooMuchIsToldSo() throws {
    let bench = try Bench()
    let waiting = bench.machine.listener.connect()
    waiting.type("format json")
    bench.clock.run(seconds: 1)
    _ = waiting.takeText()
    for number in 0..<100 { bench.wire.type("volume \(number % 50)") }
    bench.clock.run(seconds: 1)
    waiting.type("idle")
    bench.clock.run(seconds: 1)
    let answer = try #require(try objects(waiting.takeText()).first)
    let fields = try #require(answer["fields"] as? [String: Any])
    let rows = try #require(answer["rows"] as? [[String: Any]])
    #expect(rows.count == EventTable.kept && fields["missed"] as? Int == 100 - EventTable.kept)
    #expect(rows.last?["volume"] as? Int == 49)
  }

  @Test func whoWaitsAndGoesLeavesNothingBehind() throws {
    let bench = try Bench()
    for _ in 0..<40 {
      let wire = bench.machine.listener.connect()
      wire.type("watch\nidle volume")
      bench.clock.run(seconds: 0.1)
      wire.hangUp()
      bench.clock.run(seconds: 0.1)
    }
    #expect(bench.ask("volume 7").contains("7 %"))
    let idle = bench.machine.clock.population
    bench.clock.run(seconds: 60)
    #expect(bench.machine.clock.population <= idle)
  }
}
