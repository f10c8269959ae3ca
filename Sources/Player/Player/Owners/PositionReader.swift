// Converts ring indexes and frames published by the audio thread into track positions. Control thread only.

import PlaybackModel
import Platform
import RealtimeAudio

/// Computes audible positions from the audio thread's published state.
final class PositionReader {
  private let scheduler: any Scheduler
  private let link: AudioLink
  private let decks: Decks
  private let rate: SampleRate
  /// Whether rendered frames count as heard: a recording never rewinds and has no clock.
  let isOffline: Bool
  /// The timeline frame of the report being handled; nil outside of a report.
  private var reportFrame: Frames?

  init(_ scheduler: any Scheduler, link: AudioLink, decks: Decks, rate: SampleRate, isOffline: Bool) {
    self.scheduler = scheduler
    self.link = link
    self.decks = decks
    self.rate = rate
    self.isOffline = isOffline
  }

  /// The timeline frame being heard, or that of the report being handled.
  var timelineFrame: Frames { reportFrame ?? link.reading().positions.frame }

  /// Makes `timelineFrame` the frame of a report until `endReport`.
  func beginReport(at frame: Frames) { reportFrame = frame }

  /// Ends the handling of a report.
  func endReport() { reportFrame = nil }

  /// The ring index of a deck as last published by the audio thread.
  func index(_ deck: Deck) -> UInt64 { link.reading().positions.index(deck) }

  /// The ring index of a deck, extrapolated by the clock from the last published value.
  func indexNow(_ deck: Deck) -> UInt64 {
    let reading = link.reading()
    let positions = isOffline ? reading.positions : reading.positions(at: scheduler.now, rate: rate)
    return positions.index(deck)
  }

  /// The position of the audible track in its frames; in a fade, of the incoming track.
  func position(in state: PlayerState) -> Frames {
    if case .failed(_, _, let position, _) = state { return position }
    let moment = moment(in: state)
    return state.fadeProgress == nil ? moment.current : moment.next ?? .zero
  }

  /// The present audible positions, extrapolated by the clock from the last published values.
  func moment(in state: PlayerState) -> Moment {
    let reading = link.reading()
    let now = scheduler.now
    // Playback advances between two turns of the audio thread.
    let positions = isOffline ? reading.positions : reading.positions(at: now, rate: rate)
    return moment(at: positions, time: now, in: state)
  }

  /// The audible positions at a mixer report that is being handled.
  func moment(reported positions: MixerPositions, in state: PlayerState) -> Moment {
    moment(at: positions, time: scheduler.now, in: state)
  }

  private func moment(at positions: MixerPositions, time: UInt64, in state: PlayerState) -> Moment {
    let lead = decks.facts.lead
    // In a fade the lead is the incoming track, and the state's current track is the outgoing one.
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

  /// When a timeline frame was or will be heard, in nanoseconds of the scheduler's clock; nil while no deck moves.
  func timeHeard(_ frame: Frames) -> UInt64? {
    let reading = link.reading()
    guard reading.isRunning, !isOffline, reading.positions.movesA || reading.positions.movesB else {
      return nil
    }
    let distance = rate.seconds(frame - reading.positions.frame).value * 1e9
    return UInt64(max(0, Double(reading.time) + distance))
  }
}
