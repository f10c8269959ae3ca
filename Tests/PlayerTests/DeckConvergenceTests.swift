// From any facts to any plan: the decks reach the plan, whatever is reported on the way. Test threads.
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

@Suite struct DeckConvergenceTests {
  private static let states: [PlayerState] = [
    .idle(cause: nil, armed: .disarmed), .preparing(track: one, intent: .play, start: .zero),
    .preparing(track: two, intent: .play, start: Frames(5)), .ready(track: one, position: .zero),
    .playing(track: one), .playing(track: two), .playing(track: three),
    .paused(track: one, position: Frames(9), reason: .user),
    .paused(track: two, position: Frames(9), reason: .outputLost), .buffering(track: one, intent: .play),
    .buffering(track: two, intent: .pause(.user)),
    .seeking(track: one, target: Frames(5), intent: .play),
    .seeking(track: two, target: .zero, intent: .pause(.user)), DeckWorld.waiting(one, two),
    DeckWorld.waiting(two, three),
    DeckWorld.waiting(one, one), DeckWorld.waiting(one, two, isArmed: false),
    .fadingOut(track: one, duration: Frames(99)),
    .fadingOut(track: two, duration: Frames(99)), .finished(last: one),
    .failed(error: PlaybackError(.network), track: one, position: .zero, intent: .play),
  ]

  private static let worlds: [(String, DeckWorld)] =
    states.map { ("\($0)", DeckWorld($0)) } + [
      ("a fade", DeckWorld.fading(one, two)), ("a fade into itself", DeckWorld.fading(one, one)),
      ("a held fade", DeckWorld(DeckWorld.held(one, two))),
      ("a held fade into itself", DeckWorld(DeckWorld.held(one, one))),
      (
        "a fade held",
        {
          var world = DeckWorld.fading(one, two)
          world.settle(plan(DeckWorld.held(one, two)))
          return world
        }()
      ),
    ]

  @Test(arguments: states) func everyPlanIsReachedFromEverywhere(state: PlayerState) {
    for (_, start) in Self.worlds {
      for succession in [nil, Succession(three, .gapless), Succession(one, .faded(fade))] {
        var world = start
        let plan = world.plan(state, succession)
        world.settle(plan)
        expectReached(plan, world)
        // Also if the state of the gate is unknown and a decoder fails on the way.
        world = start
        world.facts.gate = .unknown
        world.settle(plan)
        expectReached(plan, world)
        for deck in Deck.allCases {
          world = start
          world.fail(deck)
          world.settle(plan)
        }
      }
    }
  }

  private func expectReached(
    _ plan: DeckPlan, _ world: DeckWorld, _ comment: Comment? = nil, _ at: SourceLocation = #_sourceLocation
  ) {
    let facts = world.facts
    let lead = facts.leadSlot
    switch plan.lead {
    case .nothing: #expect(lead == nil, comment, sourceLocation: at)
    case .fresh: #expect(lead?.fits(plan.lead) == true && lead?.stage == .cued, comment, sourceLocation: at)
    case .kept(let track, _): #expect(lead?.track.id == track.id, comment, sourceLocation: at)
    case .moved(let track, let target):
      #expect(
        lead?.track.id == track.id && lead?.target == target && lead?.stage == .cued, comment,
        sourceLocation: at)
    case .asIs: break
    }
    if plan.isSounding { #expect(lead?.wasHeard == true, comment, sourceLocation: at) }
    switch plan.other {
    case .nothing: #expect(facts.otherSlot == nil, comment, sourceLocation: at)
    case .fresh:
      #expect(facts.otherSlot?.fits(plan.other) == true, comment, sourceLocation: at)
    case .kept(let track, _), .moved(let track, _):
      #expect(facts.otherSlot?.track.id == track.id, comment, sourceLocation: at)
    case .asIs: break
    }
    switch plan.gate {
    case .open: #expect(facts.gate == .open, comment, sourceLocation: at)
    case .held: #expect(facts.gate == .held, comment, sourceLocation: at)
    case .finished: #expect(facts.gate == .finished, comment, sourceLocation: at)
    case .asIs: break
    }
    switch plan.meeting {
    case .none: #expect(facts.meeting == .none && facts.fade == nil, comment, sourceLocation: at)
    case .gapless: #expect(facts.fade == nil, comment, sourceLocation: at)
    case .fade: #expect(facts.fade == nil, comment, sourceLocation: at)
    case .running: #expect(facts.fade != nil && facts.meeting == .none, comment, sourceLocation: at)
    case .asIs: break
    }
  }

  /// Plans change before they are reached, with reports of decoders and the mixer in any order.
  @Test(arguments: 0..<16) func whateverComesBetweenThePlanIsReachedInTheEnd(seed: UInt64) {
    var random = ShuffleGenerator(seed: seed)
    func pick<Element>(_ elements: [Element]) -> Element {
      elements[Int(random.next() % UInt64(elements.count))]
    }
    var world = DeckWorld()
    var state = PlayerState.idle(cause: nil, armed: .disarmed)
    var succession: Succession?
    for step in 0..<2_000 {
      switch random.next() % 10 {
      case 0, 1:
        state = pick(Self.states)
        // A fade restored from a checkpoint can only be the first state.
        if world.facts.leadSlot == nil, world.facts.otherSlot == nil, random.next() % 2 == 0 {
          state = pick([DeckWorld.held(one, two), DeckWorld.held(two, two)])
        }
      case 2:
        succession = pick([
          nil, Succession(two, .gapless), Succession(three, .faded(fade)), Succession(one, .gapless),
          Succession(two, .undecided),
        ])
      case 3 where world.facts.gate == .open && world.facts.leadSlot?.stage == .started:
        switch world.facts.meeting {
        case .none: break
        case .gapless:
          world.advance()
          if state.kind != .seeking, let new = world.facts.leadSlot { state = .playing(track: new.track) }
        case .fade:
          world.beginFade()
          if state.kind != .seeking, let from = world.facts.otherSlot, let to = world.facts.leadSlot {
            state = DeckWorld.running(from.track, to.track)
          }
        }
      case 4 where world.facts.fade != nil && state.fadeProgress != nil:
        if random.next() % 2 == 0, let to = state.nextTrack {
          world.completeFade()
          state = .playing(track: to)
        } else if let from = state.currentTrack, let to = state.nextTrack {
          state =
            state.kind == .crossfading ? DeckWorld.held(from, to) : DeckWorld.running(from, to, pace: .quick)
        }
      case 5 where random.next() % 8 == 0: world.facts.gate = .unknown
      case 6, 7: world.becomeReady(pick(Deck.allCases))
      default: _ = world.answer(pick(Deck.allCases))
      }
      let plan = world.plan(state, succession)
      world.reach(plan)
      if random.next() % 20 == 0 {
        world.settle(plan)
        expectReached(plan, world, "seed \(seed), step \(step): \(state.displayText)")
      }
    }
  }
}
