// What a person's play, next, previous and seek mean to the queue and the machine. Control thread only; never waits, but
// for the opening of a track's file.

import PlaybackModel

extension Player {
  /// Starts the queue from its current or first track. Does nothing where it has none.
  ///
  /// - Parameter position: Where that track begins.
  package func start(at position: Seconds = .zero) {
    guard let track = playerQueue.queue.begin() else { return }
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
    // What was stopped because it was removed is not heard again.
    case .fadingOut where isEndedTrackRemoved, .finished where isEndedTrackRemoved:
      guard let next = playerQueue.queue.begin() else { return .unchanged }
      return decide(.skip(to: next))
    // What stood in for the station is not what was wanted.
    case .finished(let last) where last.isFallback && queue.current != nil:
      guard let track = queue.current else { return decide(.play) }
      return decide(.skip(to: track))
    case .idle where !queue.isEmpty:
      start()
      return .changed
    case .finished where queue.current == nil && !queue.isEmpty:
      // The queue is another one than what was played.
      guard let track = playerQueue.queue.pass() else { return decide(.play) }
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
  package var hasFailedForGood: Bool { machine.state.hasFailedForGood }

  /// Whether the track that was stopped, or has ended, is in the queue no more: nothing brings it back.
  package var isEndedTrackRemoved: Bool {
    switch machine.state {
    case .fadingOut(let track, _), .finished(let track): queue.hasRemoved(track.id)
    default: false
    }
  }

  /// A person's toggle: pauses what plays, and plays otherwise.
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

  /// Continues with the queue's next track; past the end it stops.
  package func next() {
    takeReports()
    follow(playerQueue.queue.next())
  }

  /// Goes back to the previous track, or to the beginning of this one.
  package func previous() {
    takeReports()
    follow(playerQueue.queue.previous(at: rate.seconds(position), beforeFirst: playerQueue.beforeFirst))
  }

  /// Moves by a distance, in frames, from where the track that is heard is; not before its beginning. Of a station as `seek(to:)`.
  /// Rejected where the track is over: there is no position to count from.
  @discardableResult
  package func seek(by distance: Frames) -> (verdict: Verdict, edge: StationWindow.Edge?) {
    takeReports()
    if machine.state.kind == .finished { return (.rejected(.meaningless(.seek, in: .finished)), nil) }
    return go(to: position + distance)
  }

  /// Goes to a part of the track that is heard, from 0 to 1; nil where nobody knows its length.
  package func seek(toPart part: Double) -> Verdict? {
    takeReports()
    guard let length = machine.state.heardTrack?.length else { return nil }
    guard !isEndedTrackRemoved else { return .rejected(.meaningless(.seek, in: machine.state.kind)) }
    return decide(.seek(Frames(Int64(Double(length.count) * part))))
  }

  /// Goes to a position of the track that is heard; of a station, at most to the end of what is kept of it, which is answered, too.
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

  /// Goes to a station's present; nil where nothing is heard that has one.
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

  /// Whether nothing comes before what is heard: neither the beginning of a track that has come far, nor another track.
  package var hasNothingPrevious: Bool {
    var copy = queue
    return copy.previous(at: rate.seconds(position), beforeFirst: .stop) == .stop
  }

  /// Where a person's `previous` leads at present.
  var previousMove: QueueMove {
    var copy = queue
    return copy.previous(at: rate.seconds(position), beforeFirst: playerQueue.beforeFirst)
  }

  private func follow(_ move: QueueMove) {
    switch move {
    case .skip(let track): decide(.skip(to: track))
    case .restart:
      switch machine.state {
      // Nothing is in place that could be sought in.
      case .idle, .fadingOut, .finished, .failed:
        if let track = queue.current { decide(.skip(to: track)) }
      default: decide(.seek(.zero))
      }
    case .stop: decide(.skip(to: nil))
    }
  }

  /// Plays other tracks in the place of all that are in the queue.
  ///
  /// - Parameter fill: Puts them into the empty queue. Returns the first to be heard; nil: none, and everything stays as it is.
  /// - Returns: Whether there was one.
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

  /// Makes a track the current one, from a position on. It plays where music plays. Music that an announcement or a live source holds
  /// continues with it afterwards; everywhere else it is cued.
  @discardableResult
  package func cue(_ track: Track, from position: Seconds) -> Verdict {
    takeReports()
    return decide(.load(track, at: rate.frames(position)))
  }

  /// Cues the queue's first track on a box that has nothing loaded, because the queue has been filled. Where play was
  /// pressed before, it plays.
  package func cueIfIdle() {
    guard machine.state.kind == .idle, let track = queue.current ?? queue.peekFirst else { return }
    handle(.load(track, at: .zero))
  }
}
