// What the player needs of a decoder: a ring that fills, and a few words about it. The sandboxed worker is
// one; tests have others. Control thread only.

import AudioRing
import PlaybackModel
import RealtimeAudio

/// What a decoder tells about its track.
package enum DecoderEvent: Sendable {
  /// The file is understood. Length, tags and loudness are in the track.
  case opened(Track)
  /// Enough is in the ring to start: ring index and track position of the first frame.
  case ready(index: UInt64, position: Frames)
  /// The seek asked for last is done, with enough in the ring to go on.
  case seeked(index: UInt64, position: Frames)
  /// All of the track is in the ring; it ends at this index.
  case ended(index: UInt64)
  /// Nothing more will come. What is in the ring can still be played.
  case failed(PlaybackError)
}

/// A track being decoded.
package protocol TrackDecoder: AnyObject {
  /// Called when `takeEvents` has something to say; never from within a call to the decoder.
  var onEvents: () -> Void { get set }
  /// Where the frames are. Stays mapped as long as this object lives.
  var ring: RingReader { get }
  /// What happened since the last call; never waits.
  func takeEvents() -> [DecoderEvent]
  /// Goes to a position of the track; its frames follow in the ring from `index` on. Answered by `seeked`. What answers
  /// an earlier order is not reported any more.
  func seek(to position: Frames, continuingAt index: UInt64)
  /// Tells a decoder that went to sleep because nothing was read that reading goes on.
  func wake()
  /// Says that the ring ran dry, so that a decoder that does not fill it again is found out: it fails then.
  func expectRefill()
  /// Declares what is in the ring to be all of the track, after a failure. Answers where it ends.
  func seal() -> UInt64
  /// Ends the decoding at once; the ring stays mapped. No events follow.
  func terminate()
}

/// Makes decoders.
package protocol DecoderSource: AnyObject {
  /// Starts decoding a track at a position. Errors that are known at once (no such file) are thrown.
  func open(_ track: Track, at position: Frames) throws(PlaybackError) -> any TrackDecoder
}
