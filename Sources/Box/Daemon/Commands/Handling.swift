// How the command dispatch answers a command. Control thread.

import Console
import Platform

/// How a command is carried out.
enum Handling {
  /// It is done.
  ///
  /// - whenStored: The file that the command has changed; callers that can wait get the reply once it is written.
  case done(Reply, whenStored: (any StoredState)? = nil)
  /// It needs storage.
  ///
  /// - beginning: Reply for callers that need one at once.
  /// - start: Starts the work and calls back once with the final reply, possibly before it returns.
  case waits(
    beginning: String = "looking it up", start: (Cancellation, @escaping (Reply) -> Void) -> Void)
}
