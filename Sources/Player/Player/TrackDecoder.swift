// What the player needs of a decoder: a ring that fills, and events about it. The sandboxed worker is one; tests have
// others. Control thread only. Positions are in frames of the track at the engine's rate, indexes are the ring's.

import AudioRing
import PlaybackModel
import RealtimeAudio

/// What a decoder reports about its track.
package enum DecoderEvent: Sendable {
  /// The file is understood. Length, tags and loudness are in the track.
  case opened(Track)
  /// The track's length was counted while it is decoded; the track has it.
  case measured(Track)
  /// Enough is in the ring to start: ring index and track position of the first frame.
  case ready(index: UInt64, position: Frames)
  /// The seek asked for last is done, with enough in the ring to go on.
  case seeked(index: UInt64, position: Frames)
  /// All of the track is in the ring; it ends at this index.
  case ended(index: UInt64)
  /// From a ring index on, the station calls its sound so.
  case titled(String, index: UInt64)
  /// A station was joined anew, and so much of it is left out.
  case leftOut(Seconds)
  /// Nothing more will come. What is in the ring can still be played.
  case failed(PlaybackError)
  /// The decoder's process crashed, was killed, or hung. What is in the ring can still be played; `restart` brings a successor.
  case died(PlaybackError)
}

/// A track being decoded.
package protocol TrackDecoder: AnyObject {
  /// Called when `takeEvents` has something new; never from within a call to the decoder.
  var onEvents: () -> Void { get set }
  /// Where the frames are. Stays mapped as long as this object lives.
  var ring: RingReader { get }
  /// Takes what happened since the last call, oldest first; never waits.
  func takeEvents() -> [DecoderEvent]
  /// Goes to a position of the track; its frames follow in the ring from `index` on. Answered by `seeked`. What answers
  /// an earlier order is not reported any more.
  func seek(to position: Frames, continuingAt index: UInt64)
  /// Starts a successor after `died`, in the same ring: the frame `position` of the track comes at `index`. A station begins at its
  /// present. Answered by `seeked`, `failed` or `died`.
  func restart(at position: Frames, continuingAt index: UInt64)
  /// Notes that a ring that was full is running low. A decoder that writes nothing within a fraction of a second, though neither its
  /// storage nor other processes hold it up, has died.
  func expectProgress()
  /// Wakes a decoder that went to sleep because nothing was read: reading continues.
  func wake()
  /// Makes a stream's connection again now, where it was lost and waits for its next try.
  func retryNow()
  /// Notes that the ring ran dry. A decoder that does not fill it again within some seconds fails.
  func expectRefill()
  /// Declares what is in the ring to be all of the track, after a failure or a death, and ends the decoding. Returns the index of its end.
  func seal() -> UInt64
  /// Ends the decoding at once; the ring stays mapped. No events follow.
  func terminate()
  /// What of a station can be gone to; nil for what is none, and before any of it has sounded.
  var stationWindow: StationWindow? { get }
  /// What a second of the track's file or stream takes on average, in kbit/s; nil before that is known, and where it never is.
  var kilobitsPerSecond: Int? { get }
  /// Why a stream's connection is being made again at present, a sentence; nil where it is not.
  var interruption: String? { get }
  /// How many bytes of its stream have come, those included that were let go of again; nil where it reads none.
  var receivedBytes: Int64? { get }
}

extension TrackDecoder {
  /// Decoders that never die have no successor.
  package func restart(at position: Frames, continuingAt index: UInt64) {}
  /// Decoders that are never late need not be watched.
  package func expectProgress() {}
  /// Files have no connection.
  package func retryNow() {}
  /// Files are no stations.
  package var stationWindow: StationWindow? { nil }
  package var kilobitsPerSecond: Int? { nil }
  package var interruption: String? { nil }
  package var receivedBytes: Int64? { nil }
}

/// How streams are fetched and begun.
package struct StreamConditions: Hashable, Sendable {
  /// Bytes of each that are kept.
  package var window = 4 << 20
  /// How much sound is decoded before it is heard.
  package var start = Seconds(1.5)
  /// How long a server may take to accept a connection, or send nothing.
  package var timeout = Seconds(10)
  /// A proxy's URL; empty for none.
  package var proxy = ""
  /// Whether a server may lead into the box and its network.
  package var allowsPrivateRedirects = false

  /// The defaults.
  package init() {}
}

/// Makes decoders.
package protocol DecoderSource: AnyObject {
  /// How streams are had that are opened from now on.
  func adopt(_ conditions: StreamConditions)
  /// Starts decoding a track; never waits.
  ///
  /// - Parameter position: The first frame that is wanted.
  /// - Throws: What is known without asking the storage. Everything else is a `failed` event, also that there is no file.
  func open(_ track: Track, at position: Frames) throws(PlaybackError) -> any TrackDecoder
}

extension DecoderSource {
  /// Sources without streams have none.
  package func adopt(_ conditions: StreamConditions) {}
}
