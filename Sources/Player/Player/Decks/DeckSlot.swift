// A track on one deck: its stage, its outcome, and the mapping from ring indexes to track positions. A value; control
// thread.

import AudioRing
import PlaybackModel
import RealtimeAudio

/// A track on a deck, as known from orders and reports.
struct DeckSlot: Equatable {
  /// The progress of the track on its deck.
  enum Stage: Equatable {
    /// The decoder is opening the file or filling the ring.
    case opening
    /// The decoder is ready, but the mixer still holds the deck's previous ring.
    case waitingForDeck
    /// The ring is attached to the mixer, and nothing of it has been played.
    case cued
    case started
    /// The mixer has played the track's last frame.
    case ended
    /// The mixer is ramping the deck out, so that its decoder can seek.
    case stopping
    /// The decoder is seeking.
    case seeking
  }

  /// The end of decoding.
  enum Outcome: Equatable {
    case ended(index: UInt64)
    case failed(PlaybackError)
  }

  var track: Track
  var stage = Stage.opening
  /// The position that the plan requested, by which the plan recognizes the slot.
  var planned: Frames
  /// The position requested of the decoder: the planned one, or a bookmark's.
  var target: Frames
  /// Whether the track has not been moved since it was opened.
  var isUnmoved = true
  /// A ring index and the track position of the frame there.
  var originIndex: UInt64 = 0
  var originPosition: Frames
  /// How decoding ended, which is known seconds before that point is heard.
  var outcome: Outcome?
  /// Whether the outcome is near enough to the audible position to be acted on.
  var isOutcomeKnown = false
  /// One past the last valid ring index, once known.
  var endIndex: UInt64?
  /// The error that ended decoding early. What is in the ring is still played.
  var failure: PlaybackError?
  /// Whether the decoder is alive.
  var life = DecoderLife()
  /// Titles announced by a station.
  var titles = TitleTrail()
  /// The command that attached the ring to the mixer; nil before that.
  var attachedBy: UInt32?
  /// The command that started the deck; nil if the mixer started it by itself (join or fade).
  var startedBy: UInt32?

  init(_ track: Track, planned: Frames, target: Frames) {
    self.track = track
    self.planned = planned
    self.target = target
    originPosition = target
  }

  /// Whether the decoder can still seek.
  var canSeek: Bool {
    if case .failed = outcome { return false }
    return isAttached && failure == nil && life.lossError == nil
  }

  /// Whether the ring is attached to the mixer.
  var isAttached: Bool { attachedBy != nil }

  /// Whether any of the track was or is audible.
  var wasHeard: Bool { stage == .started || stage == .ended }

  /// Whether the slot matches what a plan expects on its deck.
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

  /// The track's length: from the decoded end, or else as stated by the file; nil if unknown.
  var length: Frames? {
    if let endIndex { return position(of: endIndex) }
    return track.length
  }

  /// The track with its length as far as known.
  var measuredTrack: Track {
    var track = track
    track.length = length
    return track
  }

  /// The track's length if its decoder has reached the end of the file, even if that is not audible yet; nil
  /// otherwise.
  var decodedLength: Frames? { decodedEnd.map { position(of: $0) } }

  /// The ring index of the track's end, decoded or computed from the stated length; nil if unknown.
  var knownEnd: UInt64? {
    if let endIndex { return endIndex }
    guard let length = track.length, length >= originPosition else { return nil }
    return originIndex &+ UInt64(bitPattern: (length - originPosition).count)
  }

  /// Whether the decoder died before the track's last frame and has no successor, so that the track fails where its
  /// ring ends.
  var isLost: Bool {
    guard life.lossError != nil, case .failed = outcome else { return false }
    return !ending(within: .zero).isWhole
  }

  /// Whether the decoder failed, or died with part of the track missing from the ring.
  var hasLostDecoder: Bool {
    if failure != nil { return true }
    if case .ended = outcome { return false }
    return life.lossError != nil
  }

  /// Whether the audible sound is known to end before the track's last frame.
  func breaksOff(within tolerance: Frames) -> Bool { isOutcomeKnown && !ending(within: tolerance).isWhole }

  /// The position at which the track ends when played to the end of its ring.
  ///
  /// - Parameter tolerance: A decoder may end this many frames before the length stated by the file and still count
  ///   as complete.
  /// - Returns: The end's position, and whether it is the track's own last frame.
  func ending(within tolerance: Frames) -> (position: Frames, isWhole: Bool) {
    var hasFailed = false
    if case .failed = outcome { hasFailed = true }
    guard let endIndex = endIndex ?? decodedEnd else { return (track.length ?? .zero, !hasFailed) }
    let position = position(of: endIndex)
    if hasFailed { return (position, track.length.map { position >= $0 } ?? false) }
    return (position, track.length.map { position + tolerance >= $0 } ?? true)
  }

  /// The ring index at which the decoder reached the end of the file.
  private var decodedEnd: UInt64? {
    if case .ended(let index) = outcome { index } else { nil }
  }

  /// Whether the ring holds the track to its last frame, although the decoder has failed.
  func isWhole(in ring: RingReader) -> Bool { ring.writtenIndex == knownEnd }
}
