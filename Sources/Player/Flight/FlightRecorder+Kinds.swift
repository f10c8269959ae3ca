// One method per kind of flight record, which packs its fields into words. Control thread only; times are in
// nanoseconds.

import PlaybackModel

extension FlightRecorder {
  /// Records the start of the daemon.
  package func noteStart(version: String) { add(.start, FlightWords(), text: version) }

  /// Records an output that was opened. `isThere`: false for the placeholder of a missing output.
  package func noteOutput(rate: SampleRate, isDeep: Bool, isThere: Bool) {
    add(.output, FlightWords(Int64(rate.hertz), isDeep ? 1 : 0, isThere ? 1 : 0))
  }

  /// Records the player's settings.
  package func note(_ settings: PlayerSettings) {
    let manual = settings.fadesManually ? settings.manualFadeLength : .zero
    add(
      .settings,
      FlightWords(
        Self.time(settings.automaticFadeLength), Self.time(manual), Int64(settings.curve.rawValue),
        Int64(settings.quickFinishThreshold), Self.time(settings.pauseRamp)))
  }

  /// Records the volume.
  package func note(_ volume: Volume) { add(.volume, FlightWords(Int64(volume.percent.rounded()))) }

  /// Records a command line. The caller has removed private names from it.
  package func noteCommand(_ line: String, from source: CommandSource) {
    add(.command, FlightWords(Int64(source.rawValue)), text: line)
  }

  /// Records the reply to a command. `took`: its duration in nanoseconds.
  package func noteAnswer(isOK: Bool, took: UInt64) {
    add(.answer, FlightWords(isOK ? 1 : 0, Int64(clamping: took)))
  }

  /// Records the use of a button or knob.
  package func noteGesture(_ gesture: String, count: Int) {
    add(.gesture, FlightWords(Int64(count)), text: gesture)
  }

  /// Records an event of the state machine with its verdict.
  ///
  /// - Parameters:
  ///   - event: The handled event.
  ///   - from: The state before.
  ///   - to: The state after.
  ///   - verdict: What the state machine made of the event.
  ///   - position: The position of the track that was current before the event.
  ///   - rate: The output's rate, for positions within the event.
  package func note(
    _ event: PlayerEvent, from: PlayerState.Kind, to: PlayerState.Kind, _ verdict: Verdict, position: Seconds,
    rate: SampleRate
  ) {
    let verdict: UInt8 =
      switch verdict {
      case .changed: 0
      case .unchanged: 1
      case .rejected: 2
      }
    add(
      .event,
      FlightWords(
        FlightWords.codes(
          event.kind.rawValue, from.rawValue, to.rawValue, verdict, event.failure?.kind.rawValue),
        event.track.map { name($0).code } ?? FlightRecord.unknown, Self.time(position),
        event.target(rate).map(Self.time) ?? FlightRecord.unknown))
  }

  /// Records that a failed track is retried automatically; the next event is not the user's.
  package func noteRetry() { add(.retry, FlightWords()) }

  /// Records a mixer report about a frame of the timeline.
  package func note(_ news: MixerNews, _ deck: Deck?, frame: Seconds) {
    add(.mixer, FlightWords(FlightWords.codes(news.rawValue, deck?.rawValue), Self.time(frame)))
  }

  /// Records how many nanoseconds after it was given a command became audible.
  package func noteHeard(after time: UInt64) { add(.heard, FlightWords(Int64(clamping: time))) }

  /// Records an underrun, or with `isLost` the loss of the output.
  ///
  /// - Parameters:
  ///   - isLost: Whether the output is gone.
  ///   - late: The audio thread's worst delay since the last record with that value, in nanoseconds.
  ///   - unasked: Time since the output was last polled, in nanoseconds.
  ///   - queued: Duration of the frames that were queued then, in nanoseconds.
  package func noteFault(isLost: Bool, late: UInt64, unasked: UInt64, queued: UInt64) {
    add(
      isLost ? .lost : .underrun,
      FlightWords(Int64(clamping: late), Int64(clamping: unasked), Int64(clamping: queued)))
  }

  /// Records that the output has returned.
  package func noteRestored() { add(.restored, FlightWords()) }

