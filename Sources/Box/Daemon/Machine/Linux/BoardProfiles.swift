// Finds the board profiles that are installed with Swiftlet. Any thread; reads files.

import Controls
import Platform

/// Board profiles: one folder per board, with a file `profile` of console commands.
package enum BoardProfiles {
  /// Maximum size of a profile, in bytes.
  static let maxLength = 64 * 1024

  /// A board profile.
  package struct Board: Sendable {
    /// Name of the folder.
    package let name: String
    /// First line of the profile, without its #.
    package let summary: String
  }

  /// Search path: $SWIFTLET_BOARDS, or next to the installed program, or in the source tree of a development build.
  static var folders: [String] {
    if let folder = Environment.value("SWIFTLET_BOARDS") { return [folder] }
    let program = Executable.folder
    return [program + "/../share/swiftlet/boards", program + "/../../../boards"]
  }

  /// Text of a board's profile; nil if there is no such board.
  package static func text(of name: String) -> [UInt8]? {
    text(of: name) { path, limit in try? TextFile.bytes(path, limit: limit) }
  }

  /// Text of a board's profile, read by a custom function.
  ///
  /// - Parameters:
  ///   - name: Name of the board.
  ///   - read: Reads the first `limit` bytes of a file; nil if it cannot be read.
  static func text(of name: String, read: (_ path: String, _ limit: Int) -> [UInt8]?) -> [UInt8]? {
    // Only valid names, so that no path can escape the folder.
    guard let name = ControlName(name)?.text else { return nil }
    for folder in folders {
      if let text = read(folder + "/" + name + "/profile", Self.maxLength) { return text }
    }
    return nil
  }

  /// All boards, sorted by name.
  package static var all: [Board] {
    for folder in folders {
      guard let entries = try? Directory.entries(of: folder) else { continue }
      let names = entries.filter { $0.isDirectory }.map { $0.name }.sorted()
      let boards = names.compactMap { name in
        text(of: name).map { Board(name: name, summary: summary($0)) }
      }
      if !boards.isEmpty { return boards }
    }
    return []
  }

  private static func summary(_ profile: [UInt8]) -> String {
    let line = profile.prefix { $0 != 0x0A }.drop { $0 == 0x23 || $0 == 0x20 }
    return String(decoding: line, as: UTF8.self)
  }
}
