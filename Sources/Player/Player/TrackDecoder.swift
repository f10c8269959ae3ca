// The player's interface to a track's decoder: a ring that it fills, and events. Implemented by the sandboxed worker
// and by tests. Control thread only. Positions are in frames of the track at the engine's rate, indexes are those of
// the ring.

import AudioRing
import PlaybackModel
import RealtimeAudio

/// An event of a decoder.
package enum DecoderEvent: Sendable {
  /// The file was opened; the track has its length, tags and loudness.
  case opened(Track)
  /// The length was counted during decoding; the track contains it.
  case measured(Track)
  /// Enough is in the ring to start at this index and track position.
  case ready(index: UInt64, position: Frames)
  /// The last requested seek is complete, and enough is in the ring to start.
  case seeked(index: UInt64, position: Frames)
  /// The whole track is in the ring and ends at this index.
  case ended(index: UInt64)
  /// A station's title for the sound from a ring index on.
  case titled(String, index: UInt64)
  /// A station was rejoined; the approximate duration that is missing.
  case leftOut(Seconds)
  /// Decoding has failed. The frames in the ring remain playable.
  case failed(PlaybackError)
  /// The decoder's process crashed, was killed or hung. The frames in the ring remain playable; `restart` starts a
  /// successor.
  case died(PlaybackError)
}

/// A decoder that is decoding one track.
package protocol TrackDecoder: AnyObject {
  /// Called when `takeEvents` has new events; never from within a call to the decoder.
  var onEvents: () -> Void { get set }
  /// The ring with the decoded frames, mapped for the lifetime of this object.
  var ring: RingReader { get }
  /// Removes and returns the events since the last call, oldest first. Never blocks.
  func takeEvents() -> [DecoderEvent]
  /// Seeks. Completed by `seeked`; events of earlier requests are no longer reported.
  ///
  /// - Parameters:
  ///   - position: The target in frames of the track.
  ///   - index: The ring index of the first frame at the target.
  func seek(to position: Frames, continuingAt index: UInt64)
  /// Starts a successor after `died` in the same ring. Completed by `seeked`, `failed` or `died`. A live station
  /// restarts at its live position.
  ///
  /// - Parameters:
  ///   - position: The frame of the track with which to continue.
  ///   - index: The ring index of that frame.
  func restart(at position: Frames, continuingAt index: UInt64)
  /// Reports that a full ring is running low. A decoder that then writes nothing for a fraction of a second, without
  /// waiting for storage or CPU time, counts as hung.
  func expectProgress()
  /// Wakes a decoder that sleeps because the ring was not read.
  func wake()
  /// Reconnects a broken stream at once instead of after its backoff.
  func retryNow()
  /// Reports an underrun. The decoder fails if it does not refill the ring within seconds.
  func expectRefill()
  /// Ends decoding after a failure or death and marks the end of the ring's contents as the end of the track.
  ///
  /// - Returns: The ring index of the end.
  func seal() -> UInt64
  /// Ends decoding at once. The ring stays mapped; no events follow.
  func terminate()
  /// The seekable range of a station; nil for other tracks, and before any of it has sounded.
  var stationWindow: StationWindow? { get }
  /// Average bit rate of the file or stream in kbit/s; nil if unknown.
  var kilobitsPerSecond: Int? { get }
  /// Why the stream is being reconnected, as a sentence; nil if it is not.
  var interruption: String? { get }
  /// Bytes received of the stream, including discarded ones; nil for a file.
  var receivedBytes: Int64? { get }
  /// Whether the track is a stream whose size in bytes the server has stated, as for a podcast's episode.
  var isStreamedFile: Bool { get }
}

extension TrackDecoder {
  /// Does nothing: for decoders that cannot die.
  package func restart(at position: Frames, continuingAt index: UInt64) {}
  /// Does nothing: for decoders that are not monitored.
  package func expectProgress() {}
  /// Does nothing: for files.
  package func retryNow() {}
  /// Nil: for files.
  package var stationWindow: StationWindow? { nil }
  package var kilobitsPerSecond: Int? { nil }
  package var interruption: String? { nil }
  package var receivedBytes: Int64? { nil }
  package var isStreamedFile: Bool { false }
}

/// Settings of streams: buffering, timeouts, proxy.
package struct StreamConditions: Hashable, Sendable {
  /// Bytes kept of each stream.
  package var window = 4 << 20
  /// Duration that must be decoded before playback starts.
  package var start = Seconds(1.5)
  /// Timeout for connecting and for receiving data.
  package var timeout = Seconds(10)
  /// URL of the proxy; empty for none.
  package var proxy = ""
  /// Whether redirects may lead to the box itself and its local network.
  package var allowsPrivateRedirects = false

  /// The defaults.
  package init() {}
}

/// Opens decoders.
package protocol DecoderSource: AnyObject {
  /// Adopts the settings of streams opened from now on.
  func adopt(_ conditions: StreamConditions)
  /// Starts decoding a track; never blocks.
  ///
  /// - Parameters:
  ///   - track: The track.
  ///   - position: The first frame to decode.
  /// - Throws: An error that is known without accessing the storage. Any other, such as a missing file, is reported
  ///   by `failed`.
  func open(_ track: Track, at position: Frames) throws(PlaybackError) -> any TrackDecoder
}

extension DecoderSource {
  /// Does nothing: for sources without streams.
  package func adopt(_ conditions: StreamConditions) {}
}
