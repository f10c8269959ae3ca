// Matches a typed name in one music folder, tolerating case and accents. Computed in a look-up process, which may block
// on storage; a plain value elsewhere.

import CLinux
import Decoding
import Platform

/// Result of matching a typed name in one music folder.
package enum NameMatch: Hashable, Sendable {
  case there
  /// A symbolic link leads out of the music folders, and is not followed.
  case outside
  /// The path of the only file or folder whose name differs just in case or in the encoding of accents.
  case alike(String)
  /// The folder is empty; its storage may be unmounted.
  case away
  /// No file or folder matches. `suggestion` is the nearest name, or nil.
  case missing(suggestion: String?)

  /// Matches a name in the first root. The other roots are folders that links may lead to.
  ///
  /// - Parameters:
  ///   - name: A path, absolute or relative to the root.
  ///   - roots: The music folders; only the first one is searched.
  package init(_ name: String, within roots: MediaRoots) {
    self.init(
      name, within: roots, locate: { $1.locate($0) }, leadsOut: { Self.leadsOut($0, $1) },
      list: { path in
        guard (try? roots.open(path, O_RDONLY | O_DIRECTORY)) != nil else { return nil }
        return try? Directory.entries(of: path)
      })
  }

  /// Matches a name with replaceable file system functions.
  package init(
    _ name: String, within roots: MediaRoots, locate: @escaping (String, MediaRoots) -> String?,
    leadsOut: (String, MediaRoots) -> Bool = { _, _ in false },
    list: @escaping (String) -> [DirectoryEntry]?
  ) {
    let root = roots.folders.first ?? "/"
    let isAbsolute = name.utf8.first == 0x2F
    guard locate(name, isAbsolute ? roots : MediaRoots([root])) == nil else {
      self = .there
      return
    }
    if leadsOut(isAbsolute ? name : Directory.path(of: name, in: root), roots) {
      self = .outside
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

  /// Whether a path in a root is refused because a link or `..` leads out of it.
  private static func leadsOut(_ path: String, _ roots: MediaRoots) -> Bool {
    guard roots.root(of: path) != nil else { return false }
    do throws(SystemError) {
      _ = try roots.open(path, CLINUX_O_PATH)
      return false
    } catch {
      return error.code == EXDEV || error.code == ELOOP
    }
  }

  /// The path with the nearest name for the first component that does not match, and as many of the following
  /// components as exist.
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
