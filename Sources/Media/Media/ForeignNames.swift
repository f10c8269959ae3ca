// Entries of playlists that other systems wrote: backslashes, drives, capitals, accents. Any thread that may wait for storage; looks at
// names, never into files.

import Decoding
import Platform

/// Finds the files that entries of a playlist mean whose paths do not exist as they are written.
struct ForeignNames {
  private var names: NamePath

  /// - Parameter exists: Whether a path exists.
  init(
    exists: @escaping (String) -> Bool,
    list: @escaping (String) -> [DirectoryEntry]? = { try? Directory.entries(of: $0) }
  ) {
    names = NamePath(exists: exists, list: list)
  }

  /// The path that an entry means; nil where there is none, or more than one.
  ///
  /// Backslashes are slashes where no file has them in its name. A path with a drive (`D:\\Music\\a.mp3`) is looked for below the playlist's
  /// folder, from its first folder on, then from its second one. Names may differ in the case of letters and in how accents are encoded.
  ///
  /// - Parameters:
  ///   - path: The entry as a path.
  ///   - folder: The playlist's folder.
  mutating func path(for path: String, in folder: String) -> String? {
    var components = Self.components(path)
    let own = Self.components(folder)
    let isRelative = path.utf8.first != 0x2F && path.utf8.first != 0x5C
    let isInside =
      components.count > own.count && zip(components, own).allSatisfy { $0.utf8.elementsEqual($1.utf8) }
    if isInside { components.removeFirst(own.count) }
    let isBelow = isInside && (!own.isEmpty || isRelative)
    let hasDrive = Self.isDrive(components.first)
    if hasDrive { components.removeFirst() }
    guard !components.isEmpty, components.count <= NamePath.maxDepth else { return nil }
    for first in 0..<(hasDrive ? components.count : 1) {
      let start = isBelow || hasDrive ? folder.utf8.isEmpty ? "." : folder : "/"
      if case .found(let path) = names.follow(components[first...], from: start) {
        return MediaList.normalized(path)
      }
    }
    return nil
  }

  private static func isDrive(_ component: String?) -> Bool {
    component.map { $0.utf8.count == 2 && $0.utf8.last == 0x3A } ?? false
  }

  /// Whether a path begins with a drive, as that of `file:///D:/Music/a.mp3`.
  static func hasDrive(_ path: String) -> Bool { isDrive(components(path).first) }

  private static func components(_ path: String) -> [String] {
    path.utf8.split(whereSeparator: { $0 == 0x2F || $0 == 0x5C }).map {
      String(decoding: Array($0), as: UTF8.self)
    }
    .filter { $0 != "." }
  }
}
