// The transport requests: play, retry, next, previous, seek, cue, resolved against queue and state. Control thread
// only; never blocks, except while a track's file is opened.

import PlaybackModel

extension Player {
  /// Starts the queue at its current or first track; does nothing if it is empty.
  ///
  /// - Parameter position: The start position in seconds.
  package func start(at position: Seconds = .zero) {
    guard let track = playerQueue.queue.begin() else { return }
    handle(.play)
    handle(.load(track, at: rate.frames(position)))
  }

  /// Plays or resumes; starts the queue if nothing is loaded. Failed tracks get another chance.
  @discardableResult
  package func play() -> Verdict {
    takeReports()
    decks.decoders.retryNow()
    // While music plays, `play` has no effect, so failures are kept.
    if machine.state.canPlay, queue.passesOverAny { queue.forgetFailures() }
    switch machine.state {
    // A removed track that was stopped is not played again; the queue continues with the next one.
    case .fadingOut where isEndedTrackRemoved, .finished where isEndedTrackRemoved:
      guard let next = playerQueue.queue.begin() else { return .unchanged }
      return decide(.skip(to: next))
    // After a fallback has finished, `play` returns to the station.
    case .finished(let last) where last.isFallback && queue.current != nil:
      guard let track = queue.current else { return decide(.play) }
      return decide(.skip(to: track))
    case .idle where !queue.isEmpty:
      start()
      return .changed
    case .finished where queue.current == nil && !queue.isEmpty:
      // The queue was replaced since the finished track.
      guard let track = playerQueue.queue.pass() else { return decide(.play) }
      return decide(.skip(to: track))
    default: return decide(.play)
    }
  }

  /// Retries a failed track now and resets its retry count.
  @discardableResult
  package func retry() -> Verdict {
    takeReports()
    decks.decoders.retryNow()
    return decide(.retry, anew: true)
  }

  /// Marks tracks that start without the user: unusable content of their streams counts as a temporary failure.
  package func noteUnattended(_ tracks: [Track]) {
    for track in tracks { decks.decoders.knownStreams.note(track) }
  }

  /// Whether the failure is permanent, so that only the user can retry.
  package var hasFailedForGood: Bool { machine.state.hasFailedForGood }

  /// Whether the stopped or finished track was removed from the queue, so that it cannot be played again.
  package var isEndedTrackRemoved: Bool {
    switch machine.state {
    case .fadingOut(let track, _), .finished(let track): queue.hasRemoved(track.id)
    default: false
    }
  }

  /// Pauses if music is playing, plays otherwise.
  @discardableResult
  package func toggle() -> Verdict {
    takeReports()
    if case .finished(let last) = machine.state, last.isFallback { return play() }
    if hasFailedForGood { return play() }
    if isEndedTrackRemoved { return play() }
    return machine.state.currentTrack == nil && !queue.isEmpty ? play() : decide(.toggle)
  }

  /// Where `previous` leads from the first track.
  package var beforeFirst: BeforeFirst {
    get { playerQueue.beforeFirst }
    set { playerQueue.beforeFirst = newValue }
  }

  /// Skips to the queue's next track; stops at the end.
  package func next() {
    takeReports()
    follow(playerQueue.queue.next())
  }

  /// Returns to the previous track, or to the beginning of the current one if that has played for a while.
  package func previous() {
    takeReports()
    follow(playerQueue.queue.previous(at: rate.seconds(position), beforeFirst: playerQueue.beforeFirst))
  }

  /// Seeks relative to the current position, limited to the track's beginning and a station's seekable range.
  ///
  /// - Parameter distance: The distance in frames; negative values go back.
  /// - Returns: The verdict, rejected for a finished track; and the edge of the station's range that limited the
  ///   target, if one did.
  @discardableResult
  package func seek(by distance: Frames) -> (verdict: Verdict, edge: StationWindow.Edge?) {
    takeReports()
    if machine.state.kind == .finished { return (.rejected(.meaningless(.seek, in: .finished)), nil) }
    return go(to: position + distance)
  }

