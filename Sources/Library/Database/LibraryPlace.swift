// Paths of the index: absolute, compared as bytes. Pure; any thread.

/// Folders and what lies beneath them.
enum LibraryPlace {
  /// The bounds of all paths beneath a folder, the second one not among them.
  static func range(beneath folder: String) -> (low: String, high: String) {
    let base = folder == "/" ? "" : folder
    // What follows the slash, as bytes.
    return (base + "/", base + "0")
  }

  /// A name within a folder.
  static func joined(_ folder: String, _ name: String) -> String {
    folder.utf8.last == 0x2F ? folder + name : folder + "/" + name
  }

  /// The last part of a path.
  static func name(of path: String) -> String {
    guard let slash = path.utf8.lastIndex(of: 0x2F) else { return path }
    return String(path[path.utf8.index(after: slash)...])
  }
}
