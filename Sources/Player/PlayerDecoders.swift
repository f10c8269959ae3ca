// Opening tracks on decks, and what their decoders report. Control thread only.

import PlaybackModel
import Platform
import RealtimeAudio

extension Player {
  /// Starts decoding a track for a deck that has none.
  func open(_ track: Track, at position: Frames, on deck: Deck) {
    precondition(self[deck] == nil, "a deck is retired before it gets another track")
    do throws(PlaybackError) {
      let decoder = try decoders.open(track, at: position)
      let token = try watch(decoder, deck)
      var slot = DeckSlot(track: track, decoder: decoder, token: token)
      slot.originPosition = position
      self[deck] = slot
    } catch {
      if deck != currentDeck { lastOffered = track.id }
      post(deck == currentDeck ? .didFail(error) : .didFailNext(error))
    }
  }

  private func watch(_ decoder: any TrackDecoder, _ deck: Deck) throws(PlaybackError) -> ScheduleToken {
    do throws(SystemError) {
      return try events.add(readable: decoder.descriptor) { [self] in
        takeReports()
        takeDecoderEvents(deck)
        drain()
      }
    } catch {
      throw PlaybackError(.internal, detail: error.description)
    }
  }

  /// Ends a deck's decoder. The mixer lets go of its ring over a ramp, if it has it.
  func retire(_ deck: Deck, ramp: Frames? = nil, sendsRelease: Bool = true) {
    guard let slot = self[deck] else { return }
    self[deck] = nil
    events.remove(slot.token)
    slot.decoder.terminate()
    guard slot.isAttached else { return }
    precondition(leaving[Int(deck.rawValue)] == nil, "a ring is attached only when the last one is gone")
    leaving[Int(deck.rawValue)] = slot.decoder
    if sendsRelease { send(.release(deck, ramp: ramp ?? declick)) }
  }

  /// The mixer has let go of a deck's former ring.
  func deckWasReleased(_ deck: Deck) {
    leaving[Int(deck.rawValue)] = nil
    if self[deck]?.stage == .waitingForDeck { attach(deck) }
  }

  /// Takes what a deck's decoder has to say.
  func takeDecoderEvents(_ deck: Deck) {
    guard let decoder = self[deck]?.decoder else { return }
    for event in decoder.takeEvents() {
      guard self[deck]?.decoder === decoder else { return }
      take(event, deck)
      handleInbox()
    }
  }

  private func take(_ event: DecoderEvent, _ deck: Deck) {
    switch event {
    case .opened(let track):
      self[deck]?.track = track
      machine.describe(track)
      queue.describe(track)
      observer?.playerDidChange(self)
    case .ready(let index, let position):
      guard self[deck]?.stage == .opening else { return }
      self[deck]?.originIndex = index
      self[deck]?.originPosition = position
      self[deck]?.shown = position
      if leaving[Int(deck.rawValue)] == nil {
        attach(deck)
      } else {
        self[deck]?.stage = .waitingForDeck
      }
    case .seeked(let index, let position):
      guard case .seeking = self[deck]?.stage else { return }
      self[deck]?.originIndex = index
      self[deck]?.originPosition = position
      self[deck]?.shown = position
      self[deck]?.stage = .cued
      send(.cue(deck, index: index))
      if deck == currentDeck { post(.didSeek) }
    case .ended(let index):
      self[deck]?.endIndex = index
    case .failed(let error):
      decoderFailed(error, deck)
    }
  }

  private func attach(_ deck: Deck) {
    guard let slot = self[deck] else { return }
    let gain = levelling.gain(of: slot.track)
    send(.attach(deck, slot.decoder.ring, index: slot.originIndex, trackGain: gain))
    self[deck]?.stage = .cued
    if restoringFade != nil { return restoreFadeIfReady() }
    guard deck == currentDeck else { return post(.didPrepareNext) }
    switch machine.state.kind {
    // What is left of a fade that was not restored as a whole: nobody waits for it but the sound.
    case .paused, .crossfading, .fadingOut: break
    case .playing, .preparingCrossfade:
      if self[deck]?.stage == .cued { start(deck, ramp: machine.settings.pauseFrames) }
    // Opened anew at the target, because it had not begun.
    case .seeking: post(.didSeek)
    default: post(.didPrepare)
    }
  }

  /// A decoder that fails while its track is heard costs what it had not decoded, and no more.
  private func decoderFailed(_ error: PlaybackError, _ deck: Deck) {
    guard let slot = self[deck] else { return }
    self[deck]?.failure = error
    switch slot.stage {
    case .started where !isStarving:
      self[deck]?.endIndex = slot.decoder.seal()
      countFailure()
      report(error)
    case .opening, .waitingForDeck, .cued, .started, .stoppingForSeek, .seeking:
      if deck == currentDeck {
        post(.deckFailed(.current, error))
        // A fade goes on without its outgoing deck, but one that waits for it would wait for ever.
        if restoringFade != nil, case .crossfading(_, let next, _, _, _) = machine.state {
          post(.didAdvance(next))
        }
      } else {
        lastOffered = slot.track.id
        post(.deckFailed(.next, error))
      }
    }
  }

  /// To be called when rendering cannot go on before a decoder delivers: a recording has no underruns by which
  /// one that never does would be found out.
  public func awaitDecoders() {
    let positions = link.reading().positions
    let now = events.now
    // A little more than the mixer keeps in hand.
    let margin = Int(rate.frames(Seconds(0.1)).count)
    var isAny = false
    for deck in Deck.allCases {
      guard let slot = self[deck], slot.stage == .started, slot.endIndex == nil,
        !slot.decoder.ring.holds(margin, from: positions.index(deck))
      else { continue }
      slot.decoder.expectRefill(now: now)
      isAny = true
    }
    if isAny { watchDecoders() }
  }

  private var isStarving: Bool { machine.state.kind == .buffering }
}
