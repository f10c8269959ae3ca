// Queries cover art through separate processes, which can be abandoned if the storage hangs. Called on threads that may
// block for up to 10 s.

import Platform

/// The client side of the picture processes.
package enum PictureProcess {
  /// Runs a query. Failures are returned as `refused`.
  package static func ask(_ question: PictureQuestion, _ cancellation: Cancellation) -> PictureAnswer {
    do throws(HelperFailure) {
      return try HelperProcess.answer(to: question, cancellation)
    } catch {
      return .refused(error == .broken ? "its file broke what was to read it" : error.reason)
    }
  }
}
