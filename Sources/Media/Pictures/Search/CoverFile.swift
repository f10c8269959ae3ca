// Which file of a folder shows its music. Pure; any thread.

import Platform

/// Pictures beside music.
enum CoverFile {
  /// The names that count, best first, whatever letters they are in: MPD's own, and what rippers and other players write.
  private static let names = ["cover", "folder", "front", "albumart", "album"]
  private static let extensions = ["png", "jpg", "jpeg", "jxl", "webp", "gif", "avif"]

  /// The files of a folder that can be its picture, best first.
  static func candidates(_ entries: [DirectoryEntry]) -> [String] {
    var found: [(rank: Int, name: String)] = []
    for entry in entries where !entry.isDirectory {
      if let rank = rank(entry.name) { found.append((rank, entry.name)) }
    }
    found.sort {
      $0.rank == $1.rank ? $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) : $0.rank < $1.rank
    }
    return found.map { $0.name }
  }

  private static func rank(_ name: String) -> Int? {
    let small = name.utf8.map { $0 >= 0x41 && $0 <= 0x5A ? $0 | 0x20 : $0 }
    guard let dot = small.lastIndex(of: 0x2E),
      let name = names.firstIndex(where: { small[..<dot].elementsEqual($0.utf8) }),
      let suffix = extensions.firstIndex(where: { small[(dot + 1)...].elementsEqual($0.utf8) })
    else { return nil }
    return name * extensions.count + suffix
  }
}
