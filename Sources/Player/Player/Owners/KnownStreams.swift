// Remembers streams that have played, so that wrong content from them is retried like a network failure. Control
// thread only.

import PlaybackModel

/// The addresses of streams that were audible, or that the box starts without the user.
///
/// When the user starts an address for the first time, unusable content means that it is not a stream. Later the same
/// content means that the server is out of order or hidden behind a captive portal, so it is retried.
struct KnownStreams {
  /// Maximum number of addresses; the oldest is dropped.
  static let maxCount = 64

  private var paths: [String] = []

  /// Remembers the track's address if it is a stream.
  mutating func note(_ track: Track) {
    guard track.path.isURI, !paths.contains(track.path) else { return }
    if paths.count == Self.maxCount { paths.removeFirst() }
    paths.append(track.path)
  }

  /// Reclassifies an error: for a known stream, unusable content and refusals become network failures.
  ///
  /// - Parameters:
  ///   - error: The error of the track.
  ///   - isFile: Whether the server has stated the size of the stream in bytes.
  func explained(_ error: PlaybackError, _ track: Track, isFile: Bool = false) -> PlaybackError {
    let mayPass =
      switch error.kind {
      case .unsupportedFormat, .refused: true
      // A file is damaged or cut off; a live stream has sent something else.
      case .corrupt, .protected: track.length == nil && !isFile
      default: false
      }
    guard mayPass, paths.contains(track.path) else { return error }
    return PlaybackError(.network, path: error.path, detail: error.detail)
  }
}
