// Injects storage, tty and clock faults into a daemon, by preloading Tests/Faults. Test threads.

import ChildSupport
import Foundation
import Testing

/// The faults of one daemon.
final class Faults {
  enum Storage: Int32 { case fine, full, readOnly }

  let environment: [String: String]
  private let file: FileHandle
  private let path: String
  private let clock: Int32

  /// Starts without faults. The affected storage is the bench's folder.
  init(_ bench: Workbench) throws {
    // The control file is not on the failing storage.
    let path = FileManager.default.temporaryDirectory.appendingPathComponent(
      "swiftlet-faults-\(UUID().uuidString)"
    ).path
    try #require(FileManager.default.createFile(atPath: path, contents: Data(count: 64)))
    file = try #require(FileHandle(forUpdatingAtPath: path))
    self.path = path
    try #require(mkfifo(path + ".clock", 0o600) == 0)
    clock = open(path + ".clock", O_RDWR | O_NONBLOCK | O_CLOEXEC)
    environment = [
      "LD_PRELOAD": Workbench.products.appendingPathComponent("libSwiftletFaults.so").path,
      "SWIFTLET_FAULTS": path, "SWIFTLET_FAULTS_FOLDER": bench.directory.path,
      "SWIFTLET_FAULTS_CLOCK": path + ".clock",
    ]
  }

  deinit {
    close(clock)
    unlink(path)
    unlink(path + ".clock")
  }

  // The offsets are those of struct SwiftletFaults.

  func set(_ storage: Storage) { write(storage.rawValue, at: 0) }
  func failTTYWrites(_ count: Int32) { write(count, at: 4) }
  /// Steps the daemon's wall clock forward or backward.
  func setClock(aheadBy seconds: Int64) {
    write(seconds, at: 8)
    _ = Glibc.write(clock, [UInt8](repeating: 1, count: 8), 8)
  }
  func setFolderDelay(milliseconds: Int64) { write(milliseconds, at: 16) }

  /// Number of calls that failed.
  var failed: Int {
    var count: Int64 = 0
    _ = pread(file.fileDescriptor, &count, 8, 24)
    return Int(count)
  }

  private func write<T: BitwiseCopyable>(_ value: T, at offset: off_t) {
    withUnsafeBytes(of: value) { bytes in
      precondition(pwrite(file.fileDescriptor, bytes.baseAddress, bytes.count, offset) == bytes.count)
    }
  }
}
