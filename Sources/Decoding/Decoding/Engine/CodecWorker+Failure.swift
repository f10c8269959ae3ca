// What a failure of a worker means for its stream. Control thread.

import Platform
import Streaming

extension CodecWorker {
  /// The failure as the player is to see it: its fetcher's, where that has failed, and one of the network, where a stream that was understood
  /// before sends something else.
  func explained(_ failure: WorkerFailure) -> WorkerFailure {
    if let failure = fetcher?.failure {
      let kind = Self.kind(of: failure)
      return isSound(kind) ? WorkerFailure(.network, failure.sentence) : WorkerFailure(kind, failure.sentence)
    }
    if isSound(failure.kind) { return WorkerFailure(.network, failure.sentence) }
    guard failure.kind == .unsupportedFormat, let type = fetcher?.stream?.contentType, !type.utf8.isEmpty
    else {
      return failure
    }
    return WorkerFailure(
      failure.kind, ("The server sends \(type). " + failure.sentence).printable(limit: Limits.sentence - 1))
  }

  /// Whether a failure is about sound that was understood before: its source has changed, or sends what is none, and is asked again.
  private func isSound(_ kind: WorkerFailure.Kind) -> Bool {
    guard search?.isFound == true else { return false }
    // A file is damaged where it is; a station is somewhere else by then.
    return kind == .unsupportedFormat || kind == .corrupt && fetcher?.holding != nil
  }

  private static func kind(of failure: FetchFailure) -> WorkerFailure.Kind {
    switch failure.kind {
    case .bytes: failure.remedy == .nothing ? .refused : .network
    case .format: .unsupportedFormat
    case .protection: .protected
    }
  }
}
