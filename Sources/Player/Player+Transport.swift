// What a person's play, next, previous and seek mean to the queue and the machine. Control thread only; never waits, but
// for the opening of a track's file.

import PlaybackModel

extension Player {
  /// Starts the queue from its current or first track. Does nothing where it has none.
  ///
  /// - Parameter position: Where that track begins.
  package func start(at position: Seconds = .zero) {
    guard let track = queue.begin() else { return }
    handle(.play)
    handle(.load(track, at: rate.frames(position)))
  }

  /// A person's play: continues, or starts the queue where nothing is loaded. All that failed gets another chance then.
  @discardableResult
  package func play() -> Verdict {
    takeReports()
    decks.decoders.retryNow()
    // Where music plays, play asks for nothing.
    if machine.state.canPlay, queue.passesOverAny { queue.forgetFailures() }
    switch machine.state {
    case .failed(let error, let track?, let position, _) where !error.isRecoverable:
      return decide(.load(track, at: position))
    // What stood in for the station is not what was wanted.
    case .finished(let last) where last.isInterlude && queue.current != nil:
      guard let track = queue.current else { return decide(.play) }
      return decide(.skip(to: track))
    case .idle where !queue.isEmpty:
      start()
      return .changed
    case .finished where queue.current == nil && !queue.isEmpty:
      // The queue is another one than what was played.
      guard let track = queue.pass() else { return decide(.play) }
      return decide(.skip(to: track))
    default: return decide(.play)
    }
  }

  /// A person's retry: tries what failed again now, and forgets how often it has failed.
  @discardableResult
  package func retry() -> Verdict {
    takeReports()
    decks.decoders.retryNow()
    return decide(.retry, anew: true)
  }

  /// The box starts these tracks without a person: where one is a stream, whatever its server sends is a failure that may pass.
  package func noteUnattended(_ tracks: [Track]) {
    for track in tracks { decks.decoders.knownStreams.note(track) }
  }

  /// Whether only a person has what failed tried again.
  package var hasFailedForGood: Bool {
    if case .failed(let error, _?, _, _) = machine.state { !error.isRecoverable } else { false }
  }

  /// A person's toggle: pauses what plays, and plays otherwise.
  @discardableResult
  package func toggle() -> Verdict {
    takeReports()
    if case .finished(let last) = machine.state, last.isInterlude { return play() }
    if hasFailedForGood { return play() }
    return machine.state.currentTrack == nil && !queue.isEmpty ? play() : decide(.toggle)
  }

  /// Continues with the queue's next track; past the end it stops.
  package func next() {
    takeReports()
    follow(queue.next())
  }

  /// Goes back to the previous track, or to the beginning of this one.
  package func previous() {
    takeReports()
    follow(queue.previous(at: rate.seconds(position)))
  }

  /// Moves by a distance, in frames, from where the track that is heard is; not before its beginning. Of a station as `seek(to:)`.
  @discardableResult
  package func seek(by distance: Frames) -> (verdict: Verdict, edge: StationWindow.Edge?) {
    takeReports()
    return go(to: position + distance)
  }

  /// Goes to a part of the track that is heard, from 0 to 1; nil where nobody knows its length.
  package func seek(toPart part: Double) -> Verdict? {
    takeReports()
    guard let length = machine.state.heardTrack?.length else { return nil }
    return decide(.seek(Frames(Int64(Double(length.count) * part))))
  }

  /// Goes to a position of the track that is heard; of a station, at most to the end of what is kept of it, which is answered, too.
  @discardableResult
  package func seek(to position: Frames) -> (verdict: Verdict, edge: StationWindow.Edge?) {
    takeReports()
    return go(to: position)
  }

  private func go(to position: Frames) -> (verdict: Verdict, edge: StationWindow.Edge?) {
    let target = stationWindow?.target(position)
    return (decide(.seek(max(.zero, target?.position ?? position))), target?.edge)
  }

  /// Goes to a station's present; nil where nothing is heard that has one.
  package func seekLive() -> Verdict? {
    takeReports()
    guard let window = stationWindow else { return nil }
    return decide(.seek(window.live))
  }

  private func follow(_ move: QueueMove) {
    switch move {
    case .skip(let track): decide(.skip(to: track))
    case .restart: decide(.seek(.zero))
    case .stop: decide(.skip(to: nil))
    }
  }

  /// Cues the queue's first track on a box that has nothing loaded, because the queue has been filled. Where play was
  /// pressed before, it plays.
  package func cueIfIdle() {
    guard machine.state.kind == .idle, let track = queue.current ?? queue.peekFirst else { return }
    handle(.load(track, at: .zero))
  }
}
