// Names of media as clients of MPD have them: relative to the folder with the music. Pure.

import PlaybackModel

/// The folders with the music, as the box is set to them.
struct MediaPath: Sendable {
  /// Absolute, without a slash at the end.
  let roots: [String]

  /// The folders of `media.root`, as `show media.root` tells them.
  init(roots: [String]) {
    self.roots = roots.map { root in
      var bytes = Array(root.utf8)
      while bytes.count > 1, bytes.last == 0x2F { bytes.removeLast() }
      return String(decoding: bytes, as: UTF8.self)
    }
  }

  /// What clients call a path: without its root. Addresses and what lies in no root keep their names.
  func name(of path: String) -> String {
    for root in roots where path.utf8.starts(with: root.utf8) {
      let rest = path.utf8.dropFirst(root.utf8.count)
      if rest.isEmpty { return "" }
      if rest.first == 0x2F { return String(decoding: rest.dropFirst(), as: UTF8.self) }
      if root == "/" { return String(decoding: rest, as: UTF8.self) }
    }
    return path
  }

  /// What the box looks for by a name that a client gives: the same, without a slash at the end; `file://` is taken off.
  static func asked(_ name: String) -> String {
    var bytes = Array(name.utf8)
    if bytes.starts(with: "file://".utf8) { bytes.removeFirst(7) }
    while bytes.count > 1, bytes.last == 0x2F { bytes.removeLast() }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Whether a client's name leads nowhere outside of the music: relative, without empty parts, `.` and `..`.
  static func isSafe(_ name: String) -> Bool {
    name.utf8.isEmpty
      || name.utf8.split(separator: 0x2F, omittingEmptySubsequences: false).allSatisfy {
        !$0.isEmpty && !$0.elementsEqual(".".utf8) && !$0.elementsEqual("..".utf8)
      }
  }

  /// Whether a name is that of a song, or of a track of a cue sheet, or an address.
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

  /// The folder of a name; nothing for what lies in none.
  static func folder(of name: String) -> String {
    String(
      decoding: name.utf8.prefix(max(0, name.utf8.count - lastPart(of: name).utf8.count - 1)), as: UTF8.self)
  }

  /// A name within a folder.
  static func joined(_ folder: String, _ name: String) -> String {
    folder.utf8.isEmpty || folder == "/" ? name : folder + "/" + name
  }
}
