// The format, length and tags of a media file, as `Engine.inspect` returns them. A value; any thread.

import Decoding

/// Format, length and tags of a media file. Returned by ``Engine/inspect(_:options:)``.
public struct MediaDescription: Hashable, Sendable {
  /// Name of the format, such as `FLAC`.
  public let format: String
  /// Sample rate in Hz.
  public let rate: Int
  /// Channels in the file. Mono is duplicated and more than two channels are mixed down to stereo.
  public let channels: Int
  /// Bits per sample; 0 for codecs without a fixed bit depth.
  public let bits: Int
  /// Length in frames at the file's own rate; nil if only decoding would reveal it.
  public let frames: Int64?
  /// The title tag; empty if there is none.
  public let title: String
  /// The artist tag; empty if there is none.
  public let artist: String
  /// The album tag; empty if there is none.
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
