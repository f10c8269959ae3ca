// The folders that media files may be opened from. Any thread; `open` and `locate` block on the storage.

import CLinux
import Platform

/// A list of root folders for media files, or no restriction.
package struct MediaRoots: Sendable, Hashable {
  /// Maximum number of folders.
  package static let limit = 16

  /// Absolute paths without a trailing slash. Empty means no restriction.
  package let folders: [String]

  /// No restriction, for a terminal user who could open the files directly as well.
  package static var everywhere: MediaRoots { MediaRoots([]) }

  /// Creates a restriction to folders.
  ///
  /// - Parameter folders: Absolute paths, of which the first 16 are used. Empty means no restriction.
  package init(_ folders: [String]) {
    self.folders = folders.prefix(Self.limit).map { folder in
      var bytes = Array(folder.utf8)
      while bytes.count > 1, bytes.last == 0x2F { bytes.removeLast() }
      return String(decoding: bytes, as: UTF8.self)
    }
  }

  /// Returns the list with a folder moved or inserted in front.
  package func leading(with folder: String) -> MediaRoots {
    MediaRoots([folder] + folders.filter { $0 != folder })
  }

  /// The location of a path, determined from its text without accessing storage; nil if it is outside all
  /// roots.
  package func place(of path: String) -> MediaPlace? {
    guard !folders.isEmpty else { return MediaPlace(anywhere: path) }
    for root in folders {
      let prefix = Array((root == "/" ? "/" : root + "/").utf8)
      guard path.utf8.starts(with: prefix) else { continue }
      let rest = path.utf8.dropFirst(prefix.count)
      return MediaPlace(beneath: root, rest.isEmpty ? "." : String(decoding: Array(rest), as: UTF8.self))
    }
    return folders.contains(path) ? MediaPlace(beneath: path, ".") : nil
  }

  /// The root that contains a path, determined from its text without accessing storage; nil if there is none.
  package func root(of path: String) -> String? { place(of: path)?.root }

  /// The root whose storage holds a name, if there is only one candidate; nil if it may be any.
  package func storage(of name: String) -> String? { folders.count == 1 ? folders[0] : root(of: name) }

  /// The roots for a name in a setting, tag, alarm or playlist. Cue sounds may be outside the media roots: the
  /// folder of such a file is its root.
  ///
  /// - Parameter name: An absolute path, or a path relative to one of the roots.
  package func covering(_ name: String) -> MediaRoots {
    guard name.utf8.first == 0x2F, root(of: name) == nil else { return self }
    return MediaRoots([AtomicFile.folder(of: name)])
  }

  /// The roots that may have a name: the one of an absolute path, or else all.
  package func candidates(for name: String) -> [String] {
    name.utf8.first == 0x2F ? root(of: name).map { [$0] } ?? [] : folders
  }

  /// Opens a path. Blocks on the storage.
  ///
  /// - Parameters:
  ///   - path: An absolute path in one of the roots.
  ///   - flags: As of open(2).
  /// - Throws: EXDEV if the path leaves its root by `..` or a symbolic link (openat2(2)).
  package func open(_ path: String, _ flags: Int32) throws(SystemError) -> FileDescriptor {
    guard let place = place(of: path) else { throw SystemError("open", on: path, code: EXDEV) }
    return try place.open(flags)
  }

  /// Resolves a name that the user entered. Blocks on the storage.
  ///
  /// - Parameter name: An absolute path, or a path relative to one of the roots.
  /// - Returns: An absolute path, from the first root that has it; without roots the name itself. Nil if it
  ///   cannot be opened.
  package func locate(_ name: String) -> String? {
    if name.utf8.first == 0x2F { return canReach(name) ? name : nil }
    guard !folders.isEmpty else { return canReach(name) ? name : nil }
    for folder in folders where canReach(folder + "/" + name) { return folder + "/" + name }
    return nil
  }

  /// A track of a cue sheet is reachable if the sheet is.
  private func canReach(_ path: String) -> Bool {
    isThere(path) || SheetTrack(path).map { isThere($0.sheet) } ?? false
  }

  private func isThere(_ path: String) -> Bool {
    do throws(SystemError) {
      _ = try open(path, CLINUX_O_PATH)
      return true
    } catch {
      return false
    }
  }
}
