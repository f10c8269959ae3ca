// Selects the cover art file of a folder by its name. Pure; any thread.

import Platform

/// Cover art files in a music folder.
enum CoverFile {
  /// Accepted names, best first and in any case: those of MPD, rippers and other players.
  private static let names = ["cover", "folder", "front", "albumart", "album"]
  private static let extensions = ["png", "jpg", "jpeg", "jxl", "webp", "gif", "avif"]

  /// The possible cover art files of a folder, best first.
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
