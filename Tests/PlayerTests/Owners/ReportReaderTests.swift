// The interpretation of mixer reports, including late ones. Test threads.

import PlaybackModel
import Testing

@testable import Player
@testable import RealtimeAudio

@Suite struct ReportReaderTests {
  private func read(
    _ bench: DeckBench, _ event: MixerEvent, _ state: PlayerState, a: UInt64 = 0, b: UInt64 = 0
  )
    -> ReportReader.News
  {
    ReportReader(bench.link, bench.decks, bench.positions, bench.decoding)
      .take(bench.stamped(event, a: a, b: b), in: state)
  }

  private func event(of news: ReportReader.News) -> (PlayerEvent, Moment)? {
    if case .event(let event, let moment) = news { (event, moment) } else { nil }
  }

  /// A bench in which the first file plays and the second one is joined on deck B.
  private func joined() throws -> (DeckBench, PlayerState) {
    let bench = try DeckBench([FakeFile(), FakeFile()])
    bench.play(0)
    bench.open(1, on: .b)
    return (bench, .playing(track: bench.track(0)))
  }

  @Test func aJoinIsAnAdvance() throws {
    let (bench, state) = try joined()
    let news = event(of: read(bench, .advanced(to: .b), state, a: 20_000, b: 3))
    guard case .didAdvance(let track)? = news?.0 else {
      Issue.record("\(String(describing: news))")
      return
    }
    #expect(track.id == bench.track(1).id && news?.1.current == frames(3))
    #expect(bench.decks.facts.lead == .b && bench.decks.facts.otherSlot?.stage == .ended)
  }

  /// The command that removes the next track crosses with the report of its join.
  @Test func aJoinToATrackThatWasTakenBackEndsTheCurrentOne() throws {
    let (bench, state) = try joined()
    bench.decks.drop(.b)
    #expect(event(of: read(bench, .advanced(to: .b), state)) == nil)
    #expect(bench.decks.facts.leadSlot?.stage == .ended)
  }

  @Test func reportsFromBeforeTheMixerHadTheRingDoNotCount() throws {
    let bench = try DeckBench([FakeFile()])
    bench.decks.carryOut(.open(bench.track(0), at: .zero, on: .a))
    _ = bench.decks.takeDecoderEvents(.a)
    bench.decks.carryOut(.start(.a, ramp: .zero))
    let state = PlayerState.playing(track: bench.track(0))
    #expect(event(of: read(bench, .starved(.a), state)) == nil)
    _ = read(bench, .deckEnded(.a), state)
    #expect(bench.decks.facts.leadSlot?.stage == .started)
    bench.obey()
    #expect(event(of: read(bench, .starved(.a), state))?.0 == .didStarve)
    #expect(bench.files.latest(0)?.isRefillExpected == true)
  }

  /// Only the mixer can report the end of a track without a decoder: it may have reached the end and joined
  /// the next track.
  @Test func aTrackWithoutADecoderIsOverWhenTheMixerSaysSo() throws {
    let (bench, state) = try joined()
    bench.files.latest(0)?.fail(.decoderCrashed)
    _ = bench.decks.takeDecoderEvents(.a)
    _ = bench.decks.acceptOutcome(.a, isPlaying: true)
    #expect(event(of: read(bench, .starved(.a), state)) == nil)
    #expect(bench.decks.facts.leadSlot?.stage == .started)
    guard case .didAdvance(let track)? = event(of: read(bench, .advanced(to: .b), state))?.0 else {
      Issue.record("no advance")
      return
    }
    #expect(track.id == bench.track(1).id && bench.decks.facts.lead == .b)
  }

  @Test func aFadeBeginsWithTheMomentBeforeIt() throws {
    let (bench, state) = try joined()
    let fade = Fade(length: frames(4_000), curve: .equalPower)
    let news = event(of: read(bench, .crossfadeBegan(to: .b, fade), state, a: 9_000, b: 2))
    #expect(news?.0.kind == .crossfadeBegan)
    #expect((news?.1.current, news?.1.deck) == (frames(9_000), .a))
    #expect(bench.decks.facts.lead == .b && bench.decks.facts.fade != nil)
  }

  @Test func aPauseIsSettledWhereItTookEffect() throws {
    let (bench, _) = try joined()
    let state = PlayerState.paused(track: bench.track(0), position: .zero, reason: .user)
    guard case .settled(let moment) = read(bench, .paused, state, a: 4_321) else {
      Issue.record("not settled")
      return
    }
    #expect(moment.current == frames(4_321))
  }

  @Test func aRingThatCannotBeFailsItsTrack() throws {
    let (bench, state) = try joined()
    #expect(event(of: read(bench, .ringCorrupt(.b), state)) == nil, "it is not heard")
    let news = event(of: read(bench, .ringCorrupt(.a), state))
    #expect(news?.0.error?.kind == .decoderBrokeSandbox)
    #expect(bench.decks.facts.leadSlot?.stage == .ended)
  }
}
