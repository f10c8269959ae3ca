// Complete boxes in simulated time, and planted faults that the oracle must find. Test threads.

import Foundation
import Testing

@testable import Simulator

@Suite struct BoxTests {
  @Test(arguments: [3, 6, 9, 42] as [UInt64]) func theSameSeedGivesTheSameBox(seed: UInt64) {
    let world = World(seed: seed)
    #expect(world.box != nil)
    let (first, second) = (Simulation(world).run(), Simulation(world).run())
    #expect(first.digest == second.digest && first.duration == second.duration)
    #expect(first.violation == second.violation && first.journal == second.journal)
  }

  /// Regression tests: scripts of faults that were fixed.
  @Test func scriptsOfMendedFaultsGoWell() throws {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Scripts")
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    #expect(!files.isEmpty)
    for file in files where file.hasSuffix(".sim") {
      let world = try World(text: String(contentsOf: folder.appendingPathComponent(file), encoding: .utf8))
      let outcome = Simulation(world).run()
      #expect(outcome.violation == nil, "\(Report(world, outcome, origin: file).text)")
    }
  }

  /// A box that is used, loses power and continues.
  private static let day = """
    weather calm
    track length 60000
    track length 60000
    track length 60000
    box seed 5
    box config button play gpio gpiochip0 3
    box config bind play press toggle
    box config set fade.length 2
    box config set volume.maximum 60
    +0 type "play all.m3u"
    +1000000 volume 90
    +500000 type "status"
    +1000000 button play press
    +200000 button play release
    +2000000 button play press
    +200000 button play release
    +9000000 power-cut 500
    +500000 type "history"
    +500000 button play press
    +200000 button play release
    +2000000 queue remove 1
    +3500000 power-cut 500
    calm 10
    """

  @Test func aBoxThatNobodyMeddlesWithGoesWell() throws {
    let outcome = Simulation(try World(text: Self.day)).run()
    #expect(outcome.violation == nil, "\(String(describing: outcome.violation))")
    #expect(outcome.frames > 40_000)
  }

  /// Cues during playback, a pause and a fade, two of them in succession.
  private static let cues = """
    weather calm
    track length 30000
    track length 30000
    box seed 5
    box config set cues.enabled on
    box config set cues.ready /cues/ready
    box config set cues.sleep-timer /cues/sleep-timer
    box config set cues.volume-limit /cues/volume-limit
    box config set cues.error-internal /cues/error-internal
    box config set cues.storage-wait /cues/storage-wait
    box config set volume.maximum 60
    box config set fade.length 2
    +0 type "play all.m3u"
    +2000000 type "sleep 3"
    +1000000 type "volume 90"
    +20000 type "sleep 2"
    @fade:40 type "sleep 5"
    +2000000 pause
    +1000000 type "sleep 4"
    +4000000 play
    calm 10
    """

  @Test func cuesAreHeardAndMusicMakesRoom() throws {
    let outcome = Simulation(try World(text: Self.cues)).run()
    #expect(outcome.violation == nil, "\(String(describing: outcome.violation))")
  }

  @Test func aCueThatIsNotHeardIsFound() throws {
    let simulation = Simulation(try World(text: Self.cues))
    // The cue in the pause.
    simulation.oracle.spoiler = { number, left, right in
      [number > 30_000 && left == 0 ? (0, 0) : (left, right)]
    }
    #expect(simulation.run().violation?.rule == .cue)
  }

  /// Announcements during playback, a fade and a pause, with ducked or paused music; one fails and one waits.
  private static let announcements = """
    weather calm
    track length 30000
    track length 30000
    box seed 5
    box config set fade.length 2
    box config set volume.maximum 60
    +0 type "play all.m3u"
    +2000000 type "announce bell volume 12"
    +1500000 type "announce speech volume 100 duck 20"
    +100000 type "announce notice volume 12 duck pause"
    +3000000 type "announce garbled"
    @fade:30 type "announce bell volume 12"
    +4000000 pause
    +1000000 type "announce speech volume 100 duck 20"
    +3000000 play
    +1000000 type "announce notice volume 12 duck pause"
    +300000 pause
    +3000000 play
    calm 12
    """

  @Test func announcementsAreHeardAndMusicLosesNoFrame() throws {
    let simulation = Simulation(try World(text: Self.announcements))
    let outcome = simulation.run()
    #expect(outcome.violation == nil, "\(String(describing: outcome.violation))")
    #expect(simulation.oracle.tracker.ear.heard.count == 6)
  }

  @Test func anAnnouncementThatIsNotHeardIsFound() throws {
    let simulation = Simulation(try World(text: Self.announcements))
    // The announcement in the pause.
    simulation.oracle.spoiler = { number, left, right in
      [number > 40_000 && left == 0 ? (0, 0) : (left, right)]
    }
    #expect(simulation.run().violation?.rule == .cue)
  }

  @Test func anAnnouncementThatIsTooLoudIsFound() throws {
    let simulation = Simulation(try World(text: Self.announcements))
    simulation.oracle.spoiler = { _, left, right in [left == 0 ? (0, right * 1.1) : (left, right)] }
    #expect(simulation.run().violation != nil)
  }

  @Test func musicThatMakesMoreRoomForACueThanItShouldIsFound() throws {
    let simulation = Simulation(try World(text: Self.cues))
    // The first cue starts two seconds after the first track.
    simulation.oracle.spoiler = { number, left, right in
      [number > 7000 && number < 9500 && left < 0.2 ? (left * 0.97, right * 0.97) : (left, right)]
    }
    #expect(simulation.run().violation != nil)
  }

  /// An audio book that is left twice, each time followed by a power cut.
  private static let book = """
    weather calm
    track length 300000
    track length 60000
    box seed 5
    box config set bookmarks.minimum-length 1
    +0 type "play all.m3u"
    +2000000 type "seek 30%"
    +3000000 next
    +9000000 power-cut 500
    +3000000 previous
    +2000000 previous
    +6000000 type "seek 60%"
    +2000000 next
    +9000000 power-cut 500
    +2000000 type "bookmarks"
    calm 10
    """

  @Test func bookmarksOutlastALossOfPower() throws {
    let world = try World(text: Self.book)
    let simulation = Simulation(world)
    let outcome = simulation.run()
    #expect(outcome.violation == nil, "\(String(describing: outcome.violation))")
    #expect(outcome.powerCuts == 2)
  }

  @Test func aLostBookmarkIsFoundOut() throws {
    let outcome = Simulation(try World(text: Self.book), saboteur: .files).run()
    let violation = try #require(outcome.violation)
    #expect(violation.rule == .memory && violation.expected.contains("bookmark"), "\(violation)")
  }

  @Test(
    arguments: [
      (.light, [.light]), (.storage, [.memory]), (.volume, [.loudness, .gain]), (.answers, [.answers]),
      (.buttons, [.press]),
    ] as [(Saboteur, [Violation.Rule])])
  func aLieIsFoundOut(_ saboteur: Saboteur, rules: [Violation.Rule]) throws {
    let outcome = Simulation(try World(text: Self.day), saboteur: saboteur).run()
    let violation = try #require(outcome.violation)
    #expect(rules.contains(violation.rule), "\(violation)")
  }
}
