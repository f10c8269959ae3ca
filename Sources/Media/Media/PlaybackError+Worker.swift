// Converts a worker's failure to a playback error. Any thread.

import Decoding
import PlaybackModel

extension PlaybackError {
  /// Converts a worker's failure; its sentence becomes the detail.
  package init(_ failure: WorkerFailure, path: String) {
    let kind: PlaybackError.Kind =
      switch failure.kind {
      case .missing: .missing
      case .away: .storageRemoved
      case .unreadable: .unreadable
      case .unsupportedFormat: .unsupportedFormat
      case .corrupt: .corrupt
      case .protected: .protected
      case .decoderCrashed: .decoderCrashed
      case .decoderHung: .decoderHung
      case .decoderBrokeSandbox: .decoderBrokeSandbox
      case .internalError: .internal
      case .network: .network
      case .refused: .refused
      }
    self.init(kind, path: path, detail: failure.sentence)
  }
}
