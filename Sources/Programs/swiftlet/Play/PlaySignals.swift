// Signals of `swiftlet play` as readable descriptors. Main thread.

import Platform

/// Blocks and receives the signals. Create this before the audio thread, which inherits the signal mask, and before the
/// output is opened, so that a signal cannot end the program without closing it.
final class PlaySignals {
  let termination: TerminationSignals
  let continuation: ContinuationSignal

  init() throws(SystemError) {
    termination = try TerminationSignals()
    continuation = try ContinuationSignal()
  }
}
