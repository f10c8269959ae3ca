// Conditions on the index's rows, as SQL with what is bound to it. Pure; any thread.

/// A condition that a row meets or not.
struct LibrarySQL {
  let text: String
  let values: [DatabaseValue]

  init(_ text: String, _ values: [DatabaseValue] = []) {
    self.text = text
    self.values = values
  }

  /// All of them hold; of none, that is so.
  static func all(_ parts: [LibrarySQL]) -> LibrarySQL { joined(parts, by: " AND ", ofNone: "1") }
  /// One of them holds; of none, that is not so.
  static func any(_ parts: [LibrarySQL]) -> LibrarySQL { joined(parts, by: " OR ", ofNone: "0") }

  private static func joined(_ parts: [LibrarySQL], by word: String, ofNone: String) -> LibrarySQL {
    guard !parts.isEmpty else { return LibrarySQL(ofNone) }
    return LibrarySQL("(" + parts.map { $0.text }.joined(separator: word) + ")", parts.flatMap { $0.values })
  }

  /// One of some files.
  static func any(of paths: [String]) -> LibrarySQL {
    let marks = Array(repeating: "?", count: paths.count).joined(separator: ", ")
    return LibrarySQL("path IN (" + marks + ")", paths.map { .text($0) })
  }

  /// What lies beneath a folder. `isScan`: of rows that are all looked at anyway, one after the other as they lie; looking up most of
  /// them by their paths takes half as long again.
  static func beneath(_ folder: String, isScan: Bool = false) -> LibrarySQL {
    let base = folder == "/" ? "" : folder
    // A sign keeps SQLite from its index.
    let path = isScan ? "+path" : "path"
    // What follows the slash, as bytes.
    return LibrarySQL("(\(path) >= ? AND \(path) < ?)", [.text(base + "/"), .text(base + "0")])
  }

  /// What can be played.
  static let readable = LibrarySQL("fault = ''")
  /// The same without the files in whose place a cue sheet's tracks stand.
  static let shown = LibrarySQL("fault = '' AND indexed = 0")
  /// The same, and files whose sheet lies beside them.
  static let named = LibrarySQL(
    "fault = '' AND (indexed = 0 OR NOT EXISTS (SELECT 1 FROM track AS part WHERE part.folder = track.path))")
  /// What cannot be read.
  static let faulty = LibrarySQL("fault != ''")
}
