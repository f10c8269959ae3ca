// The planned content of the decks for each state, and the succession of tracks. Test threads.
import PlaybackModel
import Testing

private let settings = PlayerSettings(rate: rate)
/// Ramps of the default settings at 48 kHz: 8, 50 and 200 ms.
private let declick = Frames(384)
private let collapse = Frames(2400)
private let pauseRamp = Frames(9600)

private func plan(
  _ state: PlayerState, _ succession: Succession? = nil, isFadeRunning: Bool = false
) -> DeckPlan {
  DeckPlan(state, succession: succession, isFadeRunning: isFadeRunning, settings: settings)
}

/// A state and the fields of its expected plan.
private struct Expected: Sendable, CustomTestStringConvertible {
  let state: PlayerState
  var lead = DeckPlan.Load.nothing
  var other = DeckPlan.Load.nothing
  var isSounding = false
  let gate: DeckPlan.Gate
  var meeting = DeckPlan.Meeting.none
  var release = declick
  var testDescription: String { state.displayText }
}

@Suite struct DeckPlanTests {
  private static let gapless = Succession(two, .gapless)
  private static let faded = Succession(two, .faded(tenSeconds))

  private static let plans: [Expected] =
    [
      PlayerState.idle(cause: nil, armed: .armed), .idle(cause: corrupt, armed: .disarmed),
      .finished(last: one), failed(.corrupt), failed(.network, .pause(.user)),
    ].map { Expected(state: $0, gate: .open(ramp: .zero)) }
    + [
      Expected(
        state: .preparing(track: one, intent: .play, start: Frames(7)), lead: .fresh(one, at: Frames(7)),
        gate: .open(ramp: .zero)),
      Expected(
        state: .preparing(track: one, intent: .pause(.standby), start: .zero), lead: .fresh(one, at: .zero),
        gate: .open(ramp: .zero)),
      Expected(
        state: .ready(track: one, position: Frames(7)), lead: .fresh(one, at: Frames(7)),
        gate: .open(ramp: .zero)),
      Expected(
        state: .playing(track: one), lead: .kept(one, from: .zero), isSounding: true,
        gate: .open(ramp: pauseRamp), release: collapse),
      Expected(
        state: .paused(track: one, position: Frames(7), reason: .user), lead: .kept(one, from: Frames(7)),
        gate: .held(ramp: pauseRamp)),
      Expected(
        state: .paused(track: one, position: Frames(7), reason: .outputLost),
        lead: .kept(one, from: Frames(7)), gate: .held(ramp: .zero)),
      Expected(
        state: .buffering(track: one, intent: .play), lead: .kept(one, from: .zero), isSounding: true,
        gate: .open(ramp: declick)),
      Expected(
        state: .buffering(track: one, intent: .pause(.user)), lead: .kept(one, from: .zero), isSounding: true,
        gate: .held(ramp: declick)),
      Expected(
        state: .seeking(track: one, target: Frames(7), intent: .play), lead: .moved(one, to: Frames(7)),
        gate: .asIs),
      Expected(
        state: waiting(.manual, isArmed: false), lead: .kept(one, from: .zero),
        other: .fresh(two, at: .zero), isSounding: true, gate: .open(ramp: pauseRamp), release: collapse),
      Expected(
        state: waiting(.manual, isArmed: true), lead: .kept(one, from: .zero), other: .fresh(two, at: .zero),
        isSounding: true, gate: .open(ramp: pauseRamp), meeting: .fade(tenSeconds, atOnce: true),
        release: collapse),
      Expected(
        state: waiting(.automatic, isArmed: true), lead: .kept(one, from: .zero),
        other: .fresh(two, at: .zero), isSounding: true, gate: .open(ramp: pauseRamp),
        meeting: .fade(tenSeconds, atOnce: false), release: collapse),
      Expected(
        state: fading(20), lead: .kept(two, from: .zero), other: .kept(one, from: .zero), isSounding: true,
        gate: .open(ramp: pauseRamp), meeting: .running(tenSeconds, at: Frames(96_000), .ordered)),
      Expected(
        state: fading(20, pace: .quick), lead: .kept(two, from: .zero), other: .kept(one, from: .zero),
        isSounding: true, gate: .open(ramp: pauseRamp),
        meeting: .running(tenSeconds, at: Frames(96_000), .quick)),
      // Whether it will finish quickly matters only when it resumes.
      Expected(
        state: held(70, .user), lead: .kept(two, from: Frames(48_000)),
        other: .kept(one, from: Frames(9_000_000)), gate: .held(ramp: pauseRamp),
        meeting: .running(tenSeconds, at: Frames(336_000), .ordered)),
      Expected(
        state: held(30, .outputLost), lead: .kept(two, from: Frames(48_000)),
        other: .kept(one, from: Frames(9_000_000)), gate: .held(ramp: .zero),
        meeting: .running(tenSeconds, at: Frames(144_000), .ordered)),
      Expected(
        state: .fadingOut(track: one, duration: Frames(24_000)), lead: .kept(one, from: .zero),
        gate: .finished(ramp: Frames(24_000))),
    ]

