// What the state machine orders besides the decks: of the queue, of timers, and of whoever observes. Control thread only.

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
    // A box in which everything fails says so some times, and is silent then.
    case .playCue(let error): if !failures.isSlowedDown { observer?.player(self, wantsCueFor: error) }
    case .checkpoint: observer?.playerWantsCheckpoint(self)
    }
  }

  func report(_ error: PlaybackError) {
    failures.note()
    observer?.player(self, reports: error)
  }

  /// Music that has ended, however it did, has left its stop point behind: what is played next has none.
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

  /// Starts a successor of a dead decoder, and says so.
  private func restartDecoder(_ role: TrackRole) {
    let deck = decoding.deaths.deck(of: role, in: machine.state)
    guard let slot = decks.facts[deck], let error = slot.life.lossError else { return }
    failures.noteRestart()
    decks.restartDecoder(deck, readAt: decoding.deaths.readIndex(deck))
    observer?.player(self, restarts: slot.track, after: error)
  }

  // MARK: Tracks that are passed over

  /// A track that was to follow is of no use.
  private func passOver(_ track: Track) {
    playerQueue.markFailed(track)
    slowDown()
  }

  /// Counts a track that was to follow and is of no use: where it is one of very many, no other is opened for a while.
  func slowDown() {
    if let wait = waitBehindFailure() { succession.hold(for: wait) }
  }

  /// What is to be taken up of a state in which the queue was about to move on, behind a failure that is final: the next track. The
  /// queue still has its marks.
  package func takingUp(_ state: PlayerState) -> PlayerState {
    guard case .failed(let error, _?, _, let intent) = state, !error.isRecoverable,
      queue.failedCount >= TrackFailures.mostAtOnce, queue.peekFirst != nil,
      let next = queue.pass()
    else { return state }
    return .preparing(track: next, intent: intent, start: .zero)
  }

  /// A person's skip led to a track that is of no use: to the next one, unless that is one of very many.
  private func skipPast(_ track: Track) {
    let wait = waitBehindFailure()
    if let wait { succession.hold(for: wait) }
    playerQueue.skip(past: track, stayingWith: machine.state.currentTrack, mayAdvance: wait == nil)
  }

  /// Nothing is heard, because a track has failed for good: the next one is tried, after a while where it is one of very many.
  private func moveOn(from track: Track?) {
    guard let wait = waitBehindFailure(), playerQueue.hasNext(behind: track) else {
      return playerQueue.moveOn(from: track)
    }
    failures.scheduleNext(after: wait)
  }

  /// Counts a track that is passed over. A recording, which lasts no longer for it, waits for nothing.
  private func waitBehindFailure() -> UInt64? {
    let wait = failures.notePassedOver()
    guard !positions.isOffline else { return nil }
    if failures.inARow == TrackFailures.mostAtOnce {
      observer?.player(
        self,
        notes:
          "\(failures.inARow) tracks in a row have failed; the next ones are tried one by one, with a wait before each."
      )
    }
    return wait
  }
}

extension PlayerState {
  /// Whether there is a track that may go on.
  fileprivate var hasMusic: Bool {
    switch self {
    case .idle, .finished: false
    default: true
    }
  }
}