  /// Seeks to a fraction of the audible track, 0 to 1.
  ///
  /// - Returns: The verdict; nil if the track's length is unknown.
  package func seek(toPart part: Double) -> Verdict? {
    takeReports()
    guard let length = machine.state.heardTrack?.length else { return nil }
    guard !isEndedTrackRemoved else { return .rejected(.meaningless(.seek, in: machine.state.kind)) }
    return decide(.seek(Frames(Int64(Double(length.count) * part))))
  }

  /// Seeks to a position of the audible track, limited to a station's seekable range.
  ///
  /// - Parameter position: The position in frames.
  /// - Returns: The verdict, and the edge of the station's range that limited the target, if one did.
  @discardableResult
  package func seek(to position: Frames) -> (verdict: Verdict, edge: StationWindow.Edge?) {
    takeReports()
    return go(to: position)
  }

  private func go(to position: Frames) -> (verdict: Verdict, edge: StationWindow.Edge?) {
    guard !isEndedTrackRemoved else { return (.rejected(.meaningless(.seek, in: machine.state.kind)), nil) }
    let target = stationWindow?.target(position)
    return (decide(.seek(max(.zero, target?.position ?? position))), target?.edge)
  }

  /// Seeks to a station's live position.
  ///
  /// - Returns: The verdict; nil if no station is playing.
  package func seekLive() -> Verdict? {
    takeReports()
    guard let window = stationWindow else { return nil }
    return decide(.seek(window.live))
  }

  /// Whether `next` would stop the music.
  package var hasNothingNext: Bool {
    var copy = queue
    return copy.next() == .stop
  }

  /// Whether `previous` has no target: the track has not played for long, and no track precedes it.
  package var hasNothingPrevious: Bool {
    var copy = queue
    return copy.previous(at: rate.seconds(position), beforeFirst: .stop) == .stop
  }

  /// The target of the user's `previous`.
  var previousMove: QueueMove {
    var copy = queue
    return copy.previous(at: rate.seconds(position), beforeFirst: playerQueue.beforeFirst)
  }

  private func follow(_ move: QueueMove) {
    switch move {
    case .skip(let track): decide(.skip(to: track))
    case .restart:
      switch machine.state {
      // In these states no track is loaded in which to seek.
      case .idle, .fadingOut, .finished, .failed:
        if let track = queue.current { decide(.skip(to: track)) }
      default: decide(.seek(.zero))
      }
    case .stop: decide(.skip(to: nil))
    }
  }

  /// Replaces the queue's tracks and plays the new ones.
  ///
  /// - Parameter fill: Adds tracks to the emptied queue and returns the first to play; nil: keep the old queue.
  /// - Returns: Whether the queue was replaced.
  /// - Throws: The error of `fill`; the old queue is kept.
  package func playInstead(_ fill: (inout PlayQueue) throws(QueueError) -> Track?) throws(QueueError) -> Bool
  {
    takeReports()
    var new = queue
    new.clear()
    guard let first = try fill(&new) else { return false }
    playerQueue.queue = new
    decide(.skip(to: first))
    handle(.play)
    return true
  }

  /// Makes a track current, starting at a position. It plays if music is playing, or afterwards if an announcement or
  /// live source holds the music; otherwise it is cued.
  @discardableResult
  package func cue(_ track: Track, from position: Seconds) -> Verdict {
    takeReports()
    return decide(.load(track, at: rate.frames(position)))
  }

  /// Cues the queue's first track if nothing is loaded, after the queue was filled. It plays if `play` was requested
  /// while the queue was empty.
  package func cueIfIdle() {
    guard machine.state.kind == .idle, let track = queue.current ?? queue.peekFirst else { return }
    handle(.load(track, at: .zero))
  }
}
