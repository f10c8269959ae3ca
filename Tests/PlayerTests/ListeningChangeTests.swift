// Reports that tracks begin and are left. Test threads.

import PlaybackModel
import Testing

@testable import Player

@Suite struct ListeningChangeTests {
  private let one = Track(id: 1, path: "one", length: frames(9_000))
  private let two = Track(id: 2, path: "two", length: frames(8_000))
  private let moment = Moment(time: 0, current: frames(700), next: frames(30))

  private func change(_ before: PlayerState, _ after: PlayerState, _ event: PlayerEvent) -> ListeningChange? {
    ListeningChange(from: before, to: after, by: event, at: moment)
  }

  private var fading: PlayerState {
    .crossfading(
      from: one, to: two, curve: .equalPower, progress: FadeProgress(index: frames(30), length: frames(400)),
      pace: .ordered)
  }

  @Test func aTrackBeginsWithItsSound() {
    let preparing = PlayerState.preparing(track: one, intent: .play, start: .zero)
    #expect(change(.idle(cause: nil, armed: .disarmed), preparing, .load(one, at: .zero)) == nil)
    let began = change(preparing, .playing(track: one), .didPrepare)
    #expect(began?.began == one && began?.left == nil)
  }

  @Test func aPauseLeavesNothing() {
    let paused = PlayerState.paused(track: one, position: frames(700), reason: .user)
    #expect(change(.playing(track: one), paused, .pause) == nil)
  }

  @Test func aTrackThatIsOverWasHeardToItsEnd() {
    let change = change(.playing(track: one), .playing(track: two), .didAdvance(two))
    #expect(change?.left == ListeningChange.Left(track: one, position: frames(9_000), isOver: true))
    #expect(change?.began == two)
  }

  @Test func whatIsSkippedIsLeftWhereItWas() {
    let next = PlayerState.preparing(track: two, intent: .play, start: .zero)
    let change = change(.playing(track: one), next, .skip(to: two))
    #expect(change?.left == ListeningChange.Left(track: one, position: frames(700), isOver: false))
    #expect(change?.began == nil)
  }

  /// The fade-out of a stop ends before the 400 frame fade that starts during it; a sleep timer's does not.
  @Test(arguments: [(300, false), (400, true)])
  func aFadeInARampIsTheTracksEndIfTheRampIsLonger(duration: Int, isOver: Bool) {
    let end = Moment(time: 0, current: frames(8_600), next: frames(0))
    let change = ListeningChange(
      from: .fadingOut(track: one, duration: frames(duration)),
      to: .fadingOut(track: two, duration: frames(duration)),
      by: .crossfadeBegan(to: two, fade: Fade(length: frames(400), curve: .equalPower)), at: end)
    #expect(change?.left?.isOver == isOver && change?.left?.position == frames(isOver ? 9_000 : 8_600))
  }

  /// During a fade the incoming track counts as current.
  @Test func aFadeIsListenedToAsItsIncomingTrack() {
    let began = change(
      .playing(track: one), fading,
      .crossfadeBegan(to: two, fade: Fade(length: frames(400), curve: .equalPower)))
    #expect(began?.began == two && began?.left?.position == frames(700))
    let stopped = change(fading, .idle(cause: nil, armed: .disarmed), .reset)
    #expect(stopped?.left == ListeningChange.Left(track: two, position: frames(30), isOver: false))
  }
}
