// A light of /sys/class/leds in memory, with the behavior of the kernel's triggers. Test threads.

import Controls
import Foundation
import Platform

/// A light's folder.
final class FakeLight: LightFolder {
  var triggers = ["none", "timer", "pattern", "mmc0"]
  var trigger: String
  var files: [String: String]
  /// All writes, as `file=text`.
  private(set) var writes: [String] = []
  var error: SystemError?
  /// Files for which udev has not set the permissions yet.
  var refused: Set<String> = []

  init(
    maximum: Int = 255, trigger: String = "none", triggers: [String] = ["none", "timer", "pattern", "mmc0"]
  ) {
    self.triggers = triggers
    self.trigger = trigger
    files = ["brightness": "0\n", "max_brightness": "\(maximum)\n"]
  }

  var brightness: Int { Int(files["brightness"]!.trimmingCharacters(in: .whitespacesAndNewlines))! }

  func text(of file: String) throws(SystemError) -> String {
    if let error { throw error }
    if file == "trigger" {
      return triggers.map { $0 == trigger ? "[\($0)]" : $0 }.joined(separator: " ") + "\n"
    }
    guard let text = files[file] else { throw failure(ENOENT) }
    return text
  }

  func write(_ text: String, to file: String) throws(SystemError) {
    if let error { throw error }
    if refused.contains(file) { throw failure(EACCES) }
    if file == "trigger" {
      guard triggers.contains(text) else { throw failure(EINVAL) }
      trigger = text
      for own in ["delay_on", "delay_off", "pattern"] { files[own] = nil }
      if text == "none" { files["brightness"] = "0" }
      if text == "timer" { (files["delay_on"], files["delay_off"]) = ("500", "500") }
      if text == "pattern" { files["pattern"] = "" }
    } else {
      guard files[file] != nil else { throw failure(ENOENT) }
      files[file] = text
    }
    writes.append("\(file)=\(text)")
  }
}
