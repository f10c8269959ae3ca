// The location of a media file, optionally confined to a root folder. A value. Only `open` and `absence`
// access the storage and may block; the engine's own threads must not call them.

import CLinux
import Platform

/// A file or folder, either confined to a root folder or anywhere in the file system.
package struct MediaPlace: Hashable, Sendable {
  /// The folder that the path must not leave; nil for an unconfined path.
  let root: String?
  /// The path relative to `root`; without a root, absolute or relative to the working directory.
  let path: String

  /// The last component of the path.
  var name: String {
    let bytes = Array(path.utf8)
    return String(decoding: bytes[((bytes.lastIndex(of: 0x2F) ?? -1) + 1)...], as: UTF8.self)
  }

  /// Creates an unconfined path, for a terminal user who could open the file directly as well.
  package init(anywhere path: String) {
    root = nil
    self.path = path
  }

  init(beneath root: String, _ path: String) {
    self.root = root
    self.path = path
  }

  /// Explains a failed open if the root's storage is not mounted. Blocks on the storage.
  ///
  /// An empty folder on the same device as its parent counts as an unused mount point; an empty mounted file
  /// system does not.
  ///
  /// - Parameter error: The error of the failed open.
  /// - Returns: A sentence; nil if the root is available.
  func absence(after error: SystemError) -> String? {
    guard let root, Self.meansAbsence(error.code) else { return nil }
    do throws(SystemError) {
      guard try Directory.listing(of: root, limit: 1).entries.isEmpty else { return nil }
      let (here, above) = (try FileStatus.of(root), try FileStatus.of(root + "/.."))
      guard here?.identity.device == above?.identity.device else { return nil }
      return "Nothing is mounted on \(root), and it is empty."
    } catch {
      return Self.meansAbsence(error.code) ? "\(root) is away: \(error.reason)." : nil
    }
  }

  /// Whether an error code can mean that the storage is not mounted or has been removed.
  private static func meansAbsence(_ code: Int32) -> Bool {
    switch code {
    case ENOENT, ENOTDIR, ENODEV, ENXIO, ENOTCONN, ESTALE, EHOSTDOWN, EHOSTUNREACH, ETIMEDOUT: true
    default: false
    }
  }

  /// Opens the file. Blocks on the storage.
  ///
  /// - Parameters:
  ///   - flags: As of open(2).
  ///   - number: The number of the new descriptor; nil for any. A descriptor of that number is closed first,
  ///     and all lower numbers must be in use.
  /// - Throws: EXDEV if the path leaves the root by `..` or a symbolic link (openat2(2)).
  package func open(_ flags: Int32, as number: Int32? = nil) throws(SystemError) -> FileDescriptor {
    guard let root else {
      // Open returns the lowest free number, so no dup2 is needed; closing a copy could block on the storage.
      if let number { _ = close(number) }
      return try FileDescriptor.open(path, flags)
    }
    let folder = try FileDescriptor.open(root, CLINUX_O_PATH | O_DIRECTORY)
    if let number { _ = close(number) }
    let fd = path.withPath { clinux_open_beneath(folder.raw, $0, UInt64(flags)) }
    guard fd >= 0 else { throw SystemError("openat2", on: root + "/" + path) }
    return FileDescriptor(owning: fd)
  }
}
