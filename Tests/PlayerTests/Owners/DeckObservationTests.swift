// Deck observations as events of the state machine. Test threads.

import PlaybackModel
import Testing

@testable import Player
@testable import RealtimeAudio

@Suite struct DeckObservationTests {
  private func observation(of bench: DeckBench) -> DeckObservation {
    DeckObservation(bench.decks, bench.queue, bench.succession, bench.decoding)
  }

  private func event(_ bench: DeckBench, _ state: PlayerState) -> PlayerEvent? {
    observation(of: bench).event(in: state, bench.settings)
  }

  private func preparing(_ track: Track, _ intent: Intent = .play) -> PlayerState {
    .preparing(track: track, intent: intent, start: .zero)
  }

  @Test func aCuedTrackIsPrepared() throws {
    let bench = try DeckBench([FakeFile()])
    bench.queue.select(bench.track(0))
    bench.decks.carryOut(.open(bench.track(0), at: .zero, on: .a))
    #expect(event(bench, preparing(bench.track(0))) == nil, "its decoder has said nothing yet")
    bench.hear()
    #expect(event(bench, preparing(bench.track(0))) == .didPrepare)
  }

  @Test func aTrackThatCannotBeOpenedFails() throws {
    let bench = try DeckBench([FakeFile(opening: .refused(.missing))])
    bench.queue.select(bench.track(0))
    bench.open(0)
    #expect(event(bench, preparing(bench.track(0)))?.error?.kind == .missing)
  }

  @Test func theEndMovesTheQueueOn() throws {
    let bench = try DeckBench([FakeFile(), FakeFile()])
    bench.queue.select(bench.track(0))
    bench.play(0)
    #expect(event(bench, .playing(track: bench.track(0))) == nil)
    bench.decks.noteEnd(.a)
    #expect(event(bench, .playing(track: bench.track(0))) == .didReachEnd(next: bench.track(1)))
    #expect(bench.queue.queue.current == bench.track(1))
  }

  /// Repeating a track without frames would be a busy loop.
  @Test func aTrackWithoutAFrameIsPassedOver() throws {
    let bench = try DeckBench([FakeFile(), FakeFile()])
    bench.queue.queue.repeatMode = .all
    bench.queue.select(bench.track(0))
    bench.decks.carryOut(.open(bench.track(0), at: .zero, on: .a))
    bench.files.latest(0)?.cutShort(at: 0)
    bench.hear()
    bench.decks.carryOut(.start(.a, ramp: .zero))
    bench.obey()
    _ = bench.decoding.learnOutcome(.a, in: .playing(track: bench.track(0)))
    bench.decks.noteEnd(.a)
    #expect(event(bench, .playing(track: bench.track(0))) == .didReachEnd(next: bench.track(1)))
    bench.queue.select(bench.track(1))
    #expect(bench.queue.queue.peekNext?.id == bench.track(1).id)
  }

  @Test func aNextTrackThatFailsLeavesItsDeck() throws {
    let bench = try DeckBench([FakeFile(frames: 20_000), FakeFile(opening: .refused(.corrupt)), FakeFile()])
    bench.queue.select(bench.track(0))
    bench.play(0)
    bench.open(1, on: .b)
    #expect(event(bench, .playing(track: bench.track(0)))?.error?.kind == .corrupt)
    #expect(bench.decks.facts.otherSlot == nil)
    #expect(bench.queue.queue.peekNext == bench.track(2))
  }

  @Test func aSeekIsDoneWhereItWasToGo() throws {
    let bench = try DeckBench([FakeFile()])
    bench.queue.select(bench.track(0))
    bench.open(0, at: 7_000)
    func seeking(_ target: Int) -> PlayerState {
      .seeking(track: bench.track(0), target: frames(target), intent: .play)
    }
    #expect(event(bench, seeking(7_000)) == .didSeek)
    #expect(event(bench, seeking(9_000)) == nil)
  }

  @Test func aFadeWithoutItsOutgoingTrackIsOver() throws {
    let bench = try DeckBench([FakeFile(), FakeFile()])
    bench.play(0)
    bench.open(1, on: .b)
    bench.decks.noteFade(Fade(length: frames(4_000), curve: .equalPower))
    let state = PlayerState.crossfading(
      from: bench.track(0), to: bench.track(1), curve: .equalPower,
      progress: FadeProgress(index: .zero, length: frames(4_000)), pace: .ordered)
    #expect(event(bench, state) == nil)
    bench.decks.noteFadeCompleted()
    #expect(event(bench, state) == .crossfadeCompleted)
  }
}
