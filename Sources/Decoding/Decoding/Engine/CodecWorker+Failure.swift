// Combines the failures of a worker and its fetcher into the failure that the player acts on. Control thread.

import Platform
import Streaming

extension CodecWorker {
  /// The failure to report to the player.
  ///
  /// A fetcher's failure takes precedence, because it is the cause. Once a stream has played, unsupported or
  /// corrupt content counts as a network failure, so that it is retried.
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

  /// Whether a stream that was recognised before now delivers content of another format or damaged content.
  /// It is retried.
  private func isSound(_ kind: WorkerFailure.Kind) -> Bool {
    guard search?.isFound == true else { return false }
    // A damaged file fails at the same place again; a station has moved past it.
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
