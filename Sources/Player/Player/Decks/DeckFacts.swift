// The state of the two decks as ordered and reported so far: loaded tracks, gate, join and fade. The only place that
// stores it. A value; control thread.

import PlaybackModel
import RealtimeAudio

/// The state of both decks, the gate behind them and their join, assuming that all orders given so far take effect.
struct DeckFacts: Equatable {
  enum Gate: Equatable {
    case open, held, finished
    /// The mixer has moved the gate by itself, and orders may have crossed with its report.
    case unknown
  }

  /// The join at the end of the lead's track, as last sent to the mixer.
  enum Meeting: Equatable {
    case none
    case gapless(from: Deck)
    case fade(from: Deck, at: UInt64, Fade, FadeEnds)
  }

  struct RunningFade: Equatable {
    var fade: Fade
    var pace: FadePace
  }

  private var a: DeckSlot?
  private var b: DeckSlot?
  /// Decks whose previous ring the mixer still holds.
  private var isALeaving = false
  private var isBLeaving = false
  /// The deck of the current track; in a fade the incoming one.
  var lead = Deck.a
  /// Whether a track was cut off and none has started since; the next one then starts with a ramp.
  var isCutOff = false
  var gate = Gate.open
  var meeting = Meeting.none
  /// The running fade from the other deck to the lead.
  var fade: RunningFade?

  subscript(deck: Deck) -> DeckSlot? {
    get { deck == .a ? a : b }
    set { if deck == .a { a = newValue } else { b = newValue } }
  }

  func isLeaving(_ deck: Deck) -> Bool { deck == .a ? isALeaving : isBLeaving }

  mutating func setLeaving(_ deck: Deck, _ isLeaving: Bool) {
    if deck == .a { isALeaving = isLeaving } else { isBLeaving = isLeaving }
  }

  var other: Deck { lead.other }
  var leadSlot: DeckSlot? { self[lead] }
  var otherSlot: DeckSlot? { self[other] }

  /// Updates the facts to the state after an order.
  mutating func apply(_ order: DeckOrder) {
    switch order {
    case .clear(let kept, _):
      for deck in Deck.allCases where deck != kept { drop(deck) }
      gate = .open
      meeting = .none
      fade = nil
    case .retire(let deck, _):
      drop(deck)
      meeting = .none
      fade = nil
    case .collapse(let deck, _):
      lead = deck
      meeting = .none
      fade = nil
    case .lead(let deck): lead = deck
    case .open(let track, let planned, let deck):
      self[deck] = DeckSlot(track, planned: planned, target: planned)
    case .seek(let deck, let target):
      self[deck]?.planned = target
      self[deck]?.target = target
      self[deck]?.isUnmoved = false
      if self[deck]?.stage != .seeking { self[deck]?.stage = .stopping }
      meeting = .none
      fade = nil
    case .start(let deck, _):
      self[deck]?.stage = .started
      isCutOff = false
    case .meet(let new): meeting = new
    case .restoreFade(let fade, _):
      self.fade = RunningFade(fade: fade, pace: .ordered)
      for deck in Deck.allCases { self[deck]?.stage = .started }
    case .quicken: fade?.pace = .quick
    case .gate(let new, _): gate = new
    }
  }

  /// Empties a deck. A track that has started and not ended is cut off.
  private mutating func drop(_ deck: Deck) {
    switch self[deck]?.stage {
    case .started, .stopping, .seeking: isCutOff = true
    case .opening, .waitingForDeck, .cued, .ended, nil: break
    }
    if self[deck]?.isAttached == true { setLeaving(deck, true) }
    self[deck] = nil
  }
}
