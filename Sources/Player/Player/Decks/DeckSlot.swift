// A track on its way through one deck, as far as orders and reports tell. A value; control thread.

import AudioRing
import PlaybackModel
import RealtimeAudio

/// What stands on a deck: how far things have come, and how ring indexes map to positions.
struct DeckSlot: Equatable {
  /// How far the track has come.
  enum Stage: Equatable {
    /// The decoder opens the file or fills the ring.
    case opening
    /// The decoder is ready, but the mixer still holds the deck's former ring.
    case waitingForDeck
    /// The mixer has the ring, and nothing of it is heard.
    case cued
    case started
    /// The mixer has played the track's last frame.
    case ended
    /// The mixer ramps the deck out, so that its decoder can seek.
    case stopping
    /// The decoder seeks.
    case seeking
  }

  /// How decoding ends.
  enum Outcome: Equatable {
    case ended(index: UInt64)
    case failed(PlaybackError)
  }

  var track: Track
  var stage = Stage.opening
  /// The position that a plan has asked for, by which the plan knows it again.
  var planned: Frames
  /// The position that was asked of the decoder: the planned one, or a bookmark's.
  var target: Frames
  /// Whether it stands where it was opened.
  var isUnmoved = true
  /// A ring index and the track position of the frame there.
  var originIndex: UInt64 = 0
  var originPosition: Frames
  /// How the decoding came to its end, seconds before that is heard.
  var outcome: Outcome?
  /// Whether the outcome is near enough to be taken into account.
  var isOutcomeKnown = false
  /// One past the last ring index, once it is known.
  var endIndex: UInt64?
  /// What made the decoder stop early; its ring is played to the end all the same.
  var failure: PlaybackError?
  /// Whether its decoder lives.
  var life = DecoderLife()
  /// What a station calls its sound.
  var titles = TitleTrail()
  /// The command with which the mixer got the ring.
  var attachedBy: UInt32?
  /// The command that lets it sound; nil where the mixer has begun it by itself.
  var startedBy: UInt32?

  init(_ track: Track, planned: Frames, target: Frames) {
    self.track = track
    self.planned = planned
    self.target = target
    originPosition = target
  }

  /// Whether its decoder can still be told to go somewhere.
  var canSeek: Bool {
    if case .failed = outcome { return false }
    return isAttached && failure == nil && life.lossError == nil
  }

  /// Whether the mixer has this slot's ring.
  var isAttached: Bool { attachedBy != nil }

  /// Whether some of it was or is heard.
  var wasHeard: Bool { stage == .started || stage == .ended }

  /// Whether it is what a plan wants on its deck.
  func fits(_ load: DeckPlan.Load) -> Bool {
    switch load {
    case .nothing: return false
    case .asIs: return true
    case .kept(let track, _), .moved(let track, _): return track.id == self.track.id
    case .fresh(let track, let start):
      guard track.id == self.track.id, start == planned, isUnmoved else { return false }
      return stage == .opening || stage == .waitingForDeck || stage == .cued
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

  /// The track with the length that is known by now.
  var measuredTrack: Track {
    var track = track
    track.length = length
    return track
  }

  /// The track's length where its decoder has reached the end of the file, however far ahead of the music that is; nil otherwise.
  var decodedLength: Frames? { decodedEnd.map { position(of: $0) } }

  /// The ring index of the track's end, as soon as anybody knows it.
  var knownEnd: UInt64? {
    if let endIndex { return endIndex }
    guard let length = track.length, length >= originPosition else { return nil }
    return originIndex &+ UInt64(bitPattern: (length - originPosition).count)
  }

  /// Whether its decoder died before the track's last frame and has no successor: it fails where its ring ends.
  var isLost: Bool {
    guard life.lossError != nil, case .failed = outcome else { return false }
    return !ending(within: .zero).isWhole
  }

  /// Whether its decoder failed, or died and left a part of the track out of the ring.
  var hasLostDecoder: Bool {
    if failure != nil { return true }
    if case .ended = outcome { return false }
    return life.lossError != nil
  }

  /// Whether it is known that its sound ends before its last frame.
  func breaksOff(within tolerance: Frames) -> Bool { isOutcomeKnown && !ending(within: tolerance).isWhole }

  /// Where a track ends that is heard to the end of its ring, and whether that is its own last frame: at most `tolerance` before
  /// the length that its file states, unless its decoder failed.
  func ending(within tolerance: Frames) -> (position: Frames, isWhole: Bool) {
    var hasFailed = false
    if case .failed = outcome { hasFailed = true }
    guard let endIndex = endIndex ?? decodedEnd else { return (track.length ?? .zero, !hasFailed) }
    let position = position(of: endIndex)
    if hasFailed { return (position, track.length.map { position >= $0 } ?? false) }
    return (position, track.length.map { position + tolerance >= $0 } ?? true)
  }

  /// The ring index at which its decoder reached the end of the file.
  private var decodedEnd: UInt64? {
    if case .ended(let index) = outcome { index } else { nil }
  }

  /// Whether a decoder that has failed left all of the track in its ring, to its own last frame.
  func isWhole(in ring: RingReader) -> Bool { ring.writtenIndex == knownEnd }
}
