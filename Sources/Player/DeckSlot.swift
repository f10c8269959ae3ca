// A track on its way through one deck, as the control thread sees it. Control thread only.

import PlaybackModel
import Platform
import RealtimeAudio

/// What stands on a deck: its decoder, how far things have come, and how ring indexes map to positions.
struct DeckSlot {
  /// How far the track has come.
  enum Stage: Equatable {
    /// The decoder opens the file or fills the ring.
    case opening
    /// The decoder is ready, but the mixer still holds the deck's former ring.
    case waitingForDeck
    /// The mixer has the ring.
    case cued
    case started
    /// The mixer ramps the deck out, so that its decoder can seek.
    case stoppingForSeek(target: Frames)
    /// The decoder seeks.
    case seeking(target: Frames)
  }

  var track: Track
  let decoder: any TrackDecoder
  let token: ScheduleToken
  var stage = Stage.opening
  /// A ring index and the track position of the frame there.
  var originIndex: UInt64 = 0
  var originPosition = Frames.zero
  /// One past the last ring index, once the decoder knows it.
  var endIndex: UInt64?
  /// What made the decoder stop early; its ring is played to the end all the same.
  var failure: PlaybackError?
  /// The furthest position shown, so that none runs backwards.
  var shown = Frames.zero

  init(track: Track, decoder: any TrackDecoder, token: ScheduleToken) {
    self.track = track
    self.decoder = decoder
    self.token = token
  }

  /// Whether the mixer has this slot's ring.
  var isAttached: Bool {
    switch stage {
    case .opening, .waitingForDeck: false
    case .cued, .started, .stoppingForSeek, .seeking: true
    }
  }

  /// Whether nothing can be decided before the decoder has answered.
  var awaitsDecoder: Bool {
    switch stage {
    case .opening, .seeking: true
    case .waitingForDeck, .cued, .started, .stoppingForSeek: false
    }
  }

  /// The track position of a ring index.
  func position(of index: UInt64) -> Frames {
    originPosition + Frames(Int64(bitPattern: index &- originIndex))
  }

  /// The track's length, as soon as anybody knows it.
  var length: Frames? {
    if let endIndex { return position(of: endIndex) }
    return track.length
  }

  /// The ring index of the track's end, as soon as anybody knows it.
  var knownEndIndex: UInt64? {
    if let endIndex { return endIndex }
    guard let length = track.length else { return nil }
    return originIndex &+ UInt64(bitPattern: (length - originPosition).count)
  }
}
