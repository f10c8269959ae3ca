// Tag events of a reader called door. Test threads.

import Controls
import PlaybackModel

enum TagInputs {
  static func placed(_ text: String) -> TagInput? {
    guard let tag = TagID(text), let reader = ControlName("door") else { return nil }
    return .placed(tag, on: reader)
  }

  static func lifted() -> TagInput? { ControlName("door").map { .lifted(from: $0) } }
}
