// The match of a typed name in one folder with music. Made by a look-up process, which waits for the storage; a value elsewhere.

import Decoding
import Platform

/// The match of a typed name in one folder with music.
package enum NameMatch: Hashable, Sendable {
  case there
  /// The path of the one file or folder whose name differs in the case of letters or the encoding of accents only.
  case alike(String)
  /// The folder holds nothing: its storage is away, or it is empty.
  case away
  /// No file or folder matches. `suggestion`: the nearest name; nil where none is near.
  case missing(suggestion: String?)

  /// Looks for a name in the first of the roots: the folder that is meant. The others are folders that links may lead to.
  ///
  /// - Parameters:
  ///   - name: A path, absolute or from the root on.
  ///   - roots: The folders that media may come from; the first one is looked into.
  package init(_ name: String, within roots: MediaRoots) {
    self.init(
      name, within: roots, locate: { $1.locate($0) },
      list: { path in
        guard (try? roots.open(path, 0)) != nil else { return nil }
        return try? Directory.entries(of: path)
      })
  }

  /// Looks for a name by functions that locate and list.
  package init(
    _ name: String, within roots: MediaRoots, locate: @escaping (String, MediaRoots) -> String?,
    list: @escaping (String) -> [DirectoryEntry]?
  ) {
    let root = roots.folders.first ?? "/"
    let isAbsolute = name.utf8.first == 0x2F
    guard locate(name, isAbsolute ? roots : MediaRoots([root])) == nil else {
      self = .there
      return
    }
    var names = NamePath(exists: { locate($0, roots) != nil }, list: list)
    guard !names.names(in: root).isEmpty else {
      self = .away
      return
    }
    var parts = name.utf8.split(separator: 0x2F).map { String(decoding: Array($0), as: UTF8.self) }
    if isAbsolute { parts.removeFirst(min(parts.count, root.utf8.split(separator: 0x2F).count)) }
    switch names.follow(parts[...], from: root) {
    case .found(let path): self = .alike(path)
    case .stopped(let index, let folder):
      let near = Self.near(parts, from: index, in: folder, &names)
      let inside = isAbsolute ? near : near.map { Self.relative($0, to: root) }
      self = .missing(suggestion: inside)
    }
  }

  /// The path with the nearest name where the names cease to lead on, and what follows it as far as that is there.
  private static func near(
    _ parts: [String], from index: Int, in folder: String, _ names: inout NamePath
  ) -> String? {
    guard index < parts.count, parts.count <= NamePath.maxDepth,
      let near = NearestWord.name(to: parts[index], among: names.names(in: folder))
    else { return nil }
    let path = Directory.path(of: near, in: folder)
    var rest = parts[(index + 1)...]
    while !rest.isEmpty {
      if case .found(let whole) = names.follow(rest, from: path) { return whole }
      rest = rest.dropLast()
    }
    return path
  }

  private static func relative(_ path: String, to root: String) -> String {
    String(
      decoding: path.utf8.dropFirst(root.utf8.count).drop { $0 == 0x2F }, as: UTF8.self)
  }
}
