// Entries of playlists that other systems wrote: backslashes, drives, capitals, accents. Any thread that may wait for storage; looks at
// names, never into files.

import Decoding
import Platform

/// Finds the files that entries of a playlist mean whose paths do not exist as they are written.
struct ForeignNames {
  /// Folders whose names are kept. Entries of more folders stay missing.
  private static let maxFolders = 64
  /// Components of an entry that are followed.
  private static let maxDepth = 16

  /// Whether a path exists.
  let exists: (String) -> Bool
  /// Lists a folder; nil where it cannot be read.
  var list: (String) -> [DirectoryEntry]? = { try? Directory.entries(of: $0) }
  /// The names of a folder by their folded form; canonically equivalent forms are one key.
  private var listings: [String: [String: [String]]] = [:]

  init(exists: @escaping (String) -> Bool) { self.exists = exists }

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
    guard !components.isEmpty, components.count <= Self.maxDepth else { return nil }
    for first in 0..<(hasDrive ? components.count : 1) {
      if let found = follow(components[first...], from: isBelow || hasDrive ? folder : "/") { return found }
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

  private mutating func follow(_ components: ArraySlice<String>, from folder: String) -> String? {
    var path = folder.utf8.isEmpty ? "." : folder
    for component in components {
      if component == ".." {
        path = Directory.path(of: component, in: path)
        continue
      }
      let exact = Directory.path(of: component, in: path)
      if exists(exact) {
        path = exact
        continue
      }
      let alike = names(like: component, in: path)
      guard alike.count == 1 else { return nil }
      path = Directory.path(of: alike[0], in: path)
    }
    return exists(path) ? MediaList.normalized(path) : nil
  }

  private mutating func names(like name: String, in folder: String) -> [String] {
    if listings[folder] == nil {
      guard listings.count < Self.maxFolders else { return [] }
      var names: [String: [String]] = [:]
      for entry in list(folder) ?? [] {
        names[TextFolding.folded(entry.name), default: []].append(entry.name)
      }
      listings[folder] = names
    }
    return listings[folder]?[TextFolding.folded(name)] ?? []
  }
}
