// A reader on a serial panel: tags present when the box or the panel starts, and readers that repeat or lose
// a tag. Test threads.

import Platform
import Testing

@testable import Daemon
@testable import Simulator

@Suite struct PanelTagTests {
  private static func storage(_ lines: String = "") -> SimulatedStorage {
    let storage = Bench.storage("panel /dev/panel\nreader shelf panel\n" + lines)
    storage.tracks["/music/second"] = SimulatedTrack(seconds: 600, level: 0.25)
    return storage
  }

  /// A box with the panel connected, and the panel.
  private func start(_ storage: SimulatedStorage) throws -> (Bench, SimulatedReader) {
    let bench = try Bench(storage)
    let panel = SimulatedReader(SimulatedSource(bench.clock))
    bench.machine.devices.panels["/dev/panel"] = panel
    bench.clock.run(seconds: 70)
    #expect(!bench.ask("controls").contains("# panel"), "\(bench.ask("controls"))")
    return (bench, panel)
  }

  private func say(_ bench: Bench, _ panel: SimulatedReader, _ lines: String..., then seconds: Double = 0.5) {
    panel.say(lines.map { $0 + "\n" }.joined())
    bench.clock.run(seconds: seconds)
  }

  /// A box whose panel has started, with two tags; the first one plays.
  private func playing(_ lines: String = "", _ storage: SimulatedStorage? = nil) throws -> (
    Bench, SimulatedReader
  ) {
    let (bench, panel) = try start(storage ?? Self.storage(lines))
    _ = bench.ask("tag 1 play long")
    _ = bench.ask("tag 2 play second")
    say(bench, panel, "ready", then: 10)
    say(bench, panel, "tag shelf 1", then: 20)
    #expect(bench.status("state") == "playing" && bench.status("tag") == "1")
    return (bench, panel)
  }

  /// A tag that stays on the reader across a reset of the panel is not a second swipe.
  @Test func aResetOfThePanelUnderATagChangesNothing() throws {
    let (bench, panel) = try playing()
    for _ in 0..<3 {
      say(bench, panel, "ready", "tag shelf 1", then: 30)
      #expect(bench.status("state") == "playing")
    }
  }

  @Test(arguments: [0.0, 1, 4]) func aTagThatLiesThereAfterAPowerCutChangesNothing(delay: Double) throws {
    let storage = Self.storage()
    let (first, _) = try playing("", storage)
    first.pullThePlug()
    let (second, panel) = try start(storage)
    #expect(second.status("state") == "playing")
    say(second, panel, "ready", then: delay)
    say(second, panel, "tag shelf 1", then: 10)
    #expect(second.status("state") == "playing" && second.status("tag") == "1")
    // Long after the start it is a swipe.
    say(second, panel, "untag shelf", then: 5)
    say(second, panel, "tag shelf 1", then: 2)
    #expect(second.status("state") == "paused")
  }

  /// A different tag on the reader at startup plays its own music.
  @Test func anotherTagThatLiesThereIsPlayed() throws {
    let storage = Self.storage()
    let (first, _) = try playing("", storage)
    first.pullThePlug()
    let (second, panel) = try start(storage)
    say(second, panel, "ready", "tag shelf 2", then: 3)
    #expect(second.status("title") == "second" && second.status("tag") == "2")
  }

  /// A reader that loses a tag for less than the debounce setting causes no event.
  @Test(arguments: [0.02, 0.06, 0.3, 1.0, 1.4]) func aFlickeringTagIsNotTakenAway(gap: Double) throws {
    let (bench, panel) = try playing("set tags.removed pause\n")
    let watcher = bench.watcher("watch state")
    for _ in 0..<6 {
      say(bench, panel, "untag shelf", then: gap)
      say(bench, panel, "tag shelf 1", then: 3)
    }
    #expect(watcher.takeText() == "" && bench.status("state") == "playing")
    say(bench, panel, "untag shelf", then: 2)
    #expect(bench.status("state") == "paused")
    say(bench, panel, "tag shelf 1", then: 2)
    #expect(bench.status("state") == "playing")
  }

  @Test(arguments: [0.3, 1.0, 2.5, 7.0]) func aReaderThatRepeatsATagIsHeardOnce(interval: Double) throws {
    let (bench, panel) = try playing()
    // This reader is known to report removals.
    say(bench, panel, "untag shelf", then: 5)
    say(bench, panel, "tag shelf 1", then: 5)
    let state = bench.status("state")
    for _ in 0..<10 { say(bench, panel, "tag shelf 1", then: interval) }
    #expect(bench.status("state") == state)
  }

  /// A reader that never reports removals and repeats a tag every 2.5 s needs a longer debounce.
  @Test func aReaderThatOnlyRepeatsNeedsALongerDebounce() throws {
    let (bench, panel) = try start(Self.storage("set tags.debounce 3\n"))
    _ = bench.ask("tag 1 play long")
    say(bench, panel, "ready", then: 10)
    for _ in 0..<10 { say(bench, panel, "tag shelf 1", then: 2.5) }
    #expect(bench.status("state") == "playing")
    bench.clock.run(seconds: 4)
    say(bench, panel, "tag shelf 1", then: 2)
    #expect(bench.status("state") == "paused")
  }

  /// A jammed button has no effect at a start of the box or a reset of the panel.
  @Test func aJammedButtonDoesNothing() throws {
    let (bench, panel) = try start(Self.storage("button off panel\nbind off press \"volume 7\"\n"))
    for _ in 0..<3 { say(bench, panel, "ready", "down off", then: 5) }
    #expect(bench.status("volume") != "7")
    say(bench, panel, "up off", "down off", "up off")
    #expect(bench.status("volume") == "7")
  }
}
