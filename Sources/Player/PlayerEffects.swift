// Carrying out the state machine's orders, one by one, with decoders and mixer commands. Control thread only.

import PlaybackModel
import RealtimeAudio

extension Player {
  /// Carries out one order. What each means is written at `PlayerEffect`.
  func carryOut(_ effect: PlayerEffect) {
    switch effect {
    case .prepare(let track, let position):
      prepare(track, at: position)
    case .prepareNext(let track, let position):
      prepareNext(track, at: position)
    case .cancelNext:
      disarm()
      retire(currentDeck.other)
    case .start(let isRamped):
      send(.openGate(ramp: .zero))
      // A track that goes on at its bookmark does not begin with silence, either.
      let isWhole = self[currentDeck]?.originPosition == .zero
      start(currentDeck, ramp: isRamped || !isWhole ? declick : .zero)
    case .pause(let ramp):
      restoringFade?.resume = nil
      send(.closeGate(.pause, ramp: ramp))
    case .resume(let ramp):
      resume(ramp: ramp)
    case .seek(let track, let position):
      seek(track, to: position)
    case .armCrossfade(_, _, let fade):
      armCrossfade(fade)
    case .disarmCrossfade:
      if !beginsWithinPause { disarm() }
    case .beginCrossfade(_, _, let fade):
      orderedFade = fade
      start(currentDeck.other) { .beginFade(from: currentDeck, to: currentDeck.other, fade) }
    case .resumeCrossfade(let strategy, let timing, let ramp):
      resumeFade(strategy, timing, ramp: ramp)
    case .quickFinishCrossfade(let timing) where restoringFade != nil:
      restoringFade?.resume?.strategy = .quickFinish
      restoringFade?.resume?.timing = timing
    case .quickFinishCrossfade(let timing):
      send(.quickFinish(over: timing.duration))
    case .collapseCrossfade(_, let ramp):
      collapse(onto: currentDeck.other, ramp: ramp)
    case .revertCrossfade(_, let ramp):
      collapse(onto: currentDeck, ramp: ramp)
    case .beginFadeOut(let length):
      disarm()
      // Nothing of a fade is heard whose decks are not both there: its incoming track is what stops.
      if restoringFade != nil { collapse(onto: currentDeck.other, ramp: declick) }
      send(.closeGate(.finish, ramp: length))
    case .reverseFadeOut(let ramp):
      send(.openGate(ramp: ramp))
      startLeftOver()
    case .freezeFadeOut:
      send(.closeGate(.pause, ramp: machine.settings.pauseFrames))
    case .promoteNext:
      promoteNext()
    case .releaseAll:
      clear()
    case .nowPlaying(let track):
      _ = try? queue.select(track.id)
    case .chooseNext:
      if let failed = self[currentDeck.other]?.track.id ?? lastOffered { queue.markFailed(failed) }
      if let current = machine.state.currentTrack { _ = try? queue.select(current.id) }
      retire(currentDeck.other)
    case .moveOn(let track):
      moveOn(from: track)
    case .scheduleRetry(let time):
      if isToldOfStorage, case .failed(let error, _, _) = machine.state, error.kind == .storageRemoved {
        break
      }
      scheduleRetry(after: time)
    case .cancelRetry:
      cancelRetry()
    case .report(let error):
      countFailure()
      report(error)
    case .playCue(let error):
      observer?.player(self, wantsCueFor: error)
    case .checkpoint:
      observer?.playerWantsCheckpoint(self)
    }
  }

  /// Ends a fade in favour of one of its decks, also one that is still being restored.
  private func collapse(onto deck: Deck, ramp: Frames) {
    restoringFade = nil
    send(.collapse(onto: deck, ramp: ramp))
    retire(deck.other, ramp: ramp)
    currentDeck = deck
    startLeftOver()
  }

  /// Starts the current deck if it is to be heard and only waited for the other deck of a fade.
  private func startLeftOver() {
    guard self[currentDeck]?.stage == .cued else { return }
    switch machine.state.kind {
    case .playing, .preparingCrossfade: start(currentDeck, ramp: machine.settings.pauseFrames)
    default: break
    }
  }

  var declick: Frames { machine.settings.declickFrames }

