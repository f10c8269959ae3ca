// An NFC reader on the board's bus: reports of its process, and a process that dies, falls silent or sends
// invalid data. Test threads.

import Platform
import Testing

@testable import Daemon

@Suite struct NFCReaderTests {
  /// A box with a reader called shelf, and its reader processes.
  private struct Rig {
    let bench: Bench
    let controls: SimulatedControls

    init(_ storage: SimulatedStorage) throws {
      bench = try Bench(storage)
      controls = bench.machine.devices
      bench.clock.run(seconds: 1)
    }

    /// The process started last.
    var reader: SimulatedReader? { controls.readers.last }

    func say(_ text: String, then seconds: Double = 1) {
      reader?.say(text)
      bench.clock.run(seconds: seconds)
    }

    var problem: String? {
      bench.ask("controls").split(separator: "\n").first { $0.contains("# reader") }
        .map { String($0.drop { $0 == " " }) }
    }
  }

  private static func storage(_ lines: String = "") -> SimulatedStorage {
    let storage = Bench.storage("reader shelf nfc pn532_i2c:/dev/i2c-1\n" + lines)
    storage.tracks["/music/second"] = SimulatedTrack(seconds: 600, level: 0.25)
    return storage
  }

  private func rig(_ lines: String = "") throws -> Rig {
    let rig = try Rig(Self.storage(lines))
    _ = rig.bench.ask("tag 04a21b0c play long")
    _ = rig.bench.ask("tag 04a21b0c0d0e0f play second")
    rig.say(".\n-\n")
    return rig
  }

  @Test func nothingIsStartedWhereNoneIsDeclared() throws {
    let rig = try Rig(Bench.storage())
    #expect(rig.controls.readers.isEmpty)
    _ = rig.bench.ask("reader shelf nfc pn532_uart:/dev/ttyS0")
    rig.bench.clock.run(seconds: 1)
    #expect(rig.controls.readers.count == 1)
    #expect(rig.bench.ask("controls").contains("reader shelf nfc pn532_uart:/dev/ttyS0:115200"))
    _ = rig.bench.ask("remove shelf")
    rig.bench.clock.run(seconds: 100)
    #expect(rig.controls.readers.count == 1 && rig.controls.runningReaders == 0)
  }

  @Test func aTagPlaysAndItsRemovalPauses() throws {
    let rig = try rig("set tags.removed pause\n")
    rig.say("+04a21b0c\n")
    #expect(rig.bench.status("title") == "long" && rig.bench.status("state") == "playing")
    rig.say("-\n", then: 2)
    #expect(rig.bench.status("state") == "paused")
    rig.say("+04a21b0c\n")
    #expect(rig.bench.status("state") == "playing")
    // Another tag replaces it.
    rig.say("+04a21b0c0d0e0f\n")
    #expect(rig.bench.status("title") == "second" && rig.bench.status("state") == "playing")
  }

  /// A tag that stays on the reader is not a new swipe after a restart of the process or the box, or a change
  /// of the controls.
  @Test func aTagThatLiesThereIsNoSecondSwipe() throws {
    let storage = Self.storage()
    let rig = try Rig(storage)
    _ = rig.bench.ask("tag 04a21b0c play long")
    rig.say("-\n+04a21b0c\n", then: 30)
    rig.reader?.die()
    rig.bench.clock.run(seconds: 2)
    #expect(rig.controls.readers.count == 2)
    rig.say(".\n+04a21b0c\n", then: 2)
    #expect(rig.bench.status("state") == "playing")
    _ = rig.bench.ask("button next gpio gpiochip0 1")
    rig.bench.clock.run(seconds: 1)
    #expect(rig.controls.readers.count == 3)
    rig.say("+04a21b0c\n", then: 20)
    #expect(rig.bench.status("state") == "playing")
    rig.bench.pullThePlug()
    let second = try Rig(storage)
    second.say(".\n+04a21b0c\n", then: 3)
    #expect(second.bench.status("tag") == "04a21b0c" && second.bench.status("state") == "playing")
    // The tag was removed and put back while no process was running.
    second.say("-\n", then: 2)
    second.say("+04a21b0c\n")
    #expect(second.bench.status("state") == "paused")
  }

  /// While the tag's command cannot be read, the user is notified once.
  @Test func storageThatHangsIsWaitedForOnce() throws {
    let storage = Self.storage()
    try Rig(storage).bench.pullThePlug()
    storage.stateHangs = true
    let second = try Rig(storage)
    second.say(".\n+04a21b0c\n", then: 45)
    let told = second.bench.machine.logged.filter { $0.contains("What tags do is not known") }
    #expect(told.count == 1, "\(told)")
  }

