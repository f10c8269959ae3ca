// Settings of the bookmarks in long tracks, with their typed values. Pure; any thread.

import PlaybackModel

extension SettingTable {
  static let bookmarks: [SettingDeclaration] = [
    SettingDeclaration(
      .bookmarksMinimumLength, "bookmarks.minimum-length", .integer(1...600, unit: "min"),
      or: Choice("off", "no bookmarks"), default: "20",
      "Tracks at least this long, such as audio books, continue where they were left.")
  ]
}

extension Settings {
  /// The shortest track that gets a bookmark; nil: no bookmarks.
  package var bookmarkLength: Seconds? {
    integer(.bookmarksMinimumLength).map { Seconds(Double($0) * 60) }
  }
}
