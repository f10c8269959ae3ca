// Opens what a worker is to read. The worker's process only: it may wait for its storage as long as that likes, and can be killed
// meanwhile; the engine could not.

import AudioRing
import CLinux
import Platform

/// A worker's file, open for reading. It stays open until the process ends: closing waits for the storage, too, and the sandbox
/// knows no such call.
struct MediaFile {
  /// The number that the sandbox keeps open.
  let descriptor: Int32
  /// Bytes.
  let length: Int64

  /// Opens a regular file in the place that is kept for it; does not wait for a writer of a pipe.
  ///
  /// - Parameter waits: Where to note that the storage is asked.
  /// - Throws: `unreadable` with the reason, which may pass; `away` where the storage is not mounted; `missing` where there is no
  ///   such file and will be none: outside the roots, a directory, a device, a pipe.
  init(_ place: MediaPlace, _ waits: StorageWaits?) throws(WorkerFailure) {
    waits?.begin(at: MonotonicClock.now())
    defer { waits?.end(at: MonotonicClock.now()) }
    let file = try Self.open(place)
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
    guard file.raw == Sandbox.media else {
      throw WorkerFailure(.internalError, "The worker was started with other descriptors than it needs.")
    }
    descriptor = file.release()
    length = Int64(status.st_size)
  }

  private static func open(_ place: MediaPlace) throws(WorkerFailure) -> FileDescriptor {
    do throws(SystemError) {
      return try place.open(O_RDONLY | O_NONBLOCK | O_NOCTTY, as: Sandbox.media)
    } catch {
      if let absence = place.absence(after: error) { throw WorkerFailure(.away, absence) }
      switch error.code {
      case ENOENT, ENOTDIR: throw WorkerFailure(.missing, "There is no such file.")
      case EXDEV, ELOOP: throw .outsideRoots
      case EACCES, EPERM: throw WorkerFailure(.unreadable, "The file may not be read: permission denied.")
      default: throw WorkerFailure(.unreadable, "The file cannot be opened: \(error.reason).")
      }
    }
  }
}
