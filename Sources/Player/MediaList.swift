// Files, folders and playlists as one list of tracks to play. Control thread; looks at names, never into
// media files.

import PlaybackModel
import Platform

/// Expands what a listener named into tracks.
public enum MediaList {
  /// Extensions of files that are picked up in folders. A file that is named itself is always tried.
  static let extensions = [
    "wav", "wave", "aif", "aiff", "aifc", "flac", "oga", "ogg", "opus", "mp3", "mp2", "mp1", "mpga",
  ]
  static let deepestFolder = 16

  /// The paths below `path` in the order people expect: folders within folders, names in natural order. A
  /// path that is no folder is itself.
  public static func expand(_ path: String) throws(SystemError) -> [String] {
    guard Directory.isDirectory(path) else { return [path] }
    var files: [String] = []
    try collect(path, depth: 0, into: &files)
    return files
  }

  private static func collect(_ folder: String, depth: Int, into files: inout [String]) throws(SystemError) {
    guard depth < deepestFolder, files.count < PlayQueue.limit else { return }
    let entries = try Directory.entries(of: folder).sorted { NaturalOrder.isBefore($0.name, $1.name) }
    let base = folder.utf8.last == 0x2F ? folder : folder + "/"
    for entry in entries where !entry.isDirectory && isMedia(entry.name) && files.count < PlayQueue.limit {
      files.append(base + entry.name)
    }
    for entry in entries where entry.isDirectory {
      try collect(base + entry.name, depth: depth + 1, into: &files)
    }
  }

  /// The extension in small letters, without its dot.
  static func fileExtension(of name: String) -> String {
    let bytes = Array(name.utf8)
    guard let dot = bytes.lastIndex(of: 0x2E), dot + 1 < bytes.count, !bytes[dot...].contains(0x2F) else {
      return ""
    }
    return String(decoding: bytes[(dot + 1)...].map(NaturalOrder.folded), as: UTF8.self)
  }

  static func isMedia(_ name: String) -> Bool { extensions.contains(fileExtension(of: name)) }

  /// Whether the name is that of a playlist.
  public static func isPlaylist(_ name: String) -> Bool {
    let suffix = fileExtension(of: name)
    return suffix == "m3u" || suffix == "m3u8" || suffix == "pls"
  }
}

/// The order in which people expect names: `2 b` before `10 a`, capital letters beside small ones.
public enum NaturalOrder {
  /// An ASCII letter in its small form; anything else as it is.
  static func folded(_ byte: UInt8) -> UInt8 { byte >= 0x41 && byte <= 0x5A ? byte + 32 : byte }

  /// Whether `left` comes before `right`. Equal but for leading zeros or case: the bytes decide.
  public static func isBefore(_ left: String, _ right: String) -> Bool {
    let a = Array(left.utf8)
    let b = Array(right.utf8)
    var i = 0
    var j = 0
    while i < a.count, j < b.count {
      if isDigit(a[i]), isDigit(b[j]) {
        let x = number(a, &i)
        let y = number(b, &j)
        if x.count != y.count { return x.count < y.count }
        if x != y { return x.lexicographicallyPrecedes(y) }
      } else {
        let x = folded(a[i])
        let y = folded(b[j])
        if x != y { return x < y }
        i += 1
        j += 1
      }
    }
    if a.count - i != b.count - j { return a.count - i < b.count - j }
    return a.lexicographicallyPrecedes(b)
  }

  private static func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 }

  /// The digits at an index without leading zeros; moves the index past them.
  private static func number(_ bytes: [UInt8], _ index: inout Int) -> ArraySlice<UInt8> {
    while index < bytes.count - 1, bytes[index] == 0x30, isDigit(bytes[index + 1]) { index += 1 }
    let start = index
    while index < bytes.count, isDigit(bytes[index]) { index += 1 }
    return bytes[start..<index]
  }
}
