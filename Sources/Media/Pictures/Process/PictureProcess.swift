// Queries cover art through separate processes, which can be abandoned if the storage hangs. Called on threads that may
// block for up to 10 s.

import CLinux
import Platform

/// The client side of the picture processes.
package enum PictureProcess {
  /// Timeout of a query in nanoseconds.
  private static let timeoutNanoseconds: UInt64 = 10_000_000_000

  /// Runs a query. Failures are returned as `refused`.
  package static func ask(_ question: PictureQuestion, _ cancellation: Cancellation) -> PictureAnswer {
    let noAnswer = PictureAnswer.refused("its storage does not answer")
    if let storage = question.storage {
      // Too many processes may already be blocked by that storage.
      UnreapedChildren.ofProcess.reap()
      guard !UnreapedChildren.ofProcess.refuses(storage) else { return noAnswer }
    }
    do throws(SystemError) {
      let bytes = try AskedProcess.answer(
        to: question.words(parent: getpid()), on: question.storage, silentFor: timeoutNanoseconds,
        maxBytes: PictureAnswer.maxBytes, cancellation)
      guard let bytes else { return noAnswer }
      return PictureAnswer(bytes) ?? .refused("its file broke what was to read it")
    } catch {
      return .refused(error.description)
    }
  }
}