  @Test(arguments: plans) private func everyStateHasItsPlan(expected: Expected) {
    let plan = plan(expected.state)
    #expect(plan.lead == expected.lead)
    #expect(plan.other == expected.other)
    #expect(plan.isSounding == expected.isSounding)
    #expect(plan.gate == expected.gate)
    #expect(plan.meeting == expected.meeting)
    #expect(plan.release == expected.release)
  }

  @Test func theListLeavesNoStateOut() {
    #expect(Set(Self.plans.map(\.state.kind)) == Set(PlayerState.Kind.allCases))
  }

  /// The succession from queue and settings applies to states in which one track is playing or held; in the
  /// others the state itself determines the next track.
  @Test(arguments: table) func onlyTracksThatAreHeardAreFollowed(row: Row) {
    let (alone, followed) = (plan(row.state), plan(row.state, Self.gapless))
    switch row.state.kind {
    case .playing, .paused, .buffering, .fadingOut:
      #expect(followed.other == .fresh(two, at: .zero) && followed.meeting == .gapless)
    case .seeking: #expect(followed.other == .fresh(two, at: .zero) && followed.meeting == .none)
    default: #expect(followed == alone)
    }
    #expect(followed.lead == alone.lead && followed.gate == alone.gate)
  }

  @Test func aFadeThatRunsRunsOnUnderTheRampOfAStop() {
    let stopping = PlayerState.fadingOut(track: one, duration: Frames(24_000))
    for succession in [nil, Self.gapless, Self.faded] {
      let plan = plan(stopping, succession, isFadeRunning: true)
      #expect(plan.other == .asIs && plan.meeting == .asIs)
    }
    #expect(plan(stopping, Self.faded).meeting == .fade(tenSeconds, atOnce: false))
  }

  /// During playback a fade is scheduled by its own state; in silence none is needed.
  @Test func aFadeIsPlacedWhereItsStateSaysSo() {
    #expect(plan(.playing(track: one), Self.faded).meeting == .none)
    for silent in [
      PlayerState.paused(track: one, position: .zero, reason: .user), .buffering(track: one, intent: .play),
    ] {
      #expect(plan(silent, Self.faded).meeting == .fade(tenSeconds, atOnce: false))
    }
  }

  @Test(arguments: [Succession.Join.undecided, .afterEnd])
  func whatIsNotJoinedIsOnlyCued(join: Succession.Join) {
    let plan = plan(.playing(track: one), Succession(two, join))
    #expect(plan.other == .fresh(two, at: .zero) && plan.meeting == .none)
  }

  /// A track that fades into itself is on both decks.
  @Test func aTrackMayFadeIntoItself() {
    let loop = PlayerState.crossfading(
      from: one, to: one, curve: .linear, progress: progress(percent: 5), pace: .ordered)
    #expect(plan(loop).lead.track == one && plan(loop).other.track == one)
  }
}

@Suite struct SuccessionTests {
  private func join(
    _ current: Track = one, _ next: Track = two, at start: Frames = .zero, knowsEnd: Bool = true,
    fadesAlbums: Bool = false, seconds: Double = 10
  ) -> Succession.Join {
    var settings = PlayerSettings(rate: rate)
    settings.automaticFadeLength = Seconds(seconds)
    return Succession(
      of: current, to: next, at: start, knowsEnd: knowsEnd, fadesAlbums: fadesAlbums, settings: settings
    ).join
  }

  @Test func tracksFadeWhereThatIsWanted() {
    #expect(join() == .faded(tenSeconds))
    #expect(join(seconds: 0) == .gapless)
    #expect(join(at: Frames(5), seconds: 0) == .afterEnd, "from its middle it is let in over a ramp")
    #expect(join(at: Frames(5)) == .faded(tenSeconds))
  }

  /// Without a known end the start of the fade cannot be computed.
  @Test func aFadeNeedsAnEnd() {
    #expect(join(knowsEnd: false) == .gapless)
  }

  @Test func fadesAreClippedToHalfOfTheShorterTrack() {
    let jingle = track(9, "/srv/jingle.wav", length: Frames(48_000 * 6))
    #expect(join(one, jingle) == .faded(Fade(length: Frames(48_000 * 3), curve: .equalPower)))
    #expect(join(jingle, one) == join(one, jingle))
    #expect(join(one, track(9, "/srv/empty.wav", length: Frames(1))) == .gapless)
  }

  @Test func tracksOfOneAlbumAreJoinedUnlessToldOtherwise() {
    var first = one
    var second = two
    (first.album, first.trackNumber) = ("Blue", 1)
    (second.album, second.trackNumber) = ("Blue", 2)
    #expect(join(first, second) == .gapless)
    #expect(join(first, second, fadesAlbums: true) == .faded(tenSeconds))
  }
}
