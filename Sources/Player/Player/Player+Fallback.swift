// Plays a fallback list outside the queue while a station is silent, and returns to the station when it has sound
// again. Control thread only; never blocks.

import PlaybackModel

extension Player {
  /// The silent station that a fallback is replacing; nil if none.
  package var silentStation: Track? { playerQueue.fallback?.station }

  /// Time of the next probe of the silent station on the scheduler's clock, in nanoseconds; nil if none is scheduled.
  package var stationRetryDue: UInt64? { decks.decoders.probe.due }

  /// The track that should be playing but is silent; nil if music plays or none is requested.
  package var silentTrack: Track? {
    switch machine.state {
    case .preparing(let track, .play, _), .buffering(let track, .play), .seeking(let track, _, .play): track
    case .failed(_, let track?, _, .play): track
    default: nil
    }
  }

  /// Fades in a list, repeated endlessly, in place of the silent track, which is probed in the background.
  ///
  /// - Parameter tracks: The fallback's tracks.
  /// - Returns: Whether the fallback has begun; false without a silent track of the queue or with an empty list.
  package func beginFallback(_ tracks: [Track]) -> Bool {
    takeReports()
    guard let station = silentTrack, !station.isFallback, playerQueue.fallback == nil else { return false }
    var list = PlayQueue(fallback: tracks)
    guard let first = list.advance() else { return false }
    // A live station resumes at its live position.
    let position = station.length == nil ? Frames.zero : machine.state.position(at: moment())
    playerQueue.fallback = PlayerQueue.Fallback(list: list, station: station, position: position)
    decks.decoders.probe.begin()
    handle(.skip(to: first))
    return true
  }

  /// Returns to the station, with a crossfade if the fallback is playing.
  package func endFallback() {
    guard let fallback = playerQueue.fallback else { return }
    var isWanted = false
    if case .failed(_, _, _, .play) = machine.state { isWanted = true }
    handle(.load(queue.track(fallback.station.id) ?? fallback.station, at: fallback.position))
    // After a failed fallback, loading the station would only cue it.
    if isWanted { handle(.play) }
  }

  /// Updates the fallback after a change of state. It ends if the state has left its list and the station.
  func followFallback() {
    let probe = decks.decoders.probe
    guard let fallback = playerQueue.fallback else { return }
    let state = machine.state
    let isPlayed = state.currentTrack?.isFallback == true || state.nextTrack?.isFallback == true
    // If the station was removed from the queue, there is nothing to return to.
    guard isPlayed || !fallback.hasBegun, let station = queue.track(fallback.station.id) else {
      probe.rest()
      playerQueue.fallback = nil
      observer?.playerDidChange(self)
      return
    }
    if isPlayed { playerQueue.fallback?.hasBegun = true }
    let isReturning = state.nextTrack.map { !$0.isFallback } ?? false
    switch state {
    case .playing, .preparing(_, .play, _), .buffering(_, .play), .seeking(_, _, .play), .preparingCrossfade,
      .crossfading:
      if isReturning { probe.rest() } else { probe.look(for: station, at: fallback.position) }
    default: probe.rest()
    }
  }

  /// State and positions as saved by a checkpoint. A fallback is saved as its station, and a removed track that is
  /// still playing as the next track.
  package var lasting: (state: PlayerState, moment: Moment) {
    let state = machine.state
    if case .preparingCrossfade(let current, let next, _) = state, queue.hasRemoved(current.id) {
      let moment = Moment(time: moment().time, current: .zero)
      return (.preparing(track: next, intent: .play, start: .zero), moment)
    }
    guard let fallback = playerQueue.fallback, state.kind != .idle else { return (state, moment()) }
    let (station, position) = (fallback.station, fallback.position)
    let moment = Moment(time: moment().time, current: position)
    switch state {
    case .paused(_, _, let reason), .crossfadePaused(_, _, _, _, let reason):
      return (.paused(track: station, position: position, reason: reason), moment)
    case .ready: return (.ready(track: station, position: position), moment)
    case .fadingOut, .finished, .idle: return (.finished(last: station), moment)
    case .preparing(_, let intent, _), .buffering(_, let intent), .seeking(_, _, let intent),
      .failed(_, _, _, let intent):
      return (.preparing(track: station, intent: intent, start: position), moment)
    case .playing, .preparingCrossfade, .crossfading:
      return (.preparing(track: station, intent: .play, start: position), moment)
    }
  }
}

extension PlayerState {
  /// The position at which the silent track will resume.
  fileprivate func position(at moment: Moment) -> Frames {
    switch self {
    case .preparing(_, _, let position), .seeking(_, let position, _), .failed(_, _, let position, _):
      position
    default: max(.zero, moment.current)
    }
  }
}
