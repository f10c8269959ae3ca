// What is heard at a moment: positions and progress. Control thread only.

import AudioRing
import PlaybackModel
import Platform
import RealtimeAudio

extension Player {
  /// The position of the track that is heard; in a fade, of the incoming one.
  package var position: Frames {
    if case .failed(_, _, let position, _) = machine.state { return position }
    let moment = moment()
    return machine.state.fadeProgress == nil ? moment.current : moment.next ?? .zero
  }

  /// How far the track that is heard has been decoded: this much is played whatever becomes of its file.
  package var bufferedPosition: Frames? {
    guard let slot = decks.facts.leadSlot, slot.isAttached, let decoder = decks.decoder(decks.facts.lead)
    else {
      return nil
    }
    let here = link.reading().positions.index(decks.facts.lead)
    let ahead = decoder.ring.frames(from: here)
    let position = slot.position(of: here) + Frames(Int64(ahead))
    return slot.endIndex.map { min(slot.position(of: $0), position) } ?? position
  }

  /// Lets the state show how far a running fade has come; for whoever looks at it.
  package func refresh() {
    if let progress = moment().fade { machine.observe(progress: progress) }
  }

  /// The frame of the timeline that is being heard, or of the event that is being handled.
  package var timelineFrame: Frames { handledFrame ?? link.reading().positions.frame }

  /// How far a running fade has come.
  package var fadeProgress: FadeProgress? { moment().fade }

  /// Whether nothing that a decoder may yet tell could concern the next `chunk` frames: a recording may be rendered on,
  /// and is the same however fast its decoders are.
  package func isSettled(for chunk: Frames) -> Bool {
    guard queueAnswer == nil else { return false }
    let positions = link.reading().positions
    return Deck.allCases.allSatisfy {
      decks.isAhead($0, heard: positions.index($0), horizon: horizon, chunk: chunk)
    }
  }

  /// To be called while a recording waits for its decoders: they pace themselves by the clock, it does not, and it has no
  /// underruns by which one that never delivers would be found out.
  package func awaitDecoders(for chunk: Frames) {
    decks.wake()
    let positions = link.reading().positions
    for deck in Deck.allCases where decks.facts[deck]?.isAttached == true {
      if !decks.isAhead(deck, heard: positions.index(deck), horizon: horizon, chunk: chunk) {
        decks.expectRefill(deck)
      }
    }
  }

  /// Where everything stands, by the audio thread's last word and the clock.
  package func moment() -> Moment {
    let reading = link.reading()
    let now = scheduler.now
    // Between two turns of the audio thread the sound moves on all the same.
    return moment(at: isOffline ? reading.positions : reading.positions(at: now, rate: rate), time: now)
  }

  /// When a frame of the timeline was or will be heard; nil while nothing moves.
  func timeHeard(_ frame: Frames) -> UInt64? {
    let reading = link.reading()
    guard reading.isRunning, !isOffline, reading.positions.movesA || reading.positions.movesB else {
      return nil
    }
    let distance = rate.seconds(frame - reading.positions.frame).value * 1e9
    return UInt64(max(0, Double(reading.time) + distance))
  }

  /// Where everything stood at positions that the mixer reported.
  func moment(at positions: MixerPositions, time: UInt64) -> Moment {
    let lead = decks.facts.lead
    // In a fade the lead is the track that comes, and the state's current one is that which goes.
    let current = machine.state.fadeProgress == nil ? lead : lead.other
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
}
