// How far decoders are ahead, and when their end or failure is reported. Test threads.

import PlaybackModel
import Testing

@testable import Player
@testable import RealtimeAudio

@Suite struct DecodingMonitorTests {
  /// 1.25 s at the bench's rate.
  private let horizon = 57_330

  @Test func aFailureAheadCountsOnceTheMusicIsNear() throws {
    let bench = try DeckBench([FakeFile(frames: 200_000, failure: (at: 100_000, kind: .corrupt))])
    bench.play(0)
    let state = PlayerState.playing(track: bench.track(0))
    bench.publish(a: UInt64(100_000 - horizon - 1))
    #expect(bench.decoding.learnOutcome(.a, in: state) == nil)
    #expect(bench.decks.facts.leadSlot?.failure == nil)
    bench.publish(a: UInt64(100_000 - horizon))
    #expect(bench.decoding.learnOutcome(.a, in: state)?.kind == .corrupt)
    #expect(bench.decks.facts.leadSlot?.endIndex == 100_000)
    #expect(bench.decoding.learnOutcome(.a, in: state) == nil, "it is learnt once")
  }

  /// A deck that has underrun has no sound left to play.
  @Test func whatStarvesFailsAtOnceAndDoesNotBreakOff() throws {
    let bench = try DeckBench([FakeFile(frames: 200_000, failure: (at: 100_000, kind: .corrupt))])
    bench.play(0)
    bench.publish(a: 10)
    let state = PlayerState.buffering(track: bench.track(0), intent: .play)
    #expect(bench.decoding.learnOutcome(.a, in: state) == nil)
    #expect(bench.decks.facts.leadSlot?.failure?.kind == .corrupt)
    #expect(bench.decks.facts.leadSlot?.endIndex == nil)
  }

  @Test func aTrackAboutToStartIsPlayedWhateverBecameOfIt() throws {
    let bench = try DeckBench([FakeFile(frames: 200_000, failure: (at: 20_000, kind: .corrupt))])
    bench.open(0)
    _ = bench.decoding.learnOutcome(
      .a, in: .preparing(track: bench.track(0), intent: .play, start: .zero))
    #expect(bench.decks.facts.leadSlot?.failure == nil)
    _ = bench.decoding.learnOutcome(
      .a, in: .preparing(track: bench.track(0), intent: .pause(.user), start: .zero))
    #expect(bench.decks.facts.leadSlot?.failure?.kind == .corrupt)
  }

  @Test func theTimeUntilAnEndCountsIsKnown() throws {
    let bench = try DeckBench([FakeFile(frames: 44_100 * 4)])
    bench.play(0)
    bench.publish(a: 44_100)
    let state = PlayerState.playing(track: bench.track(0))
    #expect(bench.decoding.timeUntilOutcome(in: state) == 1.7)
    bench.publish(a: 44_100 * 3)
    #expect(bench.decoding.learnOutcome(.a, in: state) == nil)
    #expect(bench.decks.facts.leadSlot?.endIndex == 44_100 * 4)
    #expect(bench.decoding.timeUntilOutcome(in: state) == nil, "it is known by now")
  }

  @Test func whatIsDecodedIsBuffered() throws {
    let bench = try DeckBench([FakeFile(frames: 44_100, stall: 30_000)])
    #expect(bench.decoding.bufferedPosition == nil)
    bench.play(0)
    bench.publish(a: 500)
    #expect(bench.decoding.bufferedPosition == frames(30_000))
  }

  @Test func aRecordingWaitsForADecoderThatCouldStillFail() throws {
    let bench = try DeckBench([FakeFile(frames: 100_000, stall: 60_000)], isOffline: true)
    bench.play(0)
    bench.publish(a: UInt64(60_000 - horizon - 1_000))
    #expect(bench.decoding.isSettled(for: frames(1_000)))
    #expect(!bench.decoding.isSettled(for: frames(1_001)))
    let decoder = try #require(bench.files.latest(0))
    for _ in 0..<16 { bench.decoding.await(frames(1_000)) }
    #expect(!decoder.isRefillExpected)
  }

  /// A slow decoder is given a timeout and woken again, in case it missed the first wakeup.
  @Test func aDecoderThatARecordingWaitsForIsTimedBeforeLong() throws {
    let bench = try DeckBench([FakeFile(frames: 100_000, stall: 60_000)], isOffline: true)
    bench.play(0)
    bench.publish(a: UInt64(60_000 - horizon))
    let decoder = try #require(bench.files.latest(0))
    let before = decoder.wakeUps
    for _ in 0..<15 { bench.decoding.await(frames(1_000)) }
    #expect(decoder.wakeUps == before + 1)
    #expect(!decoder.isRefillExpected)
    #expect(bench.decoding.isSettled(for: frames(0)), "counting begins anew")
    for _ in 0..<15 { bench.decoding.await(frames(1_000)) }
    #expect(!decoder.isRefillExpected)
    bench.decoding.await(frames(1_000))
    #expect(decoder.isRefillExpected)
    #expect(decoder.wakeUps == before + 3)
  }

  /// During a pause the mixer does not report that a ring has been refilled.
  @Test func aDryRingIsLookedAtAgain() throws {
    let bench = try DeckBench([FakeFile(frames: 100_000, stall: 1_000)])
    bench.play(0)
    bench.publish(a: 1_000)
    var looks = 0
    bench.decoding.onRefillDue = { looks += 1 }
    let lead = try #require(bench.decks.facts.leadSlot)
    #expect(!bench.decoding.isRefilled(lead))
    bench.wait(0.2)
    #expect(looks == 1)
    bench.files.latest(0)?.release()
    #expect(bench.decoding.isRefilled(lead))
    bench.wait(0.2)
    #expect(looks == 1)
  }
}
