// The first use of a new box: play with an empty queue, sticks, mute, cues. Test threads.

import Platform
import Testing

@testable import Daemon

@Suite struct FirstHourTests {
  private static func filled(_ configuration: String = "") -> SimulatedStorage {
    let storage = Bench.storage(configuration)
    storage.folders = ["/music": 3]
    storage.tracks["/music/track"] = SimulatedTrack(seconds: 30, level: 0.25)
    return storage
  }

  @Test(arguments: ["play", "toggle"]) func playOnAFreshBoxPlaysWhatThereIs(command: String) throws {
    let bench = try Bench(Self.filled())
    #expect(bench.ask(command).contains("3 tracks"), "\(bench.machine.logged)")
    #expect(bench.status("state") == "playing")
    // A box with a queue continues it.
    _ = bench.ask("pause")
    _ = bench.ask(command)
    #expect(bench.status("state") == "playing" && bench.status("queue") == "3")
  }

  @Test func aPressOfPlayOnAFreshBoxIsMusic() throws {
    let bench = try Bench(Self.filled())
    bench.machine.devices.chip.set(0, isPressed: true)
    bench.clock.run(seconds: 0.1)
    bench.machine.devices.chip.set(0, isPressed: false)
    bench.clock.run(seconds: 2)
    #expect(bench.status("state") == "playing")
  }

  @Test func withoutMusicItSaysWhereToPutIt() throws {
    let storage = Bench.storage()
    storage.tracks = [:]
    let bench = try Bench(storage)
    #expect(bench.ask("play").contains("error: there is no music in /music yet"))
  }

  @Test func theStickThatWasOfferedComesFirst() throws {
    let storage = Self.filled("set media.removable /media\n")
    storage.folders["/media/stick"] = 2
    storage.tracks["/media/stick/track"] = SimulatedTrack(seconds: 30, level: 0.5)
    let bench = try Bench(storage)
    bench.machine.mounts.points = ["/media/stick"]
    bench.clock.run(seconds: 1)
    #expect(bench.ask("media").contains("/media/stick"))
    #expect(bench.ask("play").contains("2 tracks"))
  }

  @Test func theRootIsListedByWhatIsInIt() throws {
    let bench = try Bench(Self.filled())
    #expect(
      bench.ask("ls").contains("ok 0 entries"), "it is looked into, and the simulated one lists nothing")
  }

  @Test func muteIsUndoneByMuteOrTheKnob() throws {
    let bench = try Bench()
    _ = bench.ask("volume 40")
    #expect(bench.ask("mute").contains("40 %"))
    #expect(bench.status("volume") == "0")
    _ = bench.ask("mute")
    #expect(bench.status("volume") == "40")
    _ = bench.ask("mute")
    _ = bench.ask("volume 10")
    _ = bench.ask("mute")
    #expect(bench.status("volume") == "0")
    #expect(bench.ask("mute").contains("10 %"))
  }

  @Test func theCurrentTrackIsALine() throws {
    let bench = try Bench()
    #expect(bench.ask("current").contains("error: nothing is playing"))
    _ = bench.ask("play short")
    #expect(bench.ask("current").contains("short"))
    #expect(bench.ask("history").contains(": short"))
  }

  /// The peak sample of a box's cues and the gain of its music at the same volume, as sent to the card.
  private static func loudness(volume: Int, most: Int = 100) throws -> (cue: Float, music: Float) {
    let lines = "set cues.enabled on\nset volume.start \(volume)\nset cues.volume \(most)\n"
    let bench = try Bench(Bench.storage(lines))
    bench.clock.run(seconds: 3)
    _ = bench.ask("sleep 30")
    bench.clock.run(seconds: 2)
    let card = try #require(bench.machine.card)
    let (cue, heard) = (card.loudest, card.heard)
    _ = bench.ask("play long")
    bench.clock.run(seconds: 2)
    return (cue, card.heard > heard ? card.last / 0.5 : 0)
  }

  private static let limits = [100, 60, 30, 20, 1]
  /// The peak sample of cues at full volume.
  private static let whole = Result { try loudness(volume: 100).cue }
  /// The gains of music at the volumes of `limits`.
  private static let limitGains = Result {
    try Dictionary(uniqueKeysWithValues: limits.map { ($0, try loudness(volume: $0).music) })
  }

  /// A cue has the gain of the music, limited to -36 dB below and to `cues.volume` above.
  @Test(arguments: [100, 80, 60, 40, 26, 24, 10, 0], limits)
  func cuesAreAsLoudAsTheMusic(volume: Int, most: Int) throws {
    let whole = try Self.whole.get()
    #expect(whole > 0.1 && whole < 0.7, "the limiter does not change the cue")
    let (cue, music) = try Self.loudness(volume: volume, most: most)
    let limit = try #require(Self.limitGains.get()[most])
    let wanted = min(max(music, 0.015_848_93), limit)
    #expect(abs(cue / whole - wanted) < wanted / 1000, "\(cue / whole), not \(wanted)")
  }

  @Test func cuesOfNoVolumeAreSilent() throws {
    #expect(try Self.loudness(volume: 100, most: 0).cue == 0)
  }

  /// Whether the cues for an offered stick and for slow storage are audible.
  @Test(arguments: [true, false]) func aStickThatIsOfferedIsHeard(isEnabled: Bool) throws {
    let cues = isEnabled ? "set cues.enabled on\n" : ""
    let bench = try Bench(Self.filled(cues + "set media.removable /media\n"))
    bench.clock.run(seconds: 5)
    let card = try #require(bench.machine.card)
    let before = card.heard
    bench.machine.mounts.points = ["/media/stick"]
    bench.clock.run(seconds: 2)
    #expect(bench.status("storage-offered") == "/media/stick")
    #expect((card.heard > before) == isEnabled)
  }

  @Test(arguments: [true, false]) func storageThatMusicWaitsForIsHeard(isWanted: Bool) throws {
    let storage = Self.filled("set cues.enabled on\n")
    let first = try Bench(storage)
    _ = first.ask("play long")
    first.clock.run(seconds: 70)
    first.pullThePlug()
    storage.stateHangs = true
    let bench = try Bench(storage)
    bench.clock.run(seconds: 5)
    // The cue that the box is ready has finished.
    let before = bench.machine.card?.heard ?? 0
    if isWanted { _ = bench.ask("play") }
    bench.clock.run(seconds: 5)
    #expect(((bench.machine.card?.heard ?? 0) > before) == isWanted)
    #expect(bench.status("waiting-for-storage") != nil)
  }

  @Test func shutdownIsToldFromAnEndFromOutside() throws {
    for command in ["shutdown", ""] {
      let bench = try Bench()
      if command.isEmpty { bench.machine.terminate() } else { bench.wire.type(command) }
      bench.clock.run(seconds: 5)
      guard case .ended(let byCommand)? = bench.box?.outcome else {
        Issue.record("it goes on")
        continue
      }
      #expect(byCommand == !command.isEmpty)
    }
  }
}
