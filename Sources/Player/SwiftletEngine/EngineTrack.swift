// A track of the engine's queue with its tags. A value; any thread.

import PlaybackModel

/// One entry of the queue. Two entries of the same file are two tracks.
public struct EngineTrack: Hashable, Sendable {
  /// Identifier, unique within the engine's lifetime.
  public let id: UInt64
  /// The file's path as given, or as found in a folder or playlist.
  public let path: String
  /// The title tag; nil if there is none or the file has not been opened yet.
  public let title: String?
  /// The artist tag; nil if there is none or the file has not been opened yet.
  public let artist: String?
  /// The album tag; nil if there is none or the file has not been opened yet.
  public let album: String?
  /// The length in seconds; nil if the file has not been opened yet or does not state it.
  public let duration: Double?

  /// The name to display: the title, or else the file name.
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
