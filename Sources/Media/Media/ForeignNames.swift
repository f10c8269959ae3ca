// Resolves playlist entries that were written on other systems: backslashes, drive letters, different case, differently
// encoded accents. Runs on any thread that may block on storage. It reads only names.

import Decoding
import Platform

/// Finds the files of playlist entries whose paths do not exist as written.
struct ForeignNames {
  private var names: NamePath

  /// Creates a resolver.
  ///
  /// - Parameters:
  ///   - exists: Whether a path exists.
  ///   - list: Lists a folder; nil if it cannot be read.
  init(
    exists: @escaping (String) -> Bool,
    list: @escaping (String) -> [DirectoryEntry]? = { try? Directory.entries(of: $0) }
  ) {
    names = NamePath(exists: exists, list: list)
  }

  /// The file for an entry; nil if there is none, or more than one.
  ///
  /// Backslashes count as slashes unless a file name contains them. A path with a drive (`D:\\Music\\a.mp3`) is
  /// searched below the playlist's folder, first with all of its folders, then without the first one, and so on. Names
  /// may differ in case and in the encoding of accents.
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

  /// Whether a path starts with a drive letter, as in `file:///D:/Music/a.mp3`.
  static func hasDrive(_ path: String) -> Bool { isDrive(components(path).first) }

  private static func components(_ path: String) -> [String] {
    path.utf8.split(whereSeparator: { $0 == 0x2F || $0 == 0x5C }).map {
      String(decoding: Array($0), as: UTF8.self)
    }
    .filter { $0 != "." }
  }
}
