// Settings of RFID tags, with their typed values. Pure; any thread.

import Controls
import PlaybackModel

extension SettingTable {
  static let tagPlaying: [SettingDeclaration] = [
    SettingDeclaration(
      .tagsAgain, "tags.again",
      .choice([
        Choice("toggle", "pauses, or plays on"), Choice("next", "goes to the next track"),
        Choice("restart", "begins at the beginning"), Choice("nothing"),
      ]), default: "toggle", "What a tag does that comes again while its music is in the queue."),
    SettingDeclaration(
      .tagsRemoved, "tags.removed",
      .choice([Choice("nothing"), Choice("pause", "plays on when the tag is back"), Choice("stop")]),
      default: "nothing",
      "What happens when a tag is taken from its reader. Readers that are keyboards do not report that; panels and a PN532 do."
    ),
    SettingDeclaration(
      .tagsDebounce, "tags.debounce", .decimal(0...10, decimals: 1, unit: "s"), default: "1.5",
      "How long a tag may be out of a reader's sight without counting as taken away, and how soon the same tag may come again "
        + "without counting as a second swipe. Raise it for a reader that repeats a tag that lies on it."),
    SettingDeclaration(
      .tagsResume, "tags.resume", .onOff, default: "on",
      "A tag's music continues at the track and position where it was left, also after other tags and power cuts. Heard to its end, it "
        + "begins at the beginning."),
  ]
}

extension Settings {
  /// The actions when a tag is placed again, and when it is removed.
  package var tagRules: TagRules {
    TagRules(
      again: TagAgain.allCases.first { $0.name == choice(.tagsAgain) } ?? .toggle,
      removed: TagRemoved.allCases.first { $0.name == choice(.tagsRemoved) } ?? .nothing)
  }
  /// The time in which the same tag counts neither as removed nor as placed again.
  package var tagsDebounce: Seconds { seconds(.tagsDebounce) }
  /// Whether a tag's music resumes at its last position.
  package var tagsResume: Bool { isOn(.tagsResume) }
}