  private func prepare(_ track: Track, at wanted: Frames) {
    let position = firstPosition(of: track, wanted: wanted)
    let other = currentDeck.other
    if let ahead = self[other], ahead.track.id == track.id, ahead.originPosition == position,
      ahead.stage == .opening, ahead.failure == nil
    {
      // It is being opened already, only late.
      self[other] = nil
      clear()
      currentDeck = other
      self[other] = ahead
      return
    }
    clear()
    if leaving[Int(currentDeck.rawValue)] != nil { currentDeck = other }
    open(track, at: position, on: currentDeck)
  }

  /// Releases both decks and opens the gate for what comes next.
  private func clear() {
    // Whatever is still in line about the decks is about tracks that go now.
    inbox.removeAll { event in
      if case .skip = event { false } else { true }
    }
    send(.clear(ramp: declick))
    restoringFade = nil
    joined = nil
    armedAt = nil
    for deck in Deck.allCases { retire(deck, sendsRelease: false) }
  }

  /// Takes an armed join back; it is decided anew when the next track's turn comes.
  private func disarm() {
    send(.join(.none))
    joined = nil
    armedAt = nil
  }

  /// Whether an armed fade is due while the pause that has just been asked for still ramps down. Then it
  /// begins: what is heard of the fade must not depend on the pause. The machine is told of it in `paused`.
  private var beginsWithinPause: Bool {
    guard case .paused = machine.state, let armedAt, let slot = self[currentDeck] else { return false }
    // Where the sound is now is known as well as the queue is short.
    let latency = rate.frames(Seconds(0.1))
    return slot.position(of: armedAt) - position <= machine.settings.pauseFrames + latency
  }

  func start(_ deck: Deck, ramp: Frames) {
    start(deck) { .start(deck, ramp: ramp) }
  }

  /// Marks a deck as started and sends the command that starts it.
  private func start(_ deck: Deck, by command: () -> MixerCommand) {
    guard let slot = self[deck], slot.isAttached else { return }
    self[deck]?.stage = .started
    slot.decoder.wake()
    send(command())
  }

  /// Tells the decoders that their rings are being read: a decoder paces itself by the clock, a recording
  /// does not.
  public func wakeDecoders() {
    for deck in Deck.allCases { self[deck]?.decoder.wake() }
  }

  private func resume(ramp: Frames) {
    wakeDecoders()
    send(.openGate(ramp: ramp))
    // A deck that was moved while it was silent has to be started, too.
    if self[currentDeck]?.stage == .cued { start(currentDeck, ramp: ramp) }
  }

  private func prepareNext(_ track: Track, at wanted: Frames) {
    let position = firstPosition(of: track, wanted: wanted)
    let deck = currentDeck.other
    if let slot = self[deck], slot.track.id == track.id,
      slot.originPosition == position || (wanted == .zero && position > .zero),
      slot.failure == nil, slot.stage != .started
    {
      if slot.stage == .cued { post(.didPrepareNext) }
      return
    }
    retire(deck)
    open(track, at: position, on: deck)
  }

  private func promoteNext() {
    retire(currentDeck, ramp: declick)
    disarm()
    currentDeck = currentDeck.other
    if self[currentDeck]?.stage == .cued { post(.didPrepare) }
  }

  private func seek(_ track: Track, to position: Frames) {
    guard var slot = self[currentDeck] else { return }
    slot.shown = position
    switch slot.stage {
    case _ where slot.failure != nil, .opening, .waitingForDeck:
      // Nobody is left who could seek, or nothing has begun: the track is opened again where it is wanted.
      retire(currentDeck)
      return open(track, at: position, on: currentDeck)
    case .stoppingForSeek:
      slot.stage = .stoppingForSeek(target: position)
    case .seeking:
      slot.stage = .seeking(target: position)
      slot.decoder.seek(to: position, continuingAt: slot.originIndex)
    case .cued, .started:
      slot.stage = .stoppingForSeek(target: position)
      disarm()
      send(.stop(currentDeck, ramp: declick))
    }
    self[currentDeck] = slot
  }

  private func armCrossfade(_ fade: Fade) {
    orderedFade = fade
    guard let slot = self[currentDeck], let end = slot.knownEndIndex else { return }
    let length = UInt64(fade.length.count)
    let start = end > slot.originIndex &+ length ? end - length : slot.originIndex
    self[currentDeck.other]?.decoder.wake()
    armedAt = start
    send(.join(.crossfade(from: currentDeck, to: currentDeck.other, at: start, fade)))
  }

  private func moveOn(from track: Track?) {
    if let track { queue.markFailed(track.id) }
    guard let next = queue.advance() else { return }
    post(.skip(to: next))
  }
}
