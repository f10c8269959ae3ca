// The meanings of lights and cues, for docs/using/lights.md and `help lights`, generated from the tables of states,
// errors and settings.
// Pure; any thread.

import PlaybackModel

/// The generated part of docs/using/lights.md. A test compares it with the file.
package enum LightReference {
  /// The first line of the generated part.
  package static let mark =
    "<!-- Written by `swiftlet help --lights`; everything from here on is generated. -->"

  /// The generated part, including its first line.
  package static var markdown: String {
    var text =
      mark
      + "\n\n## Meanings\n\nThe lights by the names that `status` gives them, as `help lights` lists them.\n\n"
      + "| light | state or error | cue |\n|---|---|---|\n"
    for entry in IndicatorTable.meanings {
      text +=
        "| " + entry.indicator.text + " | " + entry.text + " | " + (entry.cue.map { "`" + $0 + "`" } ?? "")
        + " |\n"
    }
    text +=
      "\n## Cues\n\nA file can take the place of each: `set cues.NAME PATH`.\n\n| cue | sounds |\n|---|---|\n"
    for (_, name, moment) in SettingTable.cueMoments { text += "| `" + name + "` | " + moment + " |\n" }
    return text
  }

  /// The rows of `help lights`.
  static var rows: [Row] {
    let width = 24
    var rows = IndicatorTable.meanings.map { entry in
      let light = entry.indicator.text
      return Row(
        light + String(repeating: " ", count: max(1, width - light.utf8.count)) + entry.text
          + (entry.cue.map { " (cue " + $0 + ")" } ?? ""),
        [
          Field("light", light), Field("meaning", entry.text),
          Field("cue", entry.cue.map { .text($0) } ?? .none),
        ], hanging: width)
    }
    rows.append(Row("cues:"))
    rows += SettingTable.cueMoments.map { _, name, moment in
      Row(
        name + String(repeating: " ", count: max(1, width - name.utf8.count)) + moment,
        [Field("cue", name), Field("sounds", moment)], hanging: width)
    }
    return rows
  }
}
