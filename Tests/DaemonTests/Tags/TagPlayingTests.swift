// Tags on a complete box: what they play, where they resume, how they are learned. Test threads.

import Platform
import Testing

@testable import Daemon

@Suite struct TagPlayingTests {
  /// A box with two audio books and two tags.
  private func bench(_ lines: String = "", _ storage: SimulatedStorage? = nil) throws -> Bench {
    let bench = try Bench(storage ?? Self.storage(lines))
    guard storage == nil else { return bench }
    _ = bench.ask("tag 1 play long")
    _ = bench.ask("tag 2 play second")
    return bench
  }

  private static func storage(_ lines: String = "") -> SimulatedStorage {
    let storage = Bench.storage("button next gpio gpiochip0 1\nbind next short next\n" + lines)
    storage.tracks["/music/second"] = SimulatedTrack(seconds: 600, level: 0.25)
    return storage
  }

  private func position(_ bench: Bench) throws -> Double {
    try #require(bench.status("position", of: "current").flatMap { Double($0) })
  }

  private func swipe(_ bench: Bench, _ tag: String, listening seconds: Double = 60) -> String {
    let answer = bench.ask("tag swipe \(tag)")
    bench.clock.run(seconds: seconds)
    return answer
  }

  @Test func aTagPlaysAndGoesOnWhereItWasLeft() throws {
    let bench = try bench()
    #expect(swipe(bench, "1").hasPrefix("ok 1 track: long"))
    #expect(bench.status("title") == "long" && bench.status("tag") == "1")
    _ = swipe(bench, "2", listening: 20)
    #expect(bench.status("title") == "second" && bench.status("tag") == "2")
    _ = swipe(bench, "1", listening: 10)
    #expect(bench.status("title") == "long")
    #expect(70..<78 ~= (try position(bench)))
    _ = swipe(bench, "2", listening: 1)
    #expect(20..<28 ~= (try position(bench)))
    let list = bench.ask("tag")
    #expect(list.contains("> 2 play second") && list.contains("  1 play long, left at 1:1"), "\(list)")
  }

  @Test(arguments: ["stop", "sleep 1", "play short", "queue clear"])
  func whateverEndsItTheTagGoesOn(_ command: String) throws {
    let bench = try bench()
    _ = swipe(bench, "1")
    _ = bench.ask(command)
    bench.clock.run(seconds: 120)
    _ = swipe(bench, "1", listening: 1)
    #expect(bench.status("title") == "long")
    #expect(60..<150 ~= (try position(bench)), "\(command)")
  }

  @Test func withoutResumingItBeginsAtTheBeginning() throws {
    let bench = try bench("set tags.resume off\n")
    _ = swipe(bench, "1")
    _ = swipe(bench, "2")
    _ = swipe(bench, "1", listening: 1)
    #expect(try position(bench) < 5)
  }

  @Test func heardToItsEndItBeginsAtTheBeginning() throws {
    let bench = try bench()
    _ = bench.ask("tag 3 play short")
    _ = swipe(bench, "3", listening: 40)
    #expect(bench.status("state") == "finished")
    _ = swipe(bench, "3", listening: 1)
    #expect(bench.status("state") == "playing")
    #expect(try position(bench) < 5)
  }

  @Test func itGoesOnAfterAPowerCut() throws {
    let storage = Self.storage()
    let first = try bench("", storage)
    _ = first.ask("tag 1 play long")
    _ = first.ask("tag 2 play second")
    _ = swipe(first, "1")
    first.pullThePlug()
    let second = try bench("", storage)
    second.clock.run(seconds: 2)
    // The box resumes by itself and remembers which tag the music belongs to.
    #expect(second.status("title") == "long" && second.status("tag") == "1")
    _ = swipe(second, "2", listening: 5)
    second.pullThePlug()
    let third = try bench("", storage)
    _ = swipe(third, "1", listening: 1)
    #expect(third.status("title") == "long")
    #expect(try position(third) > 40)
  }

