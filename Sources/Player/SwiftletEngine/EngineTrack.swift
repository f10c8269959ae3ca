// A track of an engine's queue, for those who embed it. A value; any thread.

import PlaybackModel

/// One entry of the queue. Two entries of the same file are two tracks.
public struct EngineTrack: Hashable, Sendable {
  /// Another one for each entry, for as long as the engine lives.
  public let id: UInt64
  /// The file, as it was named or found.
  public let path: String
  /// The title tag; nil where there is none, or no decoder has opened the file yet.
  public let title: String?
  /// The artist tag, likewise.
  public let artist: String?
  /// The album tag, likewise.
  public let album: String?
  /// The length in seconds, once a decoder has opened the file, and where the file says it.
  public let duration: Double?

  /// What to show for it: the title, or else the name of the file.
  public let name: String

  init(_ track: Track, rate: SampleRate) {
    id = track.id
    path = track.path
    title = track.title
    artist = track.artist
    album = track.album
    duration = track.length.map { rate.seconds($0).value }
    name = track.displayName
  }
}
