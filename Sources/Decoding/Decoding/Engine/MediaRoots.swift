// The folders that media may come from. Any thread; `open` and `locate` wait for the storage.

import CLinux
import Platform

/// Where files may be opened: everywhere, or beneath some folders only.
package struct MediaRoots: Sendable, Hashable {
  /// Folders at most.
  package static let limit = 16

  /// The folders, absolute, without a slash at the end. Empty: everywhere.
  package let folders: [String]

  /// No restriction: for a person at a terminal, who could open the file as well.
  package static var everywhere: MediaRoots { MediaRoots([]) }

  /// Restricts to folders.
  ///
  /// - Parameter folders: Absolute paths, of which the first 16 count; none is no restriction.
  package init(_ folders: [String]) {
    self.folders = folders.prefix(Self.limit).map { folder in
      var bytes = Array(folder.utf8)
      while bytes.count > 1, bytes.last == 0x2F { bytes.removeLast() }
      return String(decoding: bytes, as: UTF8.self)
    }
  }

  /// The folders with one of them, or another one, in front.
  package func leading(with folder: String) -> MediaRoots {
    MediaRoots([folder] + folders.filter { $0 != folder })
  }

  /// Where a path lies, as far as its text tells: no storage is asked. Nil where it names no place beneath a root.
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

  /// The root that a path names a place beneath, as far as its text tells; nil where there is none.
  package func root(of path: String) -> String? { place(of: path)?.root }

  /// The folder whose storage an answer about a name depends on, as far as that is one; nil where it may be any.
  package func storage(of name: String) -> String? { folders.count == 1 ? folders[0] : root(of: name) }

  /// Opens a path; one that leads out of its root, by `..` or by a link, fails with EXDEV (openat2(2)).
  ///
  /// - Parameter flags: As of open(2).
  package func open(_ path: String, _ flags: Int32) throws(SystemError) -> FileDescriptor {
    guard let place = place(of: path) else { throw SystemError("open", on: path, code: EXDEV) }
    return try place.open(flags)
  }

  /// Finds what a person named: an absolute path as it is, any other below the first root that holds it. Nil where
  /// nothing of that name can be reached. Without roots, a relative path stays one.
  package func locate(_ name: String) -> String? {
    if name.utf8.first == 0x2F { return canReach(name) ? name : nil }
    guard !folders.isEmpty else { return canReach(name) ? name : nil }
    for folder in folders where canReach(folder + "/" + name) { return folder + "/" + name }
    return nil
  }

  /// A track of a cue sheet is where the sheet is.
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
