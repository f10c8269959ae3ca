// What is heard at a moment: positions and progress. Control thread only.

import PlaybackModel
import Platform
import RealtimeAudio

/// Turns what the audio thread has published into positions of tracks.
final class PositionReader {
  private let scheduler: any Scheduler
  private let link: AudioLink
  private let decks: Decks
  private let rate: SampleRate
  /// Whether what is rendered counts as heard: a recording never takes frames back, and has no clock.
  let isOffline: Bool
  /// The timeline frame of the report that is being handled.
  private var reportFrame: Frames?

  init(_ scheduler: any Scheduler, link: AudioLink, decks: Decks, rate: SampleRate, isOffline: Bool) {
    self.scheduler = scheduler
    self.link = link
    self.decks = decks
    self.rate = rate
    self.isOffline = isOffline
  }

  /// The frame of the timeline that is being heard, or of the report that is being handled.
  var timelineFrame: Frames { reportFrame ?? link.reading().positions.frame }

  /// A report of this frame is handled from here until `endReport`.
  func beginReport(at frame: Frames) { reportFrame = frame }

  /// The report is done with.
  func endReport() { reportFrame = nil }

  /// The ring index at which a deck is, by the audio thread's latest word.
  func index(_ deck: Deck) -> UInt64 { link.reading().positions.index(deck) }

  /// The ring index at which a deck is by now, by the audio thread's latest word and the clock.
  func indexNow(_ deck: Deck) -> UInt64 {
    let reading = link.reading()
    let positions = isOffline ? reading.positions : reading.positions(at: scheduler.now, rate: rate)
    return positions.index(deck)
  }

  /// The position of the track that is heard; in a fade, of the incoming one. In frames of that track.
  func position(in state: PlayerState) -> Frames {
    if case .failed(_, _, let position, _) = state { return position }
    let moment = moment(in: state)
    return state.fadeProgress == nil ? moment.current : moment.next ?? .zero
  }

  /// Where everything stands now, by the audio thread's latest word and the clock.
  func moment(in state: PlayerState) -> Moment {
    let reading = link.reading()
    let now = scheduler.now
    // Between two turns of the audio thread the sound moves on all the same.
    let positions = isOffline ? reading.positions : reading.positions(at: now, rate: rate)
    return moment(at: positions, time: now, in: state)
  }

  /// Where everything stood at positions that the mixer reports now.
  func moment(reported positions: MixerPositions, in state: PlayerState) -> Moment {
    moment(at: positions, time: scheduler.now, in: state)
  }

  private func moment(at positions: MixerPositions, time: UInt64, in state: PlayerState) -> Moment {
    let lead = decks.facts.lead
    // In a fade the lead is the track that comes, and the state's current one is that which goes.
    let current = state.fadeProgress == nil ? lead : lead.other
    return Moment(
      time: time, current: position(of: current, at: positions) ?? .zero,
      next: position(of: current.other, at: positions), fade: positions.fade, deck: current)
  }

  private func position(of deck: Deck, at positions: MixerPositions) -> Frames? {
    guard let slot = decks.facts[deck] else { return nil }
    guard decks.hasMoved(deck) else {
      switch slot.stage {
      case .cued, .started, .ended: return slot.originPosition
      case .opening, .waitingForDeck, .stopping, .seeking: return slot.target
      }
    }
    return max(.zero, slot.position(of: positions.index(deck)))
  }

  /// When a frame of the timeline was or will be heard, on the scheduler's clock; nil while nothing moves.
  func timeHeard(_ frame: Frames) -> UInt64? {
    let reading = link.reading()
    guard reading.isRunning, !isOffline, reading.positions.movesA || reading.positions.movesB else {
      return nil
    }
    let distance = rate.seconds(frame - reading.positions.frame).value * 1e9
    return UInt64(max(0, Double(reading.time) + distance))
  }
}
