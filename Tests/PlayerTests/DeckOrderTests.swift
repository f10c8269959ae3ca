// The difference between the planned and the actual content of the decks, as single commands. Test threads.
import PlaybackModel
import RealtimeAudio
import Testing

@testable import Player

private let settings = DeckWorld.settings
private let (one, two, three) = (DeckWorld.one, DeckWorld.two, DeckWorld.three)
private let fade = DeckWorld.fade

private func plan(_ state: PlayerState, _ succession: Succession? = nil) -> DeckPlan {
  DeckWorld.plan(state, succession)
}

@Suite struct DeckOrderTests {
  private let declick = settings.declickFrames
  private let collapse = settings.collapseFrames

  // MARK: Single commands

  @Test func aTrackIsOpenedStartedAndHeard() {
    var world = DeckWorld()
    #expect(
      world.reach(plan(.preparing(track: one, intent: .play, start: .zero))) == [
        .open(one, at: .zero, on: .a)
      ])
    #expect(world.reach(plan(.playing(track: one))) == [], "its decoder has to answer first")
    world.becomeReady(.a)
    #expect(world.reach(plan(.playing(track: one))) == [.start(.a, ramp: .zero)])
  }

  /// A track starts without a ramp at its beginning, and with one in its middle or after a pause.
  @Test func onlyABeginningStartsWithoutARamp() {
    var middle = DeckWorld(.ready(track: one, position: Frames(5)))
    #expect(middle.reach(plan(.playing(track: one))) == [.start(.a, ramp: declick)])
    var sought = DeckWorld(.playing(track: one), .seeking(track: one, target: .zero, intent: .play))
    #expect(sought.reach(plan(.playing(track: one))) == [.start(.a, ramp: declick)])
  }

  @Test func pausesAndStopsMoveTheGateAlone() {
    var world = DeckWorld(.playing(track: one))
    let pause = settings.pauseFrames
    let paused = PlayerState.paused(track: one, position: Frames(9), reason: .user)
    #expect(world.reach(plan(paused)) == [.gate(.held, ramp: pause)])
    #expect(world.reach(plan(.playing(track: one))) == [.gate(.open, ramp: pause)])
    let stopping = PlayerState.fadingOut(track: one, duration: Frames(24_000))
    #expect(world.reach(plan(stopping)) == [.gate(.finished, ramp: Frames(24_000))])
    #expect(world.reach(plan(paused)) == [.gate(.held, ramp: pause)])
    #expect(world.reach(plan(.finished(last: one))) == [.clear(keeping: nil, ramp: declick)])
  }

  /// After an output loss the state of the gate is unknown, so it is commanded again.
  @Test(arguments: [DeckFacts.Gate.open, .held]) private func afterALossTheGateIsOrderedAnew(
    before: DeckFacts.Gate
  ) {
    var world = DeckWorld(.playing(track: one))
    world.facts.gate = .unknown
    let lost = PlayerState.paused(track: one, position: Frames(9), reason: .outputLost)
    #expect(
      world.reach(plan(before == .held ? lost : .playing(track: one)))
        == [.gate(before, ramp: before == .held ? .zero : settings.pauseFrames)])
  }

  @Test func aJoinIsOrderedOnceItsTrackIsCued() {
    var world = DeckWorld(.playing(track: one))
    let gapless = plan(.playing(track: one), Succession(two, .gapless))
    #expect(world.reach(gapless) == [.open(two, at: .zero, on: .b)])
    world.becomeReady(.b)
    #expect(world.reach(gapless) == [.meet(.gapless(from: .a))])
    // The queue changes the next track: the prepared track is removed together with its join.
    #expect(
      world.reach(plan(.playing(track: one), Succession(three, .undecided)))
        == [.retire(.b, ramp: collapse), .open(three, at: .zero, on: .b)])
  }

  /// The fade is scheduled before the end of the outgoing track, once both lengths are known.
  @Test func aFadeIsPlacedBeforeTheEnd() {
    var world = DeckWorld(.playing(track: one), .playing(track: one))
    let due = PlayerState.preparingCrossfade(
      current: one, next: two, plan: PlannedFade(.automatic, fade, isArmed: true))
    world.reach(plan(due))
    world.becomeReady(.b)
    let ends = FadeEnds(from: 480_000, to: 480_000)
    #expect(world.reach(plan(due)) == [.meet(.fade(from: .a, at: 432_000, fade, ends))])
    #expect(
      world.reach(plan(DeckWorld.waiting(one, two))) == [.meet(.fade(from: .a, at: 0, fade, ends))], "at once"
    )
    #expect(world.reach(plan(.playing(track: one), Succession(two, .undecided))) == [.meet(.none)])
  }

  /// A cued next track that is played now keeps its deck and is not opened again.
  @Test func clearKeepsTheDeckThatIsPromoted() {
    var world = DeckWorld(.playing(track: one), DeckWorld.waiting(one, two))
    #expect(
      world.reach(plan(.preparing(track: two, intent: .play, start: .zero)))
        == [.clear(keeping: .b, ramp: declick), .lead(.b)])
    #expect(world.facts[.b]?.stage == .cued && world.facts.isLeaving(.a))
    // From another position of the track the cued deck cannot be used.
    var elsewhere = DeckWorld(.playing(track: one), DeckWorld.waiting(one, two))
    #expect(
      elsewhere.reach(plan(.preparing(track: two, intent: .play, start: Frames(5)))).first
        == .clear(keeping: nil, ramp: declick))
  }

  /// A deck whose previous ring is still being read gets no new one: the free deck is used, or the new track
  /// waits.
  @Test func aRingThatIsStillLeavingIsNotAttachedOver() {
    var world = DeckWorld(.playing(track: one))
    world.reach(plan(.preparing(track: two, intent: .play, start: .zero)))
    #expect(world.facts.isLeaving(.a) && world.facts.lead == .b && world.facts[.b]?.track == two)
    world.becomeReady(.b)
    world.reach(plan(.playing(track: two)))
    world.reach(plan(.preparing(track: three, intent: .play, start: .zero)))
    #expect(world.facts.isLeaving(.a) && world.facts.isLeaving(.b))
    world.becomeReady(world.facts.lead)
    #expect(world.facts.leadSlot?.stage == .waitingForDeck)
    #expect(world.reach(plan(.playing(track: three))) == [], "the mixer has to let go first")
    world.settle(plan(.playing(track: three)))
    #expect(world.facts.leadSlot?.stage == .started)
  }

  // MARK: Seeking

  @Test func aSeekStopsTheDeckAndMovesItsDecoder() {
    var world = DeckWorld(.playing(track: one))
    func seeking(_ target: Int64) -> DeckPlan {
      plan(.seeking(track: one, target: Frames(target), intent: .play))
    }
    #expect(world.reach(seeking(5)) == [.seek(.a, to: Frames(5))])
    #expect(world.reach(seeking(6)) == [.seek(.a, to: Frames(6))], "another target while it stops")
    check(world.answer(.a))
    #expect(world.reach(seeking(7)) == [.seek(.a, to: Frames(7))], "and while the decoder moves")
    #expect(world.facts.leadSlot?.stage == .seeking)
    check(world.answer(.a))
    #expect(world.reach(seeking(7)) == [])
  }

  /// Without a decoder a seek opens the track again at the target.
  @Test func aTrackWhoseDecoderIsGoneIsOpenedAgain() {
    var world = DeckWorld(.playing(track: one))
    world.fail(.a)
    #expect(
      world.reach(plan(.seeking(track: one, target: Frames(5), intent: .play)))
        == [.retire(.a, ramp: declick), .open(one, at: Frames(5), on: .a)])
  }

  /// The next track may start before the mixer executes the command.
  @Test(arguments: [.playing(track: one), DeckWorld.waiting(one, two, isArmed: true)] as [PlayerState])
  func aSeekTakesBackWhatMayHaveBegunMeanwhile(before: PlayerState) {
    var world = DeckWorld(.playing(track: one))
    let next = Succession(two, .gapless)
    world.settle(world.plan(before, next))
    #expect(world.facts.meeting != .none)
    let orders = world.reach(world.plan(.seeking(track: one, target: Frames(5), intent: .play), next))
    #expect(orders == [.collapse(onto: .a, ramp: declick), .seek(.a, to: Frames(5))])
  }

  // MARK: Fades

  @Test func aRunningFadeIsLeftAlone() {
    var world = DeckWorld.fading(one, two)
    #expect(world.facts.lead == .b)
    #expect(world.reach(plan(DeckWorld.held(one, two))) == [.gate(.held, ramp: settings.pauseFrames)])
    #expect(
      world.reach(plan(DeckWorld.running(one, two, pace: .quick)))
        == [.quicken(over: settings.quickFinishFrames), .gate(.open, ramp: settings.pauseFrames)])
    #expect(
      world.reach(world.plan(.fadingOut(track: two, duration: Frames(9))))
        == [.gate(.finished, ramp: Frames(9))], "both fall silent together")
  }

  @Test func aFadeCollapsesOntoWhateverGoesOn() {
    var onwards = DeckWorld.fading(one, two)
    #expect(
      onwards.reach(plan(.playing(track: two)))
        == [.collapse(onto: .b, ramp: collapse), .retire(.a, ramp: collapse)])
    var back = DeckWorld.fading(one, two)
    #expect(
      back.reach(plan(.playing(track: one))) == [
        .collapse(onto: .a, ramp: collapse), .retire(.b, ramp: collapse),
      ])
    var skipped = DeckWorld.fading(one, two)
    #expect(
      skipped.reach(plan(DeckWorld.waiting(two, three, isArmed: false)))
        == [
          .collapse(onto: .b, ramp: collapse), .retire(.a, ramp: collapse), .open(three, at: .zero, on: .a),
        ])
    var sought = DeckWorld.fading(one, two)
    #expect(
      sought.reach(plan(.seeking(track: two, target: Frames(5), intent: .play)))
        == [.collapse(onto: .b, ramp: declick), .retire(.a, ramp: declick), .seek(.b, to: Frames(5))])
  }

  @Test func anEndedFadeLeavesOneDeck() {
    var world = DeckWorld.fading(one, two)
    world.completeFade()
    #expect(world.reach(plan(.playing(track: two))) == [.retire(.a, ramp: collapse)])
  }

  /// After a restart the gate stays closed until both decks are ready; then the fade is restored at its
  /// frame.
  @Test func aRestoredFadeWaitsForBothDecks() {
    for first in Deck.allCases {
      var world = DeckWorld()
      let waiting = plan(DeckWorld.held(one, two))
      #expect(
        world.reach(waiting)
          == [.open(two, at: Frames(900), on: .a), .open(one, at: Frames(7000), on: .b)])
      #expect(world.facts.fade == nil)
      world.becomeReady(first)
      // The output is back before the other decoder is ready.
      #expect(world.reach(plan(DeckWorld.running(one, two))) == [])
      world.becomeReady(first.other)
      #expect(
        world.reach(plan(DeckWorld.running(one, two)))
          == [
            .gate(.held, ramp: .zero), .restoreFade(fade, at: .zero),
            .gate(.open, ramp: settings.pauseFrames),
          ])
    }
    var paused = DeckWorld(DeckWorld.held(one, two))
    #expect(paused.facts.gate == .held && paused.facts.fade?.fade == fade)
    #expect(paused.reach(plan(DeckWorld.running(one, two))) == [.gate(.open, ramp: settings.pauseFrames)])
  }

  /// If the outgoing track of a restored fade fails, the fade is dropped and the incoming track plays alone.
  @Test func aRestoredFadeWithoutItsOutgoingTrackDoesNotWait() {
    var world = DeckWorld()
    world.reach(plan(DeckWorld.held(one, two)))
    world.fail(.b)
    world.becomeReady(.a)
    world.reach(plan(DeckWorld.running(one, two)))
    #expect(world.facts.leadSlot?.stage == .started && world.facts.fade == nil)
  }

  // MARK: A track that fades into itself

  @Test func aSelfFadeKnowsItsDecksApart() {
    var world = DeckWorld.fading(one, one)
    #expect(world.facts.lead == .b && world.facts.otherSlot?.stage == .started)
    #expect(world.reach(plan(DeckWorld.held(one, one))) == [.gate(.held, ramp: settings.pauseFrames)])
    #expect(world.reach(plan(DeckWorld.running(one, one))) == [.gate(.open, ramp: settings.pauseFrames)])
    world.completeFade()
    #expect(world.reach(plan(.playing(track: one))) == [.retire(.a, ramp: collapse)])
  }

  enum Loss: CaseIterable { case fails, dies, bothDie }

  /// The outgoing deck continues, also if its decoder has crashed as well and if the same track follows.
  @Test(arguments: Loss.allCases, [nil, Succession(one, .gapless)])
  func aSelfFadeGoesBackToItsOutgoingDeck(_ loss: Loss, _ succession: Succession?) {
    var world = DeckWorld.fading(one, one)
    switch loss {
    case .fails: world.fail(.b)
    case .dies: world.die(.b)
    case .bothDie:
      world.die(.a)
      world.die(.b)
    }
    world.reach(plan(.playing(track: one), succession))
    #expect(world.facts.lead == .a && world.facts.fade == nil)
    #expect(world.facts.leadSlot?.stage == .started)
  }

  @Test func aHeldSelfFadeGoesBackToItsOutgoingDeck() {
    var world = DeckWorld.fading(one, one)
    world.reach(plan(DeckWorld.held(one, one)))
    world.die(.b)
    world.reach(plan(.paused(track: one, position: Frames(40), reason: .user), Succession(one, .gapless)))
    #expect(world.facts.lead == .a && world.facts.fade == nil)
  }

  /// The incoming deck ends where its decoded frames end; until then the fade continues.
  @Test func aSelfFadeWhoseIncomingDecoderFailedRunsOn() {
    var world = DeckWorld.fading(one, one)
    world.fail(.b)
    #expect(world.reach(plan(DeckWorld.running(one, one))) == [])
    #expect(world.facts.lead == .b)
  }

  /// A repeated track is prepared on the other deck. If its decoder fails, the decoded frames are played
  /// first.
  @Test func aRepeatedTrackThatFailedIsHeardToItsEnd() {
    var world = DeckWorld(.playing(track: one))
    let again = plan(.playing(track: one), Succession(one, .gapless))
    world.settle(again)
    #expect(world.facts.meeting == .gapless(from: .a))
    world.fail(.a)
    #expect(world.reach(again) == [])
    #expect(world.facts.lead == .a)
  }

  private func check(_ condition: Bool) { #expect(condition) }
}
