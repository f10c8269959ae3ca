// Streams that do not have to prove any more that they are sound. Control thread only.

import PlaybackModel

/// The addresses of streams that were heard, or that the box starts by itself.
///
/// Only a person's first start shows whether an address is one of music. Later, a server that sends something else is out of order, or
/// stands behind the page of a hotel's network: it is asked again.
struct KnownStreams {
  /// Addresses that are kept; the oldest go.
  static let maxCount = 64

  private var paths: [String] = []

  /// Takes note of a track that is heard, or that the box starts by itself. Files are of no interest.
  mutating func note(_ track: Track) {
    guard track.path.isURI, !paths.contains(track.path) else { return }
    if paths.count == Self.maxCount { paths.removeFirst() }
    paths.append(track.path)
  }

  /// What a failure means: for a known stream, content that is none and refusals are failures of the network.
  func explained(_ error: PlaybackError, _ track: Track) -> PlaybackError {
    let mayPass =
      switch error.kind {
      case .unsupportedFormat, .refused: true
      // A file of known length is damaged; a station has sent something else.
      case .corrupt, .protected: track.length == nil
      default: false
      }
    guard mayPass, paths.contains(track.path) else { return error }
    return PlaybackError(.network, path: error.path, detail: error.detail)
  }
}
