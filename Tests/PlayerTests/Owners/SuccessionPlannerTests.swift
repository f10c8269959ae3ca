// Which track follows, how, and at which position. Test threads.

import PlaybackModel
import Testing

@testable import Player
@testable import RealtimeAudio

@Suite struct SuccessionPlannerTests {
  private static let minute = 44_100 * 60

  /// A bench in which the first track plays at the given second.
  private func bench(at second: Int, fade: Double = 0) throws -> DeckBench {
    let bench = try DeckBench([FakeFile(frames: Self.minute), FakeFile(frames: 44_100)])
    bench.settings.automaticFadeLength = Seconds(fade)
    bench.queue.select(bench.track(0))
    bench.play(0)
    bench.publish(a: UInt64(second * 44_100))
    return bench
  }

  private func wanted(_ bench: DeckBench) -> Succession? {
    bench.succession.wanted(in: .playing(track: bench.track(0)), bench.settings)
  }

  @Test func theNextTrackIsOpenedTenSecondsBeforeItIsDue() throws {
    #expect(wanted(try bench(at: 49)) == nil)
    let bench = try bench(at: 50)
    #expect(wanted(bench) == Succession(bench.track(1), .undecided))
    #expect(wanted(try self.bench(at: 46, fade: 5)) == Succession(bench.track(1), .undecided))
    #expect(wanted(try self.bench(at: 44, fade: 5)) == nil)
  }

  @Test func itLooksAgainWhenTheNextTrackIsDue() throws {
    let bench = try bench(at: 40)
    // The end is already known, so there is nothing to wait for.
    bench.publish(a: UInt64(59 * 44_100))
    _ = bench.decoding.learnOutcome(.a, in: .playing(track: bench.track(0)))
    bench.publish(a: UInt64(40 * 44_100))
    var calls = 0
    bench.succession.onDue = { calls += 1 }
    bench.succession.plan(.playing(track: bench.track(0)), bench.settings)
    bench.wait(9.9)
    #expect(calls == 0)
    bench.wait(0.2)
    #expect(calls == 1)
    bench.succession.plan(.playing(track: bench.track(0)), bench.settings)
    bench.succession.plan(.paused(track: bench.track(0), position: .zero, reason: .user), bench.settings)
    bench.wait(60)
    #expect(calls == 1, "nothing is due by itself in a pause")
  }

  @Test func aCuedTrackIsJoinedOrFaded() throws {
    let bench = try bench(at: 55)
    bench.open(1, on: .b)
    #expect(wanted(bench)?.join == .gapless)
    #expect(bench.succession.due(in: .playing(track: bench.track(0)), bench.settings) == nil)
    bench.settings.automaticFadeLength = Seconds(0.5)
    guard case .faded(let fade) = wanted(bench)?.join else {
      Issue.record("no fade")
      return
    }
    #expect(fade.length == frames(22_050))
    let due = bench.succession.due(in: .playing(track: bench.track(0)), bench.settings)
    guard case .nextDue(let next, let dueFade) = due else {
      Issue.record("nothing is due: \(String(describing: due))")
      return
    }
    #expect(next.id == bench.track(1).id && dueFade == fade)
  }

  @Test func aFadeIsWithdrawnWithItsTrack() throws {
    let bench = try bench(at: 55, fade: 0.5)
    bench.open(1, on: .b)
    guard case .faded(let fade) = wanted(bench)?.join else {
      Issue.record("no fade")
      return
    }
    let (current, next) = (bench.track(0), bench.track(1))
    let state = PlayerState.preparingCrossfade(
      current: current, next: next, plan: PlannedFade(.automatic, fade, isArmed: true))
    #expect(bench.succession.due(in: state, bench.settings) == nil)
    try bench.queue.queue.remove(next.id)
    #expect(bench.succession.due(in: state, bench.settings) == .nextWithdrawn)
  }

  @Test func albumsAreJoinedUnlessTheyAreToBeFaded() throws {
    let bench = try bench(at: 55, fade: 0.5)
    var (one, two) = (bench.track(0), bench.track(1))
    (one.album, two.album) = ("Harbour", "Harbour")
    (one.trackNumber, two.trackNumber) = (1, 2)
    bench.queue.queue.describe(one)
    bench.queue.queue.describe(two)
    let other = try DeckBench([FakeFile(frames: Self.minute), FakeFile(frames: 44_100)])
    other.settings = bench.settings
    other.queue.queue = bench.queue.queue
    other.play(0)
    other.publish(a: UInt64(55 * 44_100))
    other.open(1, on: .b)
    #expect(wanted(other)?.join == .gapless)
    other.succession.fadesAlbums = true
    #expect(wanted(other)?.join != .gapless)
  }
}
