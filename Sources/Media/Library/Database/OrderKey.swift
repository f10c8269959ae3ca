// Sort keys for natural ordering: `2 b` before `10 a`, ignoring case. Pure; any thread.

import Platform

/// Keys for the order of tracks in answers.
enum OrderKey {
  /// The key of a path. Keys compared by bytes have the order of `NaturalOrder`; the files of a folder come before its
  /// subfolders.
  static func of(_ path: String) -> [UInt8] {
    var key: [UInt8] = []
    let bytes = Array(path.utf8)
    let lastSlash = bytes.lastIndex(of: 0x2F)
    var i = 0
    while i < bytes.count {
      let byte = bytes[i]
      guard byte >= 0x30, byte <= 0x39 else {
        // Slashes sort before all characters of names.
        key.append(
          byte == 0x2F ? (i == lastSlash ? 1 : 2) : max(byte.asciiLowercased, 3))
        i += 1
        continue
      }
      var end = i
      while end < bytes.count, bytes[end] >= 0x30, bytes[end] <= 0x39 { end += 1 }
      var start = i
      while start < end - 1, bytes[start] == 0x30 { start += 1 }
      // The number of digits first, since more digits mean a larger number.
      key.append(0x30)
      key.append(UInt8(clamping: end - start))
      key += bytes[start..<end]
      i = end
    }
    return key
  }
}
