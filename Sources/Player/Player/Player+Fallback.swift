// What plays in place of a station that is silent: a list that the queue does not hold, until the station is back. Control thread only;
// never waits.

import PlaybackModel

extension Player {
  /// The station that something else stands in for at present; nil where nothing does.
  package var silentStation: Track? { playerQueue.fallback?.station }

  /// When a silent station is tried again, on the scheduler's clock; nil where that is not planned.
  package var stationRetryDue: UInt64? { decks.decoders.probe.due }

  /// The track that ought to be heard and is not; nil where sound is heard, or nobody wants any.
  package var silentTrack: Track? {
    switch machine.state {
    case .preparing(let track, .play, _), .buffering(let track, .play), .seeking(let track, _, .play): track
    case .failed(_, let track?, _, .play): track
    default: nil
    }
  }

  /// Has a list fade in, over and over, in place of a track that is silent. That one is tried meanwhile, and fades in again.
  ///
  /// - Returns: Whether it begins: there is a silent track of the queue, and the list is not empty.
  package func beginFallback(_ tracks: [Track]) -> Bool {
    takeReports()
    guard let station = silentTrack, !station.isFallback, playerQueue.fallback == nil else { return false }
    var list = PlayQueue(fallback: tracks)
    guard let first = list.advance() else { return false }
    // A station without an end goes on where it is by then.
    let position = station.length == nil ? Frames.zero : machine.state.position(at: moment())
    playerQueue.fallback = PlayerQueue.Fallback(list: list, station: station, position: position)
    decks.decoders.probe.begin()
    handle(.skip(to: first))
    return true
  }

  /// Goes back to the station: fading over where its stand-in is heard.
  package func endFallback() {
    guard let fallback = playerQueue.fallback else { return }
    var isWanted = false
    if case .failed(_, _, _, .play) = machine.state { isWanted = true }
    handle(.load(queue.track(fallback.station.id) ?? fallback.station, at: fallback.position))
    // A load in place of a failed fallback is cued.
    if isWanted { handle(.play) }
  }

  /// Keeps the fallback in step with the state: whatever leads elsewhere ends it.
  func followFallback() {
    let probe = decks.decoders.probe
    guard let fallback = playerQueue.fallback else { return }
    let state = machine.state
    let isPlayed = state.currentTrack?.isFallback == true || state.nextTrack?.isFallback == true
    // Without the station in the queue there is nothing to go back to.
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

  /// State and moment as a checkpoint stores them: the station instead of its fallback, and the next track instead of a removed one
  /// that is heard until the next one is ready.
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
  /// Where its silent track goes on.
  fileprivate func position(at moment: Moment) -> Frames {
    switch self {
    case .preparing(_, _, let position), .seeking(_, let position, _), .failed(_, _, let position, _):
      position
    default: max(.zero, moment.current)
    }
  }
}