  /// Records that the output no longer rewinds its queue.
  package func noteShallow() { add(.shallow, FlightWords()) }

  /// Records an event of a deck's decoder.
  ///
  /// - Parameters:
  ///   - news: The event.
  ///   - deck: The deck.
  ///   - track: The decoder's track.
  ///   - took: Duration of the decoder's task in nanoseconds; nil if unknown.
  ///   - position: The position in the track; nil if unknown.
  ///   - length: The track's length; nil if unknown.
  ///   - error: The error of a failed decoder; nil for other events.
  package func note(
    _ news: DecodingNews, _ deck: Deck, _ track: Track, took: UInt64? = nil, position: Seconds? = nil,
    length: Seconds? = nil, error: PlaybackError.Kind? = nil
  ) {
    add(
      .deck,
      FlightWords(
        FlightWords.codes(deck.rawValue, news.rawValue, error?.rawValue), name(track).code,
        took.map { Int64(clamping: $0) } ?? FlightRecord.unknown,
        position.map(Self.time) ?? FlightRecord.unknown, length.map(Self.time) ?? FlightRecord.unknown))
    if news == .opening { noteName(track.path, name(track)) }
  }

  /// Records how far each deck's decoder is ahead, how long it waited for storage, and the audio thread's worst
  /// delay.
  ///
  /// - Parameters:
  ///   - a: Decoded time ahead on deck A; nil without a decoder.
  ///   - b: Decoded time ahead on deck B; nil without a decoder.
  ///   - storage: Nanoseconds that each decoder waited for storage since the last record.
  ///   - late: The audio thread's worst delay in nanoseconds.
  package func noteRings(
    _ a: Seconds?, _ b: Seconds?, storage: (a: UInt64?, b: UInt64?), late: UInt64
  ) {
    add(
      .rings,
      FlightWords(
        a.map(Self.time) ?? FlightRecord.unknown, b.map(Self.time) ?? FlightRecord.unknown,
        storage.a.map { Int64(clamping: $0) } ?? FlightRecord.unknown,
        storage.b.map { Int64(clamping: $0) } ?? FlightRecord.unknown, Int64(clamping: late)))
  }

  /// Records the end of background work. `took`: its duration in nanoseconds.
  package func note(_ job: BackgroundJob, isOK: Bool, took: UInt64) {
    add(.job, FlightWords(FlightWords.codes(job.rawValue, isOK ? 1 : 0), Int64(clamping: took)))
  }

  /// Records that removable storage was mounted or unmounted.
  package func noteStorage(_ path: String, isThere: Bool) {
    add(.storage, FlightWords(isThere ? 1 : 0, name(path).code))
    noteName(path, name(path))
  }

  /// Records the path behind a short name.
  package func noteName(_ path: String, _ name: FlightName) { add(.name, FlightWords(name.code), text: path) }

  private static func time(_ seconds: Seconds) -> Int64 {
    let nanoseconds = seconds.value * 1e9
    guard nanoseconds < 9e18, nanoseconds > -9e18 else { return nanoseconds > 0 ? .max : -.max }
    return Int64(nanoseconds.rounded())
  }
}

extension PlayerEvent {
  fileprivate var track: Track? {
    switch self {
    case .load(let track, _), .skip(let track), .didReachEnd(let track), .removed(_, let track): track
    case .didAdvance(let track), .nextDue(let track, _), .crossfadeBegan(let track, _),
      .queueMovedOn(let track):
      track
    default: nil
    }
  }

  fileprivate var failure: PlaybackError? {
    switch self {
    case .didFail(let error), .didFailNext(let error): error
    case .decoderDied(let death), .nextDecoderDied(let death): death.error
    default: nil
    }
  }

  /// The target position of an event, or the length of its fade; 1 or 0 for whether an interruption resumes.
  fileprivate func target(_ rate: SampleRate) -> Seconds? {
    switch self {
    case .seek(let position), .load(_, let position): rate.seconds(position)
    case .nextDue(_, let fade), .crossfadeBegan(_, let fade): rate.seconds(fade.length)
    case .interruptionEnded(let shouldResume): Seconds(shouldResume ? 1 : 0)
    default: nil
    }
  }
}
