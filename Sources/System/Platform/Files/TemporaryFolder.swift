// Temporary folders. Any thread.

import CLinux

/// Folders in $TMPDIR or /tmp, accessible to the user only.
package enum TemporaryFolder {
  /// Creates a temporary folder.
  ///
  /// - Throws: An error that names the path.
  package static func make(_ name: String) throws(SystemError) -> String {
    let pattern = (Environment.value("TMPDIR") ?? "/tmp") + "/" + name + "-XXXXXX"
    var path = Array(pattern.utf8CString)
    guard mkdtemp(&path) != nil else { throw SystemError("mkdtemp", on: pattern) }
    return String(decoding: path.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Deletes a folder and the files in it. Subfolders, and then the folder itself, are kept.
  package static func remove(_ path: String) {
    guard let entries = try? Directory.entries(of: path) else { return }
    for entry in entries { AtomicFile.remove(path + "/" + entry.name) }
    _ = path.withPath { rmdir($0) }
  }
}
