// The signals of `swiftlet play` as readable events. Main thread.

import Platform

/// What others ask of the program. Made before the audio thread starts, which takes over what is blocked, and before an output is
/// opened, which is to be closed as a whole.
final class PlaySignals {
  let termination: TerminationSignals
  let continuation: ContinuationSignal

  init() throws(SystemError) {
    termination = try TerminationSignals()
    continuation = try ContinuationSignal()
  }
}
