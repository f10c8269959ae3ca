// One method for each kind of record, so that nobody else knows how it is laid out. Control thread only; times are in
// nanoseconds.

import PlaybackModel

extension FlightRecorder {
  /// The box has started.
  package func noteStart(version: String) { add(.start, FlightWords(), text: version) }

  /// An output is in use from now on, or what stands in for one.
  package func noteOutput(rate: SampleRate, isDeep: Bool, isThere: Bool) {
    add(.output, FlightWords(Int64(rate.hertz), isDeep ? 1 : 0, isThere ? 1 : 0))
  }

  /// What the player decides by, from now on.
  package func note(_ settings: PlayerSettings) {
    let manual = settings.fadesManually ? settings.manualFadeLength : .zero
    add(
      .settings,
      FlightWords(
        Self.time(settings.automaticFadeLength), Self.time(manual), Int64(settings.curve.rawValue),
        Int64(settings.quickFinishThreshold), Self.time(settings.pauseRamp)))
  }

  /// How loud, from now on.
  package func note(_ volume: Volume) { add(.volume, FlightWords(Int64(volume.percent.rounded()))) }

  /// A command, as a line in which nothing is private.
  package func noteCommand(_ line: String, from source: CommandSource) {
    add(.command, FlightWords(Int64(source.rawValue)), text: line)
  }

  /// A command was answered.
  package func noteAnswer(isOK: Bool, took: UInt64) {
    add(.answer, FlightWords(isOK ? 1 : 0, Int64(clamping: took)))
  }

  /// A button or knob was used.
  package func noteGesture(_ gesture: String, count: Int) {
    add(.gesture, FlightWords(Int64(count)), text: gesture)
  }

  /// The state machine was given an event. `position` is of the track that was the current one.
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

  /// The box tries a failed track again by itself: the next event is its own.
  package func noteRetry() { add(.retry, FlightWords()) }

  /// The mixer's report about a frame of the timeline.
  package func note(_ news: MixerNews, _ deck: Deck?, frame: Seconds) {
    add(.mixer, FlightWords(FlightWords.codes(news.rawValue, deck?.rawValue), Self.time(frame)))
  }

  /// A command was heard so long after it was given.
  package func noteHeard(after time: UInt64) { add(.heard, FlightWords(Int64(clamping: time))) }

  /// The output ran dry, or (`isLost`) is gone. `late` is the audio thread's worst turn since the last record that
  /// told it, `unasked` how long the output had not been asked, `queued` what it had left then.
  package func noteFault(isLost: Bool, late: UInt64, unasked: UInt64, queued: UInt64) {
    add(
      isLost ? .lost : .underrun,
      FlightWords(Int64(clamping: late), Int64(clamping: unasked), Int64(clamping: queued)))
  }

  /// The output is back.
  package func noteRestored() { add(.restored, FlightWords()) }

  /// The output takes nothing back any more.
  package func noteShallow() { add(.shallow, FlightWords()) }

  /// Something about a deck's decoder.
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

  /// How far ahead each deck's decoder is, how long each of them waited for storage, and the audio thread's worst turn.
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

  /// Work in the background is done.
  package func note(_ job: BackgroundJob, isOK: Bool, took: UInt64) {
    add(.job, FlightWords(FlightWords.codes(job.rawValue, isOK ? 1 : 0), Int64(clamping: took)))
  }

  /// Removable storage came or went.
  package func noteStorage(_ path: String, isThere: Bool) {
    add(.storage, FlightWords(isThere ? 1 : 0, name(path).code))
    noteName(path, name(path))
  }

  /// What a short name stands for.
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

  /// Where it leads to, or how long its fade is.
  fileprivate func target(_ rate: SampleRate) -> Seconds? {
    switch self {
    case .seek(let position), .load(_, let position): rate.seconds(position)
    case .nextDue(_, let fade), .crossfadeBegan(_, let fade): rate.seconds(fade.length)
    case .interruptionEnded(let shouldResume): Seconds(shouldResume ? 1 : 0)
    default: nil
    }
  }
}
