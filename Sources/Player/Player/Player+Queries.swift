// What the player and its owners know, for displays, logs and recordings. Control thread only.

import PlaybackModel
import RealtimeAudio

extension Player {
  /// Whether an event would be understood now. Nothing is performed.
  package func canPerform(_ event: PlayerEvent) -> Bool { machine.canPerform(event, at: moment()) }

  /// Why an action is refused at present; nil: it is accepted. Nothing is performed.
  package func refusal(of action: PlayerAction) -> Rejection? {
    machine.refusal(of: action, with: holdings, at: moment())
  }

  /// What decides, besides the state, which actions are accepted. The integrations in the queue matter behind a failure only, and
  /// are looked for only there.
  private var holdings: PlayerHoldings {
    let hasFailed = machine.state.kind == .failed
    return PlayerHoldings(
      hasQueue: !queue.isEmpty, hasNext: !hasFailed || !hasNothingNext,
      hasPrevious: !hasFailed || previousMove != .stop, isEndedTrackRemoved: isEndedTrackRemoved,
      hasLiveSource: liveInputName != nil)
  }

  /// Whether the queue was played to its end. False where it was stopped, and after a restart.
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

  /// The present time of the scheduler's clock, for what is due.
  package var now: UInt64 { decoding.now }

  /// The output's rate.
  var rate: SampleRate { machine.settings.rate }

  /// Whether tracks are waited for, so that a display may say so: those of a fade that is taken up, too, which begins when both
  /// decks are filled.
  package var showsLoading: Bool {
    machine.state.showsLoading || (machine.state.kind == .crossfading && decks.facts.fade == nil)
  }

  // MARK: Positions

  /// The position of the track that is heard; in a fade, of the incoming one. In frames at the output's rate.
  package var position: Frames { positions.position(in: machine.state) }

  /// How far the track that is heard has been decoded: this much is played whatever becomes of its file. Nil before
  /// it is on its deck.
  package var bufferedPosition: Frames? { decoding.bufferedPosition }

  /// What a station calls the sound that is heard; nil where it says nothing.
  package var soundingTitle: String? { decoding.titles.sounding }

  /// What of the station that is heard can be gone to; nil for all else, and before any of it has sounded.
  package var stationWindow: StationWindow? { decks.decoders[decks.facts.lead]?.stationWindow }

  /// How far what is heard is behind its station's present; nil for what is no station.
  package var behindLive: Seconds? { stationWindow.map { rate.seconds($0.behindLive(position)) } }

  /// What a second of what is heard takes on average in its file or stream, in kbit/s; nil where that is not known.
  package var kilobitsPerSecond: Int? { decks.decoders[decks.facts.lead]?.kilobitsPerSecond }

  /// Why the connection of the stream that is heard is being made again at present, a sentence; nil where it is not.
  package var interruption: String? { decks.decoders[decks.facts.lead]?.interruption }

  /// How many bytes of the lead's stream have come; nil for what is none.
  package var bufferedBytes: Int64? { decks.decoders[decks.facts.lead]?.receivedBytes }

  /// The frame of the timeline that is being heard, or of the report that is being handled.
  package var timelineFrame: Frames { positions.timelineFrame }

  /// How far a running fade has come.
  package var fadeProgress: FadeProgress? { moment().fade }

  /// Where everything stands, by the audio thread's latest word and the clock.
  package func moment() -> Moment { positions.moment(in: machine.state) }

  // MARK: Recordings

  /// Whether nothing that a decoder may yet report could concern the next `chunk` frames: a recording may be rendered
  /// on, and is the same however fast its decoders are.
  package func isSettled(for chunk: Frames) -> Bool {
    !playerQueue.hasAnswer && decoding.isSettled(for: chunk)
  }

  // MARK: Errors and delays

  /// Errors of tracks so far.
  package var failedTracks: Int { failures.count }

  /// How often a track that failed was tried again by itself.
  package var trackRetries: Int { failures.retries }

  /// How often a dead decoder was given a successor, so that its track or announcement is heard on.
  package var decoderRestarts: Int { failures.restarts }

  /// When the track that failed is tried again, or another one in its place, on the scheduler's clock; nil where that is not planned.
  package var retryDue: UInt64? { failures.retryDue }

  /// Whether what is tried then is another track.
  package var isNextTrackDue: Bool { failures.retryDue != nil && failures.isNextDue }

  /// So many tracks in a row have failed that each next one waits; nil: it does not.
  package var failedInARow: Int? { failures.isSlowedDown ? failures.inARow : nil }

  /// How quickly commands are heard.
  package var latency: CommandLatency { decks.sender.latency }

  /// Whether the audio thread is so far behind that further requests should wait; it is held up by its device.
  package var isOverloaded: Bool { decks.sender.isOverloaded }
}

extension PlayerState {
  /// Where a single track waits in silence; nil in all other states.
  var silentPosition: Frames? {
    switch self {
    case .ready(_, let position), .paused(_, let position, _): position
    default: nil
    }
  }

  /// The error that stopped playing; nil in all other states.
  var failure: PlaybackError? {
    if case .failed(let error, _, _, _) = self { error } else { nil }
  }
}
