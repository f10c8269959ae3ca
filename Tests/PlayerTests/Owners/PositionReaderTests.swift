// Track positions computed from what the audio thread publishes. Test threads.

import PlaybackModel
import Testing

@testable import Player
@testable import RealtimeAudio

@Suite struct PositionReaderTests {
  @Test func aTrackThatWaitsIsWhereItWasOpened() throws {
    let bench = try DeckBench([FakeFile()])
    bench.open(0, at: 5_000)
    bench.publish(a: 77)
    #expect(
      bench.positions.position(in: .ready(track: bench.track(0), position: frames(5_000))) == frames(5_000))
  }

  @Test func theIndexCountsOnceTheMixerHasStartedTheDeck() throws {
    let bench = try DeckBench([FakeFile()])
    bench.open(0, at: 5_000)
    bench.publish(a: 300)
    bench.decks.carryOut(.start(.a, ramp: .zero))
    let state = PlayerState.playing(track: bench.track(0))
    #expect(bench.positions.position(in: state) == frames(5_000))
    bench.obey()
    #expect(bench.positions.position(in: state) == frames(5_300))
  }

  @Test func theSoundMovesOnBetweenTwoReadings() throws {
    let bench = try DeckBench([FakeFile()])
    bench.play(0)
    bench.publish(a: 100, isRunning: true)
    bench.scheduler.advance(to: bench.scheduler.now + 100_000_000)
    #expect(bench.positions.position(in: .playing(track: bench.track(0))) == frames(100 + 4_410))
    #expect(bench.positions.timeHeard(frames(44_100)) == 2_000_000_000)
  }

  @Test func aRecordingMovesWithItsFramesOnly() throws {
    let bench = try DeckBench([FakeFile()], isOffline: true)
    bench.play(0)
    bench.publish(a: 100, isRunning: true)
    bench.scheduler.advance(to: bench.scheduler.now + 100_000_000)
    #expect(bench.positions.position(in: .playing(track: bench.track(0))) == frames(100))
    #expect(bench.positions.timeHeard(frames(44_100)) == nil)
  }

  /// During a fade the state's current track is the outgoing one, but user commands apply to the incoming
  /// one.
  @Test func inAFadeTheMomentHasBothTracks() throws {
    let bench = try DeckBench([FakeFile(), FakeFile()])
    bench.play(0)
    bench.open(1, on: .b)
    bench.decks.noteFade(Fade(length: frames(4_000), curve: .equalPower))
    bench.publish(a: 900, b: 40)
    let state = PlayerState.crossfading(
      from: bench.track(0), to: bench.track(1), curve: .equalPower,
      progress: FadeProgress(index: .zero, length: frames(4_000)), pace: .ordered)
    let moment = bench.positions.moment(in: state)
    #expect((moment.current, moment.next, moment.deck) == (frames(900), frames(40), .a))
    #expect(bench.positions.position(in: state) == frames(40))
  }

  @Test func aFailureKeepsItsPosition() throws {
    let bench = try DeckBench([FakeFile()])
    let error = PlaybackError(.missing, path: "0")
    let state = PlayerState.failed(error: error, track: bench.track(0), position: frames(77), intent: .play)
    #expect(bench.positions.position(in: state) == frames(77))
  }

  @Test func whileAReportIsHandledItsFrameIsNow() throws {
    let bench = try DeckBench([FakeFile()])
    bench.publish(frame: 500)
    bench.positions.beginReport(at: frames(480))
    #expect(bench.positions.timelineFrame == frames(480))
    bench.positions.endReport()
    #expect(bench.positions.timelineFrame == frames(500))
  }
}
