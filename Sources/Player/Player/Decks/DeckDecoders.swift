// Opens, seeks, restarts, wakes and ends the decoders of both decks, and records their events. Control thread; never
// blocks.

import AudioRing
import Flight
import PlaybackModel
import Platform

/// The decoders of both decks, including ended ones whose ring the mixer still reads.
final class DeckDecoders {
  /// Whether the storage of a track is unmounted, so that a missing file is a temporary failure.
  var isStorageAway: (Track) -> Bool = { _ in false }
  /// Streams that have played before; wrong content from them counts as a network failure.
  var knownStreams = KnownStreams()
  /// Whether streams that their server refuses are retried while the queue has nothing else to play.
  var retriesRefusals = false
  /// Whether a track is the current one, and nothing else would play after its failure.
  var isAlone: (Track) -> Bool = { _ in false }
  /// Called when a decoder has new events.
  var onEvents: () -> Void = {}
  /// Records decoder events; nil: no recording.
  var flight: FlightRecorder?

  /// Probes whether a silent station has sound again.
  let probe: StationProbe

  private let scheduler: any Scheduler
  private let source: any DecoderSource
  let rate: SampleRate
  private var loaded: [(any TrackDecoder)?] = [nil, nil]
  /// Ended decoders whose ring the mixer still holds.
  private var leaving: [(any TrackDecoder)?] = [nil, nil]
  /// Start time of each decoder's present task, in nanoseconds.
  private var since: [UInt64] = [0, 0]

  init(_ scheduler: any Scheduler, _ source: any DecoderSource, rate: SampleRate) {
    self.scheduler = scheduler
    self.source = source
    self.rate = rate
    probe = StationProbe(scheduler, source)
  }

  /// Adopts the settings of streams opened from now on.
  func adopt(_ conditions: StreamConditions) { source.adopt(conditions) }

  private func place(_ deck: Deck) -> Int { Int(deck.rawValue) }

  /// The decoder on a deck; nil if the deck is empty.
  subscript(deck: Deck) -> (any TrackDecoder)? { loaded[place(deck)] }

  /// How long a deck's decoder has been waiting for its storage, in nanoseconds; 0 if it is not waiting.
  func storageWait(of deck: Deck) -> UInt64 { self[deck]?.ring.storageWaits.present(now: scheduler.now) ?? 0 }

  // MARK: Orders

  /// Starts decoding a track onto an empty deck.
  ///
  /// - Returns: The error if the decoder cannot be started; nil if it was.
  func open(_ track: Track, at position: Frames, on deck: Deck) -> PlaybackError? {
    precondition(loaded[place(deck)] == nil, "a deck is retired before it gets another track")
    begin(.opening, deck, track, at: position)
    do throws(PlaybackError) {
      let decoder = try source.open(track, at: position)
      decoder.onEvents = { [unowned(unsafe) self] in onEvents() }
      loaded[place(deck)] = decoder
      return nil
    } catch {
      let error = explained(error, track)
      flight?.note(.refused, deck, track, error: error.kind)
      return error
    }
  }

  /// Moves a deck's decoder to a position of its track. The decoded frames follow in the ring from `index`.
  func seek(_ deck: Deck, _ track: Track, to target: Frames, continuingAt index: UInt64) {
    begin(.seeking, deck, track, at: target)
    self[deck]?.seek(to: target, continuingAt: index)
  }

  /// Starts a successor of a deck's dead decoder. The track's frame `target` is written at ring index `index`.
  func restart(_ deck: Deck, _ track: Track, at target: Frames, continuingAt index: UInt64) {
    begin(.restarting, deck, track, at: target)
    self[deck]?.restart(at: target, continuingAt: index)
  }

  /// Ends a deck's decoder. If the ring is attached to the mixer, it stays mapped until `noteRelease`.
  func letGo(_ deck: Deck, isAttached: Bool) {
    guard let decoder = loaded[place(deck)] else { return }
    loaded[place(deck)] = nil
    decoder.terminate()
    guard isAttached else { return }
    precondition(leaving[place(deck)] == nil, "a ring is attached only when the last one is gone")
    leaving[place(deck)] = decoder
  }

  /// The mixer has released a deck's previous ring, which is unmapped now.
  func noteRelease(_ deck: Deck) { leaving[place(deck)] = nil }

  /// Wakes all decoders, which sleep by the clock, because the mixer has started reading.
  func wake() {
    for decoder in loaded { decoder?.wake() }
  }

  /// Reconnects broken streams at once instead of after their backoff, because the user asked for sound.
  func retryNow() {
    for decoder in loaded { decoder?.retryNow() }
    probe.retryNow()
  }

  /// Ends all decoders. The audio thread must have ended before.
  func end() {
    for deck in Deck.allCases {
      loaded[place(deck)]?.terminate()
      loaded[place(deck)] = nil
    }
    leaving = [nil, nil]
    isAlone = { _ in false }
    onEvents = {}
    probe.end()
  }

  // MARK: Errors and records

  /// Reclassifies an error: a missing file on unmounted storage, wrong content from a known stream, or the refusal of
  /// the only stream that is left to play.
  ///
  /// - Parameters:
  ///   - error: The error of the track.
  ///   - deck: The deck of the track's decoder; nil if the decoder could not be started.
  func explained(_ error: PlaybackError, _ track: Track, on deck: Deck? = nil) -> PlaybackError {
    if error.kind == .missing, isStorageAway(track) {
      return PlaybackError(.storageRemoved, path: track.path)
    }
    let isFile = deck.flatMap { self[$0] }?.isStreamedFile ?? false
    let error = knownStreams.explained(error, track, isFile: isFile)
    // Icecast answers 404 while a source reconnects: an address that is refused now may play later.
    guard error.kind == .refused, retriesRefusals, track.path.isURI, isAlone(track) else { return error }
    return PlaybackError(.network, path: error.path, detail: error.detail)
  }

  /// Records the start of a decoder's task, whose duration is measured.
  private func begin(_ news: DecodingNews, _ deck: Deck, _ track: Track, at position: Frames) {
    since[place(deck)] = scheduler.now
    flight?.note(news, deck, track, position: rate.seconds(position))
  }

  /// Records an event of a deck's decoder.
  func record(_ event: DecoderEvent, _ deck: Deck, _ slot: DeckSlot) {
    guard let flight else { return }
    let took = scheduler.now - since[place(deck)]
    switch event {
    case .opened(let track):
      flight.note(.opened, deck, track, took: took, length: track.length.map(rate.seconds))
    case .ready(_, let position):
      flight.note(.ready, deck, slot.track, took: took, position: rate.seconds(position))
    case .seeked(_, let position):
      flight.note(.seeked, deck, slot.track, took: took, position: rate.seconds(position))
    case .titled, .leftOut, .measured: break
    case .ended(let index): flight.note(.ended, deck, slot.track, position: end(deck, slot, index))
    case .died(let error):
      flight.note(.died, deck, slot.track, took: took, position: end(deck, slot, nil), error: error.kind)
    case .failed(let error):
      flight.note(
        .failed, deck, slot.track, took: took, position: end(deck, slot, nil), error: error.kind)
    }
  }

  /// How far a deck's track is decoded, as a position in the track; nil if the ring's index is implausible.
  private func end(_ deck: Deck, _ slot: DeckSlot, _ index: UInt64?) -> Seconds? {
    guard let decoder = self[deck] else { return nil }
    let end = index ?? decoder.ring.writtenIndex
    // More than 2^40 frames (months of audio) can only be a corrupt index.
    guard end &- slot.originIndex < 1 << 40 else { return nil }
    return rate.seconds(slot.position(of: end))
  }
}
