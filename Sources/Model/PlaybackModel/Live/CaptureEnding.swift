// Why the capture of a device has ended, as the exit status of its process: all that it can say, because its output is the sound. A pure
// value; any thread.

/// What could not be done with a captured device, and the system's reason.
package struct CaptureEnding: Equatable, Sendable {
  /// What was tried.
  package enum Step: Int32, CaseIterable, Sendable {
    case opening = 1, configuring, capturing
  }

  /// What was tried.
  package let step: Step
  /// The error number; 0 for one that is none of the system's.
  package let code: Int32

  /// An ending for an error number, or a negative one as ALSA has them.
  package init(_ step: Step, code: Int32) {
    self.step = step
    let code = code.magnitude
    self.code = code < 64 ? Int32(code) : 0
  }

  /// What an exit status says; nil for one that is of something else.
  package init?(status: Int32) {
    guard let step = Step(rawValue: status / 64) else { return nil }
    self.init(step, code: status % 64)
  }

  /// The exit status: the step times 64, and the error number.
  package var status: Int32 { step.rawValue * 64 + code }
}
