// Creates and renames files named by the user, such as recordings; `StateFile` is for the daemon's own files.
// Blocks on storage; control thread for user commands, otherwise a separate thread.

import CLinux

/// Creates files and renames them once they are complete.
package enum AtomicFile {
  /// Creates a file, replacing the remains of an interrupted attempt.
  package static func createAfresh(_ path: String, permissions: UInt32) throws(SystemError) -> FileDescriptor
  {
    guard path.withPath({ unlink($0) }) == 0 || clinux_errno() == ENOENT else {
      throw SystemError("create", on: path)
    }
    return try FileDescriptor.createNew(path, permissions: permissions)
  }

  /// Renames a file, replacing an existing target, and syncs the target's folder.
  ///
  /// - Parameters:
  ///   - from: The file.
  ///   - target: The new path.
  ///   - removesOnFailure: Whether to delete `from` if renaming fails.
  package static func rename(
    _ from: String, to target: String, removesOnFailure: Bool = true
  ) throws(SystemError) {
    guard from.withPath({ from in target.withPath { CLinux.rename(from, $0) } }) == 0 else {
      let error = SystemError("rename", on: target)
      if removesOnFailure { remove(from) }
      throw error
    }
    try syncFolder(of: target)
  }

  /// Deletes a file if it exists.
  package static func remove(_ path: String) { _ = path.withPath { unlink($0) } }

  /// The folder that contains `path`.
  package static func folder(of path: String) -> String {
    let bytes = Array(path.utf8)
    guard let slash = bytes.lastIndex(of: 0x2F) else { return "." }
    return slash == 0 ? "/" : String(decoding: bytes[..<slash], as: UTF8.self)
  }

  private static func syncFolder(of path: String) throws(SystemError) {
    let name = folder(of: path)
    let folder = try FileDescriptor.open(name, O_RDONLY | O_DIRECTORY).outOfReach()
    do throws(SystemError) {
      try folder.sync()
    } catch {
      // Some file systems do not support syncing a folder.
      guard error.code == EINVAL else { throw SystemError(error.call, on: name, code: error.code) }
    }
  }

  /// The file that writing to a path creates or changes. Links are followed, even if their target does not
  /// exist yet.
  package static func destination(of path: String) -> String {
    var path = path
    for _ in 0..<maxLinks {
      if let real = resolved(path) { return real }
      let name = String(decoding: path.utf8.reversed().prefix { $0 != 0x2F }.reversed(), as: UTF8.self)
      let holder = folder(of: path)
      let place = Directory.path(of: name, in: resolved(holder) ?? holder)
      guard let target = linkTarget(place) else { return place }
      path = target.utf8.first == 0x2F ? target : Directory.path(of: target, in: folder(of: place))
    }
    return path
  }

  private static let maxLinks = 16

  private static func linkTarget(_ path: String) -> String? {
    var buffer = [CChar](repeating: 0, count: 4096)
    let count = path.withPath { readlink($0, &buffer, buffer.count) }
    return count > 0 ? String(pathBytes: buffer.prefix(count).map { UInt8(bitPattern: $0) }) : nil
  }

  /// The path with all links resolved; nil if it does not exist.
  package static func resolved(_ path: String) -> String? {
    guard let real = path.withPath({ realpath($0, nil) }) else { return nil }
    defer { free(real) }
    return String(pathBytes: UnsafeRawBufferPointer(start: real, count: strlen(real)))
  }
}
