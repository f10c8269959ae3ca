// The queue's side of playing: what a person's next, previous and play mean, and what the machine asks of the queue.
// Control thread only.

import Flight
import PlaybackModel
import Platform
import RealtimeAudio

extension Player {
  /// Starts the queue from its current or first track.
  package func start(at position: Seconds = .zero) {
    guard let track = queue.begin() else { return }
    handle(.play)
    handle(.load(track, at: rate.frames(position)))
  }

  /// A person's play: goes on, or starts the queue where nothing is loaded.
  @discardableResult
  package func play() -> Verdict {
    takeReports()
    switch machine.state {
    case .idle where !queue.isEmpty:
      start()
      return .changed
    case .finished where queue.current == nil && !queue.isEmpty:
      // The queue is another one than what was played.
      guard let track = queue.advance() else { return handle(.play) }
      return handle(.skip(to: track))
    default: return handle(.play)
    }
  }

  /// A person's toggle.
  @discardableResult
  package func toggle() -> Verdict {
    takeReports()
    return machine.state.currentTrack == nil && !queue.isEmpty ? play() : handle(.toggle)
  }

  /// On to the queue's next track; past the end stops.
  package func next() {
    takeReports()
    follow(queue.next())
  }

  /// Back to the previous track, or to the beginning of this one.
  package func previous() {
    takeReports()
    follow(queue.previous(at: rate.seconds(position)))
  }

  /// To a place so far from here.
  @discardableResult
  package func seek(by distance: Frames) -> Verdict {
    takeReports()
    return handle(.seek(max(.zero, position + distance)))
  }

  private func follow(_ move: QueueMove) {
    switch move {
    case .skip(let track): handle(.skip(to: track))
    case .restart: handle(.seek(.zero))
    case .stop: handle(.skip(to: nil))
    }
  }

  /// Cues the queue's first track on a box that has nothing loaded, because somebody has filled the queue; a box that
  /// was told to play before plays it.
  package func cueIfIdle() {
    guard machine.state.kind == .idle, let track = queue.current ?? queue.peekNext else { return }
    handle(.load(track, at: .zero))
  }

  /// What was cued because it was the first of the queue, and is not any more: another one takes its place, until
  /// somebody lets it play or moves in it.
  var recue: PlayerEvent? {
    guard queue.current == nil, let cued = machine.state.currentTrack, isAtItsBeginning else { return nil }
    guard let first = queue.peekNext else { return .load(nil, at: .zero) }
    return first.id == cued.id ? nil : .load(first, at: .zero)
  }

  private var isAtItsBeginning: Bool {
    switch machine.state {
    case .preparing(_, _, let position), .ready(_, let position): position == .zero
    default: false
    }
  }

  // MARK: Orders of the machine

  func carryOut(_ effect: PlayerEffect) {
    switch effect {
    case .nowPlaying(let track): select(track)
    case .passOver(let track): queue.markFailed(track.id)
    case .skipPast(let track):
      queue.markFailed(track.id)
      if let next = queue.advance() {
        queueAnswer = .skip(to: next)
      } else if let current = machine.state.currentTrack {
        select(current)
      }
    case .moveOn(let track):
      if let track { queue.markFailed(track.id) }
      if let next = queue.advance() { queueAnswer = .queueMovedOn(to: next) }
    case .scheduleRetry(let time):
      if isToldOfStorage, case .failed(let error, _, _, _) = machine.state, error.kind == .storageRemoved {
        break
      }
      retryTimer.start(after: UInt64(max(0, time.value) * 1e9)) { [unowned(unsafe) self] in
        trackRetries += 1
        flight?.noteRetry()
        handle(.retry)
      }
    case .report(let error):
      failedTracks += 1
      observer?.player(self, reports: error)
    case .playCue(let error): observer?.player(self, wantsCueFor: error)
    case .checkpoint: observer?.playerWantsCheckpoint(self)
    }
  }

  /// Moves the queue to a track, if it holds it.
  func select(_ track: Track) {
    guard queue.current?.id != track.id else { return }
    _ = try? queue.select(track.id)
  }

  // MARK: Which track is heard

  /// Tells of the track that came to be heard or is not heard any more. `moment` is the event's.
  func followTracks(from before: PlayerState, _ event: PlayerEvent, at moment: Moment) {
    let old = before.listenedTrack
    let new = machine.state.listenedTrack
    guard old?.id != new?.id else { return }
    if let old {
      let isFading = before.kind == .crossfading || before.kind == .crossfadePaused
      let isOver: Bool
      switch event {
      case .didAdvance, .didReachEnd: isOver = true
      default: isOver = false
      }
      var position = isFading ? moment.next ?? .zero : moment.current
      // The moment is the next track's already.
      if isOver { position = old.length ?? .zero }
      observer?.player(self, left: old, at: position, isOver: isOver)
    }
    if let new { observer?.player(self, began: new) }
  }
}

extension PlayerState {
  /// The track that is heard, or was until a pause; of a fade's two the incoming one.
  fileprivate var listenedTrack: Track? {
    switch self {
    case .playing, .buffering, .seeking, .paused, .preparingCrossfade, .crossfading, .crossfadePaused,
      .fadingOut:
      heardTrack
    case .idle, .preparing, .ready, .finished, .failed: nil
    }
  }
}