  @Test(arguments: [
    ("toggle", "paused"), ("nothing", "playing"), ("restart", "playing"), ("next", "finished"),
  ])
  func aSecondSwipe(_ again: String, _ state: String) throws {
    let bench = try bench("set tags.again \(again)\n")
    _ = swipe(bench, "1", listening: 30)
    _ = swipe(bench, "1", listening: 2)
    #expect(bench.status("state") == state)
    if again == "restart" { #expect(try position(bench) < 10) }
    if again == "toggle" {
      _ = swipe(bench, "1", listening: 1)
      #expect(bench.status("state") == "playing")
      #expect(try position(bench) > 25)
    }
  }

  @Test(arguments: [("nothing", "playing"), ("pause", "paused"), ("stop", "finished")])
  func aTagIsTakenAway(_ removed: String, _ state: String) throws {
    let bench = try bench("set tags.removed \(removed)\nset tags.again next\n")
    _ = swipe(bench, "1", listening: 30)
    _ = bench.ask("tag lift")
    bench.clock.run(seconds: 5)
    #expect(bench.status("state") == state)
    guard removed != "nothing" else { return }
    _ = swipe(bench, "1", listening: 1)
    #expect(bench.status("state") == "playing" && bench.status("title") == "long")
    #expect(try position(bench) > 25)
  }

  @Test func anUnknownTagIsSaidAndLearnt() throws {
    let bench = try bench()
    let watcher = bench.watcher("watch tag")
    #expect(bench.ask("tag swipe 77").contains("error: the tag has no command; 'tag 77 COMMAND'"))
    #expect(watcher.takeText().contains("tag: 77 has come, and has no command"))
    _ = bench.ask("play short")
    #expect(bench.ask("tag learn").contains("the next tag will do: play short"))
    #expect(bench.status("tag-learning") == "play short")
    #expect(bench.ask("tag swipe 77").hasPrefix("ok tag 77 will do: play short"))
    #expect(watcher.takeText().contains("77 has a command now: play short"))
    _ = swipe(bench, "1", listening: 5)
    _ = swipe(bench, "77", listening: 5)
    #expect(bench.status("title") == "short")
  }

  @Test func learningEndsByItself() throws {
    let bench = try bench()
    _ = bench.ask("tag learn volume 30")
    bench.clock.run(seconds: 61)
    #expect(bench.status("tag-learning") == nil)
    #expect(bench.ask("tag swipe 9").contains("error"))
    _ = bench.ask("tag learn volume 30")
    #expect(bench.ask("tag learn off").contains("no tag is waited for any more"))
    #expect(bench.ask("tag learn").contains("error: nothing is being played"))
  }

  @Test func aTagMayDoAnythingElse() throws {
    let bench = try bench()
    _ = bench.ask("tag 5 volume 33")
    _ = swipe(bench, "1", listening: 10)
    _ = swipe(bench, "5", listening: 1)
    #expect(bench.status("volume") == "33" && bench.status("title") == "long" && bench.status("tag") == "1")
  }

  @Test func whatIsNotThereLeavesTheQueue() throws {
    let bench = try bench()
    _ = bench.ask("tag 6 play nowhere")
    _ = swipe(bench, "1", listening: 10)
    #expect(bench.ask("tag swipe 6").contains("error: "))
    #expect(bench.status("title") == "long" && bench.status("tag") == "1")
  }

  /// A user at a reader or a button sees no reply.
  @Test(
    arguments: [
      ("play nowhere", true), ("play empty", true), ("queue add nowhere", true), ("announce nowhere", true),
      ("volume 30", false),
    ], [true, false])
  func aTagOrButtonThatFailsIsHeard(test: (command: String, fails: Bool), isTag: Bool) throws {
    let (command, fails) = test
    let storage = Self.storage(
      "set cues.enabled on\nset volume.start 100\nset cues.volume 100\nset cues.error-file /cue\n"
        + "bind next short \(command)\n")
    storage.tracks["/cue"] = SimulatedTrack(seconds: 1, level: 0.875)
    storage.folders["/music/empty"] = 0
    let bench = try Bench(storage)
    _ = bench.ask("tag 6 \(command)")
    bench.clock.run(seconds: 5)
    let watcher = bench.watcher("watch tag")
    func isHeard() -> Bool { bench.machine.card.map { abs($0.loudest - 0.875) < 0.01 } == true }
    #expect(!isHeard())
    if isTag {
      try #require(bench.box).owners.tags.take(try #require(TagInputs.placed("6")))
    } else {
      bench.press(1)
    }
    bench.clock.run(seconds: 5)
    #expect(isHeard() == fails, "\(String(describing: bench.machine.card?.loudest))")
    #expect(bench.machine.logged.contains { $0.contains("tag 6: ") } == (fails && isTag))
    let text = "tag: 6 cannot carry out its command: \(command)"
    #expect(watcher.takeText().contains(text) == (fails && isTag))
  }

  /// The cue of a limit is the only one; a newer command is no failure of the older one.
  @Test func aTagThatMayNotPlayOrIsOvertakenHasNotFailed() throws {
    let storage = Self.storage(
      "set cues.enabled on\nset volume.start 100\nset cues.volume 100\nset cues.error-file /cue\n"
        + "set limits.quiet-from 11:00\nset limits.quiet-to 13:00\n")
    storage.tracks["/cue"] = SimulatedTrack(seconds: 1, level: 0.875)
    let bench = try Bench(storage)
    let tags = try #require(bench.box).owners.tags
    for line in ["tag 1 play long", "tag 2 play second"] { _ = bench.ask(line) }
    tags.take(try #require(TagInputs.placed("1")))
    bench.clock.run(seconds: 5)
    _ = bench.ask("unset limits.quiet-from")
    for tag in ["1", "2"] {
      tags.take(try #require(TagInputs.placed(tag)))
      bench.clock.run(seconds: 0.001)
    }
    bench.clock.run(seconds: 1)
    #expect(bench.status("title") == "second")
    let loudest = try #require(bench.machine.card).loudest
    #expect(loudest < 0.85, "\(loudest)")
  }

  @Test(
    arguments: [
      ("tag", "2 tags"), ("tag 1", "COMMAND is missing"), ("tag ü play a", "is not a tag's number"),
      ("tag 1 tag remove all", "a tag cannot change tags"), ("tag 1 exit", "has no meaning"),
      ("tag 1 frobnicate", "there is no command 'frobnicate'"), ("tag remove 9", "there is no tag '9'"),
      ("tag lift", "no tag is on a reader"),
    ])
  func whatIsWrongIsNamed(_ line: String, _ expected: String) throws {
    let answer = try bench().ask(line)
    #expect(answer.contains(expected), "\(answer)")
  }

  @Test func tagsAreForgotten() throws {
    let storage = Self.storage()
    let first = try bench("", storage)
    for line in ["tag 1 play long", "tag 2 play second", "tag remove 1"] { _ = first.ask(line) }
    first.pullThePlug()
    let second = try bench("", storage)
    #expect(second.ask("tag").contains("2 play second") && !second.ask("tag").contains("play long"))
    #expect(second.ask("tag remove all").contains("no tags"))
  }

  /// A tag that is on its reader at power-on is reported before the tag store has been read.
  @Test(arguments: [false, true]) func aTagThatComesFirstWaits(hangs: Bool) throws {
    let storage = Self.storage()
    let first = try bench("", storage)
    _ = first.ask("tag 1 play long")
    first.pullThePlug()
    storage.stateHangs = hangs
    let second = try Bench(storage)
    let tags = try #require(second.box).owners.tags
    tags.take(try #require(TagInputs.placed("1")))
    second.clock.run(seconds: 3)
    storage.stateHangs = false
    second.clock.run(seconds: 3)
    #expect(second.status("title") == "long" && second.status("tag") == "1", "\(second.machine.logged)")
  }

  /// Repeated reports and repeated swipes of the same tag count once.
  @Test func aReaderThatRepeatsATagIsHeardOnce() throws {
    let bench = try bench()
    let tags = try #require(bench.box).owners.tags
    let tag = try #require(TagInputs.placed("1"))
    for _ in 0..<40 {
      tags.take(tag)
      bench.clock.run(seconds: 0.5)
    }
    #expect(bench.status("state") == "playing")
    bench.clock.run(seconds: 2)
    tags.take(tag)
    bench.clock.run(seconds: 2)
    #expect(bench.status("state") == "paused")
  }
}