  /// Two readers: lifting a tag from one does not affect the music of the other's tag.
  @Test func eachReaderHasItsOwnTag() throws {
    let rig = try rig("set tags.removed pause\nreader door nfc pn532_uart:/dev/ttyS0\n")
    let (shelf, door) = (rig.controls.readers[0], rig.controls.readers[1])
    door.say("-\n")
    shelf.say("-\n")
    rig.bench.clock.run(seconds: 1)
    shelf.say("+04a21b0c\n")
    rig.bench.clock.run(seconds: 2)
    door.say("+04a21b0c0d0e0f\n")
    rig.bench.clock.run(seconds: 2)
    #expect(rig.bench.status("title") == "second")
    shelf.say("-\n")
    rig.bench.clock.run(seconds: 2)
    #expect(rig.bench.status("state") == "playing")
    door.say("-\n")
    rig.bench.clock.run(seconds: 2)
    #expect(rig.bench.status("state") == "paused")
  }

  @Test func aTagThatLiesThereFromTheStartPlays() throws {
    let storage = Self.storage()
    let first = try Rig(storage)
    _ = first.bench.ask("tag 04a21b0c play long")
    first.bench.pullThePlug()
    let second = try Rig(storage)
    second.say("+04a21b0c\n", then: 3)
    #expect(second.bench.status("title") == "long" && second.bench.status("state") == "playing")
  }

  @Test(arguments: [
    ("!no PN532 answers at /dev/i2c-1\n", true, "no PN532 answers at /dev/i2c-1; trying again"),
    ("", true, "its process has ended; trying again"),
    ("tag shelf 12\n", false, "its process says what no reader says; trying again"),
    (String(repeating: "\u{0}", count: 1000), false, "its process says what no reader says; trying again"),
    (
      String(repeating: "+04a21b0c\n-\n", count: 40), false,
      "it reports more tags than fit on a reader; trying again"
    ),
  ])
  func whatEndsItIsSaidAndItComesBack(_ words: String, _ dies: Bool, _ reason: String) throws {
    let rig = try rig()
    _ = rig.bench.ask("play second")
    rig.bench.clock.run(seconds: 100)
    let before = rig.controls.readers.count
    rig.reader?.say(words)
    if dies { rig.reader?.die() }
    rig.bench.clock.run(seconds: 0.2)
    #expect(rig.problem == "# reader shelf: " + reason)
    #expect(rig.controls.runningReaders == 0)
    rig.bench.clock.run(seconds: 1)
    #expect(rig.controls.readers.count == before + 1)
    // The reader counts as recovered once it sends a heartbeat.
    #expect(rig.problem != nil)
    rig.say(".\n")
    #expect(rig.problem == nil)
    #expect(rig.bench.machine.logged.contains { $0.contains("reader shelf is back.") })
    #expect(rig.bench.status("state") == "playing")
  }

  /// Ten changes per second are accepted from a shaking tag; eleven are treated as a faulty reader.
  @Test(arguments: [(10, false), (11, true)]) func changesAreBounded(changes: Int, isOver: Bool) throws {
    let rig = try rig()
    rig.bench.clock.run(seconds: 2)
    for _ in 0..<20 {
      for number in 0..<changes { rig.reader?.say(number % 2 == 0 ? "+04a21b0c\n" : "+04a21b0c0d0e0f\n") }
      rig.bench.clock.run(seconds: 1.1)
    }
    let problem = rig.problem ?? ""
    #expect(
      problem.contains("more tags than fit") == isOver && (rig.controls.readers.count > 1) == isOver,
      "\(problem)")
  }

  @Test func oneThatFailsAtOnceIsStartedLessAndLess() throws {
    let rig = try Rig(Self.storage())
    for _ in 0..<600 {
      if let reader = rig.reader, rig.controls.runningReaders > 0 {
        reader.say("!no\n")
        reader.die()
      }
      rig.bench.clock.run(seconds: 1)
    }
    #expect((8..<24).contains(rig.controls.readers.count), "\(rig.controls.readers.count)")
    #expect(rig.bench.machine.logged.filter { $0.contains("reader shelf") }.count == 1)
  }

  @Test func oneThatCannotBeStartedIsSaid() throws {
    let rig = try Rig(Bench.storage())
    rig.controls.readerFailure = 12
    let answer = rig.bench.ask("reader shelf nfc pn532_i2c:/dev/i2c-1")
    #expect(
      answer.contains("reader shelf: its process cannot be started: Cannot allocate memory; trying again"),
      "\(answer)")
    rig.controls.readerFailure = nil
    rig.bench.clock.run(seconds: 10)
    #expect(rig.controls.readers.count == 1)
  }

  @Test func oneThatFallsSilentIsReplaced() throws {
    let rig = try rig()
    for _ in 0..<5 { rig.say(".\n", then: 20) }
    #expect(rig.controls.readers.count == 1 && rig.problem == nil)
    rig.bench.clock.run(seconds: 26)
    #expect(rig.problem == "# reader shelf: its process says nothing any more; trying again")
    rig.bench.clock.run(seconds: 1)
    #expect(rig.controls.readers.count == 2)
    rig.say(".\n")
    #expect(rig.problem == nil)
  }
}
