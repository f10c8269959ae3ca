// Status output of an integration: reports to the daemon that has started it, or messages on a terminal. Main thread.

import Integrations
import Platform

/// Destination of an integration's messages.
struct ServeReports {
  /// Whether the daemon has started this process, which then ends with the daemon.
  private(set) var hasParent = false

  /// Reads the option `--parent`, which the daemon passes.
  ///
  /// - Returns: False if that daemon no longer runs.
  /// - Throws: `UsageError` if the value is missing.
  mutating func readParent(_ words: inout OptionWords) throws(UsageError) -> Bool {
    guard let parent = Int32(try words.value()), ChildProcess.dieWithParent(parent) else { return false }
    hasParent = true
    return true
  }

  /// Reports the integration's current state.
  func say(_ text: String, isTrouble: Bool) {
    if hasParent {
      IntegrationVoice.say(isTrouble ? .trouble(text) : .standing(text))
    } else {
      TextOutput.standardError.line("swiftlet serve: \(text).")
    }
  }

  /// Reports a message for the log, without a full stop.
  func note(_ text: String) {
    if hasParent {
      IntegrationVoice.say(.note(text))
    } else {
      TextOutput.standardError.line("swiftlet serve: \(text).")
    }
  }

  /// Reports why the integration cannot run, with or without the final full stop.
  ///
  /// - Returns: The exit status.
  func giveUp(_ reason: String) -> Int32 {
    if hasParent { IntegrationVoice.say(.exitReason(reason)) }
    TextOutput.standardError.line("swiftlet serve: \(reason)" + (reason.utf8.last == 0x2E ? "" : "."))
    return 69
  }
}
