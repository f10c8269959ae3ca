// Read-only queries on the player for displays, logs and recordings. Control thread only.

import PlaybackModel
import RealtimeAudio

extension Player {
  /// Whether the state machine would accept an event now. Changes nothing.
  package func canPerform(_ event: PlayerEvent) -> Bool { machine.canPerform(event, at: moment()) }

  /// The reason for which an action would be refused now; nil if it would be accepted. Changes nothing.
  package func refusal(of action: PlayerAction) -> Rejection? {
    machine.refusal(of: action, with: holdings, at: moment())
  }

  /// The facts besides the state that decide which actions are accepted. The queue's neighbouring tracks only matter
  /// after a failure, so they are not searched otherwise.
  private var holdings: PlayerHoldings {
    let hasFailed = machine.state.kind == .failed
    return PlayerHoldings(
      hasQueue: !queue.isEmpty, hasNext: !hasFailed || !hasNothingNext,
      hasPrevious: !hasFailed || previousMove != .stop, isEndedTrackRemoved: isEndedTrackRemoved,
      hasLiveSource: liveInputName != nil)
  }

  /// Whether the queue was played to its end; false if it was stopped, or after a restart.
  package var hasPlayedOut: Bool {
    guard machine.state.kind == .finished else { return false }
    let history = machine.history
    for index in (0..<history.count).reversed() {
      let entry = history[index]
      guard entry.to.kind == .finished, entry.from.kind != .finished else { continue }
      return entry.event.kind == .didReachEnd && entry.from.kind != .fadingOut
    }
    return false
  }

  /// The present time of the scheduler's clock in nanoseconds.
  package var now: UInt64 { decoding.now }

  /// The output's sample rate.
  var rate: SampleRate { machine.settings.rate }

  /// Whether a display should show loading: a track is being opened, or a restored fade waits for both decks.
  package var showsLoading: Bool {
    machine.state.showsLoading || (machine.state.kind == .crossfading && decks.facts.fade == nil)
  }

  // MARK: Positions

  /// The position of the audible track in frames at the output's rate; in a fade, of the incoming track.
  package var position: Frames { positions.position(in: machine.state) }

  /// The end of the decoded part of the audible track, which plays whatever happens to its file. Nil before its ring
  /// is attached.
  package var bufferedPosition: Frames? { decoding.bufferedPosition }

  /// The station's title of the audible sound; nil if it has announced none.
  package var soundingTitle: String? { decoding.titles.sounding }

  /// The seekable range of the playing station; nil for other tracks, and before any of it has sounded.
  package var stationWindow: StationWindow? { decks.decoders[decks.facts.lead]?.stationWindow }

  /// How far playback is behind the station's live position; nil for other tracks.
  package var behindLive: Seconds? { stationWindow.map { rate.seconds($0.behindLive(position)) } }

  /// Average bit rate of the playing file or stream in kbit/s; nil if unknown.
  package var kilobitsPerSecond: Int? { decks.decoders[decks.facts.lead]?.kilobitsPerSecond }

  /// Why the playing stream is being reconnected, as a sentence; nil if it is not.
  package var interruption: String? { decks.decoders[decks.facts.lead]?.interruption }

  /// Bytes received of the lead's stream; nil for a file.
  package var bufferedBytes: Int64? { decks.decoders[decks.facts.lead]?.receivedBytes }

  /// The timeline frame being heard, or that of the report being handled.
  package var timelineFrame: Frames { positions.timelineFrame }

  /// Progress of a running fade; nil if none runs.
  package var fadeProgress: FadeProgress? { moment().fade }

  /// The audible positions, extrapolated by the clock from the audio thread's last published values.
  package func moment() -> Moment { positions.moment(in: machine.state) }

  // MARK: Recordings

  /// Whether no pending decoder report could affect the next `chunk` frames, so that a recording may render them and
  /// stays independent of decoder speed.
  package func isSettled(for chunk: Frames) -> Bool {
    !playerQueue.hasAnswer && decoding.isSettled(for: chunk)
  }

  // MARK: Errors and latency

  /// Number of track errors so far.
  package var failedTracks: Int { failures.count }

  /// Number of automatic retries so far.
  package var trackRetries: Int { failures.retries }

  /// Number of restarts of dead decoders so far, of tracks and announcements.
  package var decoderRestarts: Int { failures.restarts }

  /// When the failed track is retried or another one is tried, on the scheduler's clock in nanoseconds; nil if
  /// nothing is scheduled.
  package var retryDue: UInt64? { failures.retryDue }

  /// Whether `retryDue` refers to another track.
  package var isNextTrackDue: Bool { failures.retryDue != nil && failures.isNextDue }

  /// The number of consecutive failures if it is high enough to delay further tracks; nil otherwise.
  package var failedInARow: Int? { failures.isSlowedDown ? failures.inARow : nil }

  /// Latencies of commands.
  package var latency: CommandLatency { decks.sender.latency }

  /// Whether the audio thread is so far behind, blocked by its device, that requests should be deferred.
  package var isOverloaded: Bool { decks.sender.isOverloaded }
}

extension PlayerState {
  /// The position of a `ready` or `paused` track; nil otherwise.
  var silentPosition: Frames? {
    switch self {
    case .ready(_, let position), .paused(_, let position, _): position
    default: nil
    }
  }

  /// The error of the `failed` state; nil otherwise.
  var failure: PlaybackError? {
    if case .failed(let error, _, _, _) = self { error } else { nil }
  }
}
