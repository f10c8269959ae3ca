// Asks for pictures from processes of their own, which can be given up where the storage hangs. Threads that may wait, for ten seconds at
// worst.

import CLinux
import Platform

/// Pictures by another process.
package enum PictureProcess {
  /// Nanoseconds after which a picture is given up.
  private static let timeoutNanoseconds: UInt64 = 10_000_000_000

  /// Asks for a picture.
  package static func ask(_ question: PictureQuestion, _ cancellation: Cancellation) -> PictureAnswer {
    let noAnswer = PictureAnswer.refused("its storage does not answer")
    if let storage = question.storage {
      // Too many wait for it already.
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
