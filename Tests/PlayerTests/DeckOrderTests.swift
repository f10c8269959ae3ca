// The difference between what the decks shall hold and what they hold, one order at a time.
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

  // MARK: One by one

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

  /// A track's own beginning is heard as it is; its middle, and what comes out of a pause, is let in.
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

  /// Nobody knows how it stands after a loss: it is ordered whatever it was.
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
    // The queue wants another track: the one that waits goes, and its join with it.
    #expect(
      world.reach(plan(.playing(track: one), Succession(three, .undecided)))
        == [.retire(.b, ramp: collapse), .open(three, at: .zero, on: .b)])
  }

  /// Before the end of the outgoing track, with both ends told.
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

  /// What was cued to follow is what plays next: it is not opened again.
  @Test func clearKeepsTheDeckThatIsPromoted() {
    var world = DeckWorld(.playing(track: one), DeckWorld.waiting(one, two))
    #expect(
      world.reach(plan(.preparing(track: two, intent: .play, start: .zero)))
        == [.clear(keeping: .b, ramp: declick), .lead(.b)])
    #expect(world.facts[.b]?.stage == .cued && world.facts.isLeaving(.a))
    // From elsewhere in the track it is of no use.
    var elsewhere = DeckWorld(.playing(track: one), DeckWorld.waiting(one, two))
    #expect(
      elsewhere.reach(plan(.preparing(track: two, intent: .play, start: Frames(5)))).first
        == .clear(keeping: nil, ramp: declick))
  }

  /// A deck whose last ring is still read gets no other: the free one is taken, or the new track waits.
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

  /// Nobody is left who could move: the track is opened again where it is wanted.
  @Test func aTrackWhoseDecoderIsGoneIsOpenedAgain() {
    var world = DeckWorld(.playing(track: one))
    world.fail(.a)
    #expect(
      world.reach(plan(.seeking(track: one, target: Frames(5), intent: .play)))
        == [.retire(.a, ramp: declick), .open(one, at: Frames(5), on: .a)])
  }

  /// What waits may have been begun by the time the order takes effect.
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

  /// After a restart: nothing is heard before both decks stand, and then the fade is put on its frame behind the gate.
  @Test func aRestoredFadeWaitsForBothDecks() {
    for first in Deck.allCases {
      var world = DeckWorld()
      let waiting = plan(DeckWorld.held(one, two))
      #expect(
        world.reach(waiting)
          == [.open(two, at: Frames(900), on: .a), .open(one, at: Frames(7000), on: .b)])
      #expect(world.facts.fade == nil)
      world.becomeReady(first)
      // The output is back before the other decoder is.
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

  /// One whose outgoing track cannot be had never runs: the incoming one is heard alone.
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

  /// The outgoing deck continues, also where its decoder died as well, and where the same track follows.
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

  /// Its incoming deck breaks off at the end of what was decoded; until then the fade runs as it was.
  @Test func aSelfFadeWhoseIncomingDecoderFailedRunsOn() {
    var world = DeckWorld.fading(one, one)
    world.fail(.b)
    #expect(world.reach(plan(DeckWorld.running(one, one))) == [])
    #expect(world.facts.lead == .b)
  }

  /// A track that is repeated waits on the other deck. When its decoder fails, what was decoded is heard to its end first.
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
