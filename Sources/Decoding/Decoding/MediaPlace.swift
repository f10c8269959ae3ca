// Where a file lies that a worker is to open. A value, which the engine makes without asking any storage; only `open` waits for it,
// so the engine's own threads may not call that.

import CLinux
import Platform

/// A file or folder beneath a folder that it may not lead out of, or anywhere.
package struct MediaPlace: Hashable, Sendable {
  /// The folder; nil for a path anywhere.
  let root: String?
  /// The path from that folder on; from the root or the working folder where there is none.
  let path: String

  /// The last part of its path.
  var name: String {
    let bytes = Array(path.utf8)
    return String(decoding: bytes[((bytes.lastIndex(of: 0x2F) ?? -1) + 1)...], as: UTF8.self)
  }

  /// A path anywhere: for a person at a terminal, who could open the file as well.
  package init(anywhere path: String) {
    root = nil
    self.path = path
  }

  init(beneath root: String, _ path: String) {
    self.root = root
    self.path = path
  }

  /// Why nothing of its root can be there, as a sentence, after it could not be opened: nothing is mounted where a disk or a share
  /// should be. An empty folder on which something is mounted is there, and empty. Nil where the root is not to blame.
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

  /// Whether a call may have failed because its storage is not mounted, or has gone from where it is.
  private static func meansAbsence(_ code: Int32) -> Bool {
    switch code {
    case ENOENT, ENOTDIR, ENODEV, ENXIO, ENOTCONN, ESTALE, EHOSTDOWN, EHOSTUNREACH, ETIMEDOUT: true
    default: false
    }
  }

  /// Opens it; a path that leads out of its root, by `..` or by a link, fails with EXDEV (openat2(2)).
  ///
  /// - Parameters:
  ///   - flags: As of open(2).
  ///   - number: What the descriptor shall be numbered. One that is open now is closed, and all below it have to be open. Nil: any.
  package func open(_ flags: Int32, as number: Int32? = nil) throws(SystemError) -> FileDescriptor {
    guard let root else {
      // The lowest number that is free is the next one. A copy would have to be closed, and the storage asked once more.
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
