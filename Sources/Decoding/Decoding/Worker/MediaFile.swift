// Opens the media file of a worker. Worker process only: it may block on storage, and can be killed then; the
// engine cannot.

import AudioRing
import CLinux
import Platform

/// An open media file. It stays open until the process exits, because close(2) may block on storage and is
/// not allowed by the sandbox.
struct MediaFile {
  /// The descriptor number that the sandbox allows.
  let descriptor: Int32
  /// Size of the file in bytes.
  let length: Int64

  /// Opens a regular file at the reserved descriptor number. Does not block on the writer of a pipe.
  ///
  /// - Parameters:
  ///   - place: The file.
  ///   - waits: Reports that the worker waits for storage.
  /// - Throws: `unreadable` if a retry may succeed; `away` if the storage is not mounted; `missing` if there
  ///   is no such file, or it is a directory, device or pipe, or outside the roots.
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
