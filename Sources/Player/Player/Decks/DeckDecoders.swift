// The decoders of both decks: started, moved, woken and ended; what becomes of them is recorded. Control thread; never
// waits.

import AudioRing
import Flight
import PlaybackModel
import Platform

/// The decoders that fill the decks' rings, and those whose ring the mixer still reads.
final class DeckDecoders {
  /// Whether the storage that a track lies on is away at present: a file that is missing there is not gone for good.
  var isStorageAway: (Track) -> Bool = { _ in false }
  /// Streams whose wrong content is a failure of the network.
  var knownStreams = KnownStreams()
  /// Called when a decoder has events to be taken.
  var onEvents: () -> Void = {}
  /// Records what becomes of the decoders; nil for none.
  var flight: FlightRecorder?

  /// Tries whether a silent station is back.
  let probe: StationProbe

  private let scheduler: any Scheduler
  private let source: any DecoderSource
  let rate: SampleRate
  private var loaded: [(any TrackDecoder)?] = [nil, nil]
  /// Decoders whose ring the mixer still holds.
  private var leaving: [(any TrackDecoder)?] = [nil, nil]
  /// When each decoder got its present task.
  private var since: [UInt64] = [0, 0]

  init(_ scheduler: any Scheduler, _ source: any DecoderSource, rate: SampleRate) {
    self.scheduler = scheduler
    self.source = source
    self.rate = rate
    probe = StationProbe(scheduler, source)
  }

  /// How streams are had that are opened from now on.
  func adopt(_ conditions: StreamConditions) { source.adopt(conditions) }

  private func place(_ deck: Deck) -> Int { Int(deck.rawValue) }

  /// The decoder on a deck.
  subscript(deck: Deck) -> (any TrackDecoder)? { loaded[place(deck)] }

  /// For how many nanoseconds a deck's decoder has waited for its storage, by its own word; 0 while it does not.
  func storageWait(of deck: Deck) -> UInt64 { self[deck]?.ring.storageWaits.present(now: scheduler.now) ?? 0 }

  // MARK: Orders

  /// Starts decoding a track onto an empty deck. Returns why that is impossible; nil where it has begun.
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

  /// Moves a deck's decoder to a position of its track; its frames continue in the ring from `index` on.
  func seek(_ deck: Deck, _ track: Track, to target: Frames, continuingAt index: UInt64) {
    begin(.seeking, deck, track, at: target)
    self[deck]?.seek(to: target, continuingAt: index)
  }

  /// Starts a successor of a deck's dead decoder; the frame `target` of its track comes at `index`.
  func restart(_ deck: Deck, _ track: Track, at target: Frames, continuingAt index: UInt64) {
    begin(.restarting, deck, track, at: target)
    self[deck]?.restart(at: target, continuingAt: index)
  }

  /// Ends a deck's decoding. Its ring stays mapped until `noteRelease` where the mixer has it.
  func letGo(_ deck: Deck, isAttached: Bool) {
    guard let decoder = loaded[place(deck)] else { return }
    loaded[place(deck)] = nil
    decoder.terminate()
    guard isAttached else { return }
    precondition(leaving[place(deck)] == nil, "a ring is attached only when the last one is gone")
    leaving[place(deck)] = decoder
  }

  /// The mixer has let go of a deck's former ring.
  func noteRelease(_ deck: Deck) { leaving[place(deck)] = nil }

  /// Wakes all decoders because their rings are being read: a decoder paces itself by the clock.
  func wake() {
    for decoder in loaded { decoder?.wake() }
  }

  /// A person wants sound: connections that wait to be made again are made now.
  func retryNow() {
    for decoder in loaded { decoder?.retryNow() }
    probe.retryNow()
  }

  /// Ends all decoders. The audio thread has ended before.
  func end() {
    for deck in Deck.allCases {
      loaded[place(deck)]?.terminate()
      loaded[place(deck)] = nil
    }
    leaving = [nil, nil]
    onEvents = {}
    probe.end()
  }

  // MARK: Errors and records

  /// What an error means, given which storage is there.
  func explained(_ error: PlaybackError, _ track: Track) -> PlaybackError {
    guard error.kind == .missing, isStorageAway(track) else { return knownStreams.explained(error, track) }
    return PlaybackError(.storageRemoved, path: track.path)
  }

  /// A decoder gets something to do; how long it takes is recorded.
  private func begin(_ news: DecodingNews, _ deck: Deck, _ track: Track, at position: Frames) {
    since[place(deck)] = scheduler.now
    flight?.note(news, deck, track, position: rate.seconds(position))
  }

  /// Records an event of the decoder that fills a slot.
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

  /// How far a deck's track is decoded, in its own time.
  private func end(_ deck: Deck, _ slot: DeckSlot, _ index: UInt64?) -> Seconds? {
    guard let decoder = self[deck] else { return nil }
    let end = index ?? decoder.ring.writtenIndex
    // Hours in frames; no decoder in its right mind has written what lies beyond.
    guard end &- slot.originIndex < 1 << 40 else { return nil }
    return rate.seconds(slot.position(of: end))
  }
}
