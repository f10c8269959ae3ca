// The mount table of this process: /proc/self/mountinfo (proc(5)). Control thread.

import CLinux

/// The mount points of this process's mount namespace, and a descriptor that reports changes.
package final class MountTable {
  /// The most bytes that are read of the table.
  static let limit = 1 << 20

  private let file: FileDescriptor

  /// Opens the table.
  package init() throws(SystemError) {
    file = try FileDescriptor.open("/proc/self/mountinfo", O_RDONLY)
  }

  /// For `EventLoop.add(changing:)`: reports every mount and unmount.
  package var descriptor: Int32 { file.raw }

  /// The mount points strictly below a folder, in the order of the table.
  package func points(beneath folder: String) -> [String] {
    guard let table = try? TextFile.bytes("/proc/self/mountinfo", limit: Self.limit) else { return [] }
    return Self.points(in: table, beneath: folder)
  }

  /// The mount points strictly below a folder, from the text of a table: the fifth field of each line, with
  /// octal escapes for blanks.
  package static func points(in table: [UInt8], beneath folder: String) -> [String] {
    var prefix = Array(folder.utf8)
    if prefix.last != 0x2F { prefix.append(0x2F) }
    var points: [String] = []
    for line in table.split(separator: 0x0A) {
      let fields = line.split(separator: 0x20, maxSplits: 5)
      guard fields.count > 4 else { continue }
      let point = unescaped(fields[4])
      guard point.count > prefix.count, point.starts(with: prefix) else { continue }
      let path = String(decoding: point, as: UTF8.self)
      if !points.contains(path) { points.append(path) }
    }
    return points
  }

  private static func unescaped(_ field: ArraySlice<UInt8>) -> [UInt8] {
    var bytes: [UInt8] = []
    var i = field.startIndex
    while i < field.endIndex {
      if field[i] == 0x5C, i + 3 < field.endIndex,
        field[(i + 1)...(i + 3)].allSatisfy({ $0 >= 0x30 && $0 < 0x38 })
      {
        let value = Int(field[i + 1] - 0x30) * 64 + Int(field[i + 2] - 0x30) * 8 + Int(field[i + 3] - 0x30)
        bytes.append(UInt8(truncatingIfNeeded: value))
        i += 4
      } else {
        bytes.append(field[i])
        i += 1
      }
    }
    return bytes
  }
}
