// To whom an integration says how it stands: the box that has started it, or a person at a terminal. Main thread.

import Integrations
import Platform

/// Where an integration's words go.
struct ServeReports {
  /// Whether a box has started it, with which it ends.
  private(set) var hasParent = false

  /// Reads the option `--parent`, which the box gives. False where that box is gone.
  mutating func readParent(_ words: inout OptionWords) throws(UsageError) -> Bool {
    guard let parent = Int32(try words.value()), ChildProcess.dieWithParent(parent) else { return false }
    hasParent = true
    return true
  }

  /// How it stands by now.
  func say(_ text: String, isTrouble: Bool) {
    if hasParent {
      IntegrationVoice.say(isTrouble ? .trouble(text) : .standing(text))
    } else {
      TextOutput.standardError.line("swiftlet serve: \(text).")
    }
  }

  /// Something for the log, without a full stop.
  func note(_ text: String) {
    if hasParent {
      IntegrationVoice.say(.note(text))
    } else {
      TextOutput.standardError.line("swiftlet serve: \(text).")
    }
  }

  /// Why it cannot serve, in whole sentences or without the last one's full stop; answers the exit status.
  func giveUp(_ reason: String) -> Int32 {
    if hasParent { IntegrationVoice.say(.exitReason(reason)) }
    TextOutput.standardError.line("swiftlet serve: \(reason)" + (reason.utf8.last == 0x2E ? "" : "."))
    return 69
  }
}
