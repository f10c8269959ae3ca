// Carries out the state machine's effects on queue, timers and observer, and handles unusable tracks. Control thread
// only.

import PlaybackModel

extension Player {
  func carryOut(_ effect: PlayerEffect) {
    switch effect {
    case .nowPlaying(let track): playerQueue.select(track)
    case .passOver(let track): passOver(track)
    case .skipPast(let track): skipPast(track)
    case .moveOn(let track): moveOn(from: track)
    case .restartDecoder(let role): restartDecoder(role)
    case .endDecoder(let role): decks.endDecoder(decoding.deaths.deck(of: role, in: machine.state))
    case .scheduleRetry(let time): failures.scheduleRetry(after: time, machine.state.failure)
    case .report(let error): report(error)
    // Once failures are throttled, further error cues are suppressed.
    case .playCue(let error): if !failures.isSlowedDown { observer?.player(self, wantsCueFor: error) }
    case .checkpoint: observer?.playerWantsCheckpoint(self)
    }
  }

  func report(_ error: PlaybackError) {
    failures.note()
    observer?.player(self, reports: error)
  }

  /// Clears the queue's stop point when the music has ended, so that it does not affect what is played next.
  func forgetStopPoint(ofWhatPlayedIn before: PlayerState) {
    guard queue.stopPoint != nil, before.hasMusic, !machine.state.hasMusic else { return }
    queue.stopPoint = nil
  }

  func report(_ change: ListeningChange) {
    if let left = change.left {
      observer?.player(self, left: measured(left.track), at: left.position, isOver: left.isOver)
    }
    if let track = change.began {
      decks.decoders.knownStreams.note(track)
      failures.endRow()
      observer?.player(self, began: track)
    }
  }

  /// Starts a successor of a dead decoder and notifies the observer.
  private func restartDecoder(_ role: TrackRole) {
    let deck = decoding.deaths.deck(of: role, in: machine.state)
    guard let slot = decks.facts[deck], let error = slot.life.lossError else { return }
    failures.noteRestart()
    decks.restartDecoder(deck, readAt: decoding.deaths.readIndex(deck))
    observer?.player(self, restarts: slot.track, after: error)
  }

  // MARK: Skipped tracks

  /// Skips an unusable upcoming track.
  private func passOver(_ track: Track) {
    playerQueue.markFailed(track)
    slowDown()
  }

  /// Counts an unusable upcoming track; after many in a row, delays the opening of the next.
  func slowDown() {
    if let wait = waitBehindFailure() { succession.hold(for: wait) }
  }

  /// The state to restore from a checkpoint. If the queue was throttled after a permanent failure, this is the next
  /// track; the queue must still have its failure marks.
  package func takingUp(_ state: PlayerState) -> PlayerState {
    guard case .failed(let error, _?, _, let intent) = state, !error.isRecoverable,
      queue.failedCount >= TrackFailures.mostAtOnce, queue.peekFirst != nil,
      let next = queue.pass()
    else { return state }
    return .preparing(track: next, intent: intent, start: .zero)
  }

  /// Handles a user's skip to an unusable track: plays the next one, unless failures are throttled.
  private func skipPast(_ track: Track) {
    let wait = waitBehindFailure()
    if let wait { succession.hold(for: wait) }
    playerQueue.skip(past: track, stayingWith: machine.state.currentTrack, mayAdvance: wait == nil)
  }

  /// Moves on after a permanent failure that left silence; delayed if failures are throttled.
  private func moveOn(from track: Track?) {
    guard let wait = waitBehindFailure(), playerQueue.hasNext(behind: track) else {
      return playerQueue.moveOn(from: track)
    }
    failures.scheduleNext(after: wait)
  }

  /// Counts a skipped track and returns the delay in nanoseconds before the next; nil for no delay. A recording is
  /// never delayed.
  private func waitBehindFailure() -> UInt64? {
    let wait = failures.notePassedOver()
    guard !positions.isOffline else { return nil }
    if failures.inARow == TrackFailures.mostAtOnce {
      observer?.player(
        self,
        notes: PlayerNote(
          .other,
          "\(failures.inARow) tracks in a row have failed; the next ones are tried one by one, with a wait before each."
        ))
    }
    return wait
  }
}

extension PlayerState {
  /// Whether the state has a track that could resume.
  fileprivate var hasMusic: Bool {
    switch self {
    case .idle, .finished: false
    default: true
    }
  }
}
