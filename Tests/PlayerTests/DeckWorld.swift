// Two decks without threads; decoders and mixer report only on request. Test threads.
import PlaybackModel
import RealtimeAudio
import Testing

@testable import Player

/// Deck facts that reject commands which the decoders or the mixer could not execute.
struct DeckWorld {
  static let settings = PlayerSettings(rate: SampleRate(48000))
  static let fade = Fade(length: Frames(48_000), curve: .equalPower)
  static let one = track(1)
  static let two = track(2)
  static let three = track(3)

  var facts = DeckFacts()
  private var commands: UInt32 = 0

  /// Applies the given states in order, each until nothing is pending.
  init(_ states: PlayerState...) {
    for state in states { settle(Self.plan(state)) }
  }

  /// `from` fades into `to`.
  static func fading(_ from: Track, _ to: Track) -> DeckWorld {
    var world = DeckWorld(.playing(track: from), waiting(from, to))
    world.beginFade()
    world.settle(plan(running(from, to)))
    return world
  }

  // MARK: States and plans

  static func plan(
    _ state: PlayerState, _ succession: Succession? = nil, isFadeRunning: Bool = false
  ) -> DeckPlan {
    DeckPlan(state, succession: succession, isFadeRunning: isFadeRunning, settings: settings)
  }

  /// The plan for a state, given these facts.
  func plan(_ state: PlayerState, _ succession: Succession? = nil) -> DeckPlan {
    Self.plan(state, succession, isFadeRunning: facts.fade != nil)
  }

  static func track(_ id: UInt64) -> Track {
    Track(id: id, path: "/media/\(id)", length: Frames(480_000))
  }

  static func running(_ from: Track, _ to: Track, pace: FadePace = .ordered) -> PlayerState {
    .crossfading(
      from: from, to: to, curve: fade.curve, progress: FadeProgress(index: .zero, length: fade.length),
      pace: pace)
  }

  static func held(_ from: Track, _ to: Track) -> PlayerState {
    let snapshot = CrossfadeSnapshot(
      from: from.id, to: to.id, fromPosition: Frames(7000), toPosition: Frames(900),
      progress: FadeProgress(index: Frames(900), length: fade.length), curve: fade.curve,
      rate: settings.rate, deck: .a, time: 0)
    return .crossfadePaused(
      from: from, to: to, strategy: .continueFromProgress, snapshot: snapshot, reason: .user)
  }

  static func waiting(_ current: Track, _ next: Track, isArmed: Bool = true) -> PlayerState {
    .preparingCrossfade(current: current, next: next, plan: PlannedFade(.manual, fade, isArmed: isArmed))
  }

  // MARK: Deck commands

  /// Computes the commands for a plan and applies those that take effect at once.
  @discardableResult
  mutating func reach(_ plan: DeckPlan, _ at: SourceLocation = #_sourceLocation) -> [DeckOrder] {
    let orders = facts.orders(toReach: plan, Self.settings)
    for order in orders { carryOut(order, at) }
    #expect(facts.orders(toReach: plan, Self.settings) == [], "after \(orders)", sourceLocation: at)
    return orders
  }

  /// Reaches a plan and delivers all reports until none is left.
  mutating func settle(_ plan: DeckPlan, _ at: SourceLocation = #_sourceLocation) {
    var rounds = 0
    repeat {
      reach(plan, at)
      rounds += 1
    } while (answer(.a) || answer(.b)) && rounds < 50
    reach(plan, at)
    #expect(rounds < 50, "it goes on for ever", sourceLocation: at)
  }

  private mutating func carryOut(_ order: DeckOrder, _ at: SourceLocation) {
    func demand(_ condition: Bool, _ comment: Comment) {
      #expect(condition, "\(order): \(comment) \(facts)", sourceLocation: at)
    }
    switch order {
    case .clear(let kept, _):
      if let kept { demand(facts[kept]?.wasHeard == false, "what is kept is not heard") }
      for deck in Deck.allCases where deck != kept { mayLetGo(deck, demand) }
    case .retire(let deck, _):
      demand(facts[deck] != nil, "there is something to retire")
      mayLetGo(deck, demand)
    case .collapse:
      demand(facts.fade != nil || facts.meeting != .none, "there is a fade, or one may have begun")
    case .lead: break
    case .open(_, _, let deck): demand(facts[deck] == nil, "the deck is free")
    case .seek(let deck, _): demand(facts[deck]?.canSeek == true, "there is a decoder that can seek")
    case .start(let deck, _):
      demand(facts[deck]?.stage == .cued && facts[deck]?.isAttached == true, "it is cued")
    case .meet(.none): break
    case .meet:
      demand(facts.otherSlot?.stage == .cued, "what shall follow is cued")
      demand(facts.leadSlot?.isAttached == true && facts.fade == nil, "and something is to be followed")
    case .restoreFade:
      demand(facts.gate == .held, "nothing is heard of it")
      demand(facts.leadSlot?.stage == .cued && facts.otherSlot?.stage == .cued, "both are cued")
    case .quicken: demand(facts.fade?.pace == .ordered, "it is not quick yet")
    case .gate(let gate, _): demand(gate != facts.gate && gate != .unknown, "the gate moves")
    }
    facts.apply(order)
  }

  private func mayLetGo(_ deck: Deck, _ demand: (Bool, Comment) -> Void) {
    demand(facts[deck]?.isAttached != true || !facts.isLeaving(deck), "its last ring is gone")
  }

  // MARK: Reports of decoders and mixer

  /// Delivers the next report of a deck. Returns false if there is none.
  mutating func answer(_ deck: Deck) -> Bool {
    if facts.isLeaving(deck) {
      facts.setLeaving(deck, false)
      if facts[deck]?.stage == .waitingForDeck { attach(deck) }
      return true
    }
    guard let slot = facts[deck], slot.failure == nil else { return false }
    switch slot.stage {
    case .opening: becomeReady(deck)
    case .stopping:
      facts[deck]?.stage = .seeking
      facts[deck]?.originIndex = 100_000
    case .seeking:
      facts[deck]?.stage = .cued
      facts[deck]?.originPosition = slot.target
    case .waitingForDeck, .cued, .started, .ended: return false
    }
    return true
  }

  /// A deck's decoder has opened its track, whether or not the deck's previous ring is still being read.
  mutating func becomeReady(_ deck: Deck) {
    guard facts[deck]?.stage == .opening else { return }
    facts[deck]?.stage = .waitingForDeck
    if !facts.isLeaving(deck) { attach(deck) }
  }

  private mutating func attach(_ deck: Deck) {
    #expect(!facts.isLeaving(deck), "the ring that is still read would be forgotten")
    commands += 1
    facts[deck]?.stage = .cued
    facts[deck]?.attachedBy = commands
  }

  mutating func advance() {
    facts[facts.lead]?.stage = .ended
    facts.lead = facts.other
    facts[facts.lead]?.stage = .started
    facts.meeting = .none
  }

  mutating func beginFade() {
    facts.lead = facts.other
    facts[facts.lead]?.stage = .started
    facts.meeting = .none
    facts.fade = DeckFacts.RunningFade(fade: Self.fade, pace: .ordered)
  }

  mutating func completeFade() {
    facts.fade = nil
    facts[facts.other]?.stage = .ended
  }

  mutating func fail(_ deck: Deck) { facts[deck]?.failure = PlaybackError(.corrupt) }

  /// The deck's decoder crashes and is not restarted.
  mutating func die(_ deck: Deck) {
    facts.noteDeath(deck, PlaybackError(.decoderCrashed))
    facts.noteDeathReported(deck, inSilence: false)
  }
}
