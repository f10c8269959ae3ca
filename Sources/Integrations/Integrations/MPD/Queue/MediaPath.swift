// Converts between absolute paths and the names of MPD clients, which are relative to the music folder. Pure.

import Platform
import PlaybackModel

/// The configured music folders.
struct MediaPath: Sendable {
  /// Absolute paths without a trailing slash.
  let roots: [String]

  /// Creates the mapping for the folders in the setting `media.root`.
  init(roots: [String]) {
    self.roots = roots.map { root in
      var bytes = Array(root.utf8)
      while bytes.count > 1, bytes.last == 0x2F { bytes.removeLast() }
      return String(decoding: bytes, as: UTF8.self)
    }
  }

  /// The client's name of a path: relative to its music folder. URLs and paths outside of the music folders are
  /// returned unchanged.
  func name(of path: String) -> String {
    for root in roots where path.utf8.starts(with: root.utf8) {
      let rest = path.utf8.dropFirst(root.utf8.count)
      if rest.isEmpty { return "" }
      if rest.first == 0x2F { return String(decoding: rest.dropFirst(), as: UTF8.self) }
      if root == "/" { return String(decoding: rest, as: UTF8.self) }
    }
    return path
  }

  /// The path to look up for a client's name: that of a `file:` URI, without trailing slashes.
  static func asked(_ name: String) -> String {
    var bytes = name.filePathOfURI ?? Array(name.utf8)
    while bytes.count > 1, bytes.last == 0x2F { bytes.removeLast() }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Whether a name cannot lead out of the music folder: relative, without empty parts, `.` and `..`.
  static func isSafe(_ name: String) -> Bool {
    name.utf8.isEmpty
      || name.utf8.split(separator: 0x2F, omittingEmptySubsequences: false).allSatisfy {
        !$0.isEmpty && !$0.elementsEqual(".".utf8) && !$0.elementsEqual("..".utf8)
      }
  }

  /// Whether a name is that of a music file, a cue sheet track, or a URL.
  static func isSong(_ name: String) -> Bool {
    let bytes = Array(name.utf8)
    if let colon = bytes.firstIndex(of: 0x3A), bytes[colon...].starts(with: "://".utf8) { return true }
    guard let dot = bytes.lastIndex(of: 0x2E) else { return false }
    let ending = MPDTag.small(String(decoding: bytes[(dot + 1)...], as: UTF8.self))
    return MusicKind.of(ending: ending) != nil || ending.hasPrefix("cue/track")
  }

  static func lastPart(of path: String) -> String {
    guard let slash = path.utf8.lastIndex(of: 0x2F) else { return path }
    return String(path[path.utf8.index(after: slash)...])
  }

  /// The parent folder of a name; empty for a name at the top level.
  static func folder(of name: String) -> String {
    String(
      decoding: name.utf8.prefix(max(0, name.utf8.count - lastPart(of: name).utf8.count - 1)), as: UTF8.self)
  }

  /// Joins a folder and a name.
  static func joined(_ folder: String, _ name: String) -> String {
    folder.utf8.isEmpty || folder == "/" ? name : folder + "/" + name
  }
}
