// Opens what a worker is to read. Control thread; may wait for the storage, not for a writer of a pipe.

import CLinux
import Platform

/// Media files as the engine sees them: something to open and hand on, never to read.
package enum MediaFile {
  /// Opens a regular file for a worker.
  ///
  /// - Parameters:
  ///   - path: The file; absolute where `roots` restrict.
  ///   - roots: The folders below which it may be, links followed.
  /// - Throws: `unreadable` with the reason, which may pass; `missing` where there is no such file and will be none: outside the
  ///   roots, a directory, a device, a pipe.
  package static func open(
    _ path: String, within roots: MediaRoots = .everywhere
  ) throws(WorkerFailure) -> FileDescriptor {
    let file: FileDescriptor
    do throws(SystemError) {
      file = try roots.open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY)
    } catch {
      switch error.code {
      case ENOENT, ENOTDIR: throw WorkerFailure(.missing, "There is no such file.")
      case EXDEV, ELOOP:
        throw WorkerFailure(.missing, "It lies outside the media folders.")
      case EACCES, EPERM: throw WorkerFailure(.unreadable, "The file may not be read: permission denied.")
      default: throw WorkerFailure(.unreadable, "The file cannot be opened: \(error.reason).")
      }
    }
    var status = stat()
    guard fstat(file.raw, &status) == 0 else {
      throw WorkerFailure(.unreadable, "The file cannot be examined: \(SystemError("fstat").reason).")
    }
    if clinux_is_directory(status.st_mode) != 0 {
      throw WorkerFailure(.missing, "This is a directory, not a file.")
    }
    guard clinux_is_regular(status.st_mode) != 0 else {
      throw WorkerFailure(.missing, "This is a device or a pipe, not a file.")
    }
    return file
  }
}
