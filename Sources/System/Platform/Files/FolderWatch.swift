// Watches folders for new names (inotify(7)). Control thread; never blocks.

import CLinux

/// Watches folders for names that appear or change their permissions.
package final class FolderWatch {
  private let device: FileDescriptor
  private var watches: [String: Int32] = [:]

  /// Creates a watch without folders.
  package init() throws(SystemError) {
    let fd = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
    guard fd >= 0 else { throw SystemError("inotify_init1") }
    device = FileDescriptor(owning: fd)
  }

  /// For an event loop: readable when a folder has changed.
  package var descriptor: Int32 { device.raw }

  /// Watches a folder; false if it does not exist. A folder that is deleted and recreated must be added
  /// again.
  package func add(_ folder: String) -> Bool {
    let mask = UInt32(IN_CREATE | IN_MOVED_TO | IN_ATTRIB | IN_ONLYDIR)
    let watch = folder.withPath { inotify_add_watch(device.raw, $0, mask) }
    guard watch >= 0 else { return false }
    watches[folder] = watch
    return true
  }

  /// Stops watching a folder.
  package func remove(_ folder: String) {
    guard let watch = watches.removeValue(forKey: folder) else { return }
    _ = inotify_rm_watch(device.raw, watch)
  }

  /// The names that have appeared since the last call, without their folders. An empty name means that names
  /// may have been lost and all folders must be checked.
  package func takeNames() -> [String] {
    var names: [String] = []
    let header = MemoryLayout<inotify_event>.size
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 4096, alignment: 8)
    defer { buffer.deallocate() }
    while names.count < 256 {
      let n = read(device.raw, buffer.baseAddress, buffer.count)
      guard n >= header else { return names }
      var start = 0
      while start + header <= n {
        let event = buffer.loadUnaligned(fromByteOffset: start, as: inotify_event.self)
        let bytes = UnsafeRawBufferPointer(rebasing: buffer[(start + header)..<n].prefix(Int(event.len)))
        let name = String(pathBytes: bytes.prefix { $0 != 0 })
        if !name.utf8.isEmpty || isLost(event) { names.append(name) }
        start += header + Int(event.len)
      }
    }
    return names
  }

  /// Whether a watched folder has been deleted or events were lost. The end of a watch that `remove` has
  /// ended is neither.
  private func isLost(_ event: inotify_event) -> Bool {
    if event.mask & UInt32(IN_Q_OVERFLOW) != 0 { return true }
    guard event.mask & UInt32(IN_IGNORED) != 0 else { return false }
    for (folder, watch) in watches where watch == event.wd {
      watches[folder] = nil
      return true
    }
    return false
  }
}
