// What a file is, for those who embed the engine. A value; any thread.

import Decoding

/// What a file is.
public struct MediaDescription: Hashable, Sendable {
  /// What the format is called, such as `FLAC`.
  public let format: String
  /// Frames per second, in Hz.
  public let rate: Int
  /// Channels in the file; more than two are mixed down to two, one becomes two.
  public let channels: Int
  /// Bits per sample, 0 for codecs that have none.
  public let bits: Int
  /// Frames at the file's own rate; nil where only decoding would tell.
  public let frames: Int64?
  /// The title tag, empty where there is none.
  public let title: String
  /// The artist tag, empty where there is none.
  public let artist: String
  /// The album tag, empty where there is none.
  public let album: String

  init(_ info: StreamInfo) {
    format = info.format
    rate = info.sourceRate
    channels = info.channels
    bits = info.bits
    frames = info.sourceFrames
    title = info.tags.title
    artist = info.tags.artist
    album = info.tags.album
  }
}
