// SQL conditions on rows of the index, with their bound values. Pure; any thread.

/// A condition on a row.
struct LibrarySQL {
  let text: String
  let values: [DatabaseValue]

  init(_ text: String, _ values: [DatabaseValue] = []) {
    self.text = text
    self.values = values
  }

  /// All conditions; true if there are none.
  static func all(_ parts: [LibrarySQL]) -> LibrarySQL { joined(parts, by: " AND ", ofNone: "1") }
  /// Any of the conditions; false if there are none.
  static func any(_ parts: [LibrarySQL]) -> LibrarySQL { joined(parts, by: " OR ", ofNone: "0") }

  private static func joined(_ parts: [LibrarySQL], by word: String, ofNone: String) -> LibrarySQL {
    guard !parts.isEmpty else { return LibrarySQL(ofNone) }
    return LibrarySQL("(" + parts.map { $0.text }.joined(separator: word) + ")", parts.flatMap { $0.values })
  }

  /// Matches the rows with one of these paths.
  static func any(of paths: [String]) -> LibrarySQL {
    let marks = Array(repeating: "?", count: paths.count).joined(separator: ", ")
    return LibrarySQL("path IN (" + marks + ")", paths.map { .text($0) })
  }

  /// Matches rows below a folder.
  ///
  /// - Parameters:
  ///   - folder: Path of the folder.
  ///   - isScan: Whether the query scans all rows anyway. Looking most of them up by path would take 1.5 times as long.
  static func beneath(_ folder: String, isScan: Bool = false) -> LibrarySQL {
    let base = folder == "/" ? "" : folder
    // The unary plus prevents SQLite from using the path's index.
    let path = isScan ? "+path" : "path"
    // "0" is the byte after "/".
    return LibrarySQL("(\(path) >= ? AND \(path) < ?)", [.text(base + "/"), .text(base + "0")])
  }

  /// Matches playable tracks.
  static let readable = LibrarySQL("fault = ''")
  /// Matches playable tracks, without files that are replaced by the tracks of a cue sheet.
  static let shown = LibrarySQL("fault = '' AND indexed = 0")
  /// Matches playable tracks, including files whose cue sheet is a separate file.
  static let named = LibrarySQL(
    "fault = '' AND (indexed = 0 OR NOT EXISTS (SELECT 1 FROM track AS part WHERE part.folder = track.path))")
  /// Matches unreadable files.
  static let faulty = LibrarySQL("fault != ''")
}
