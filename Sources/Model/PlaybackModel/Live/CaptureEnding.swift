// Exit status of the capture process, which encodes why it ended; its standard output carries audio. A pure value; any
// thread.

/// The failed step of a capture and the system's error number.
package struct CaptureEnding: Equatable, Sendable {
  /// A step of the capture.
  package enum Step: Int32, CaseIterable, Sendable {
    case opening = 1, configuring, capturing
  }

  /// The step that failed.
  package let step: Step
  /// The error number; 0 if the system gave none.
  package let code: Int32

  /// An ending with an error number, which may be negative as in ALSA.
  package init(_ step: Step, code: Int32) {
    self.step = step
    let code = code.magnitude
    self.code = code < 64 ? Int32(code) : 0
  }

  /// Decodes an exit status; nil if it has no such meaning.
  package init?(status: Int32) {
    guard let step = Step(rawValue: status / 64) else { return nil }
    self.init(step, code: status % 64)
  }

  /// The exit status: step × 64 + error number.
  package var status: Int32 { step.rawValue * 64 + code }
}
