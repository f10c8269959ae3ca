// The profiles of boards that come with Swiftlet. Any thread; reads files.

import Controls
import Platform

/// Finds boards by name: folders with a file `profile` of console commands.
package enum BoardProfiles {
  /// The most bytes of a profile.
  static let maxLength = 64 * 1024

  /// A board and what its profile says of it.
  package struct Board: Sendable {
    /// The folder's name.
    package let name: String
    /// The first line of the profile, without its #.
    package let summary: String
  }

  /// Where profiles are looked for: beside the installed program, or in the source tree it was built in.
  static var folders: [String] {
    if let folder = Environment.value("SWIFTLET_BOARDS") { return [folder] }
    let program = Executable.folder
    return [program + "/../share/swiftlet/boards", program + "/../../../boards"]
  }

  /// The text of a board's profile; nil where there is no such board.
  package static func text(of name: String) -> [UInt8]? {
    text(of: name) { path, limit in try? TextFile.bytes(path, limit: limit) }
  }

  /// The same, read by somebody else: the first bytes of a file, nil where it cannot be read.
  static func text(of name: String, read: (_ path: String, _ limit: Int) -> [UInt8]?) -> [UInt8]? {
    // A name, never a path.
    guard let name = ControlName(name)?.text else { return nil }
    for folder in folders {
      if let text = read(folder + "/" + name + "/profile", Self.maxLength) { return text }
    }
    return nil
  }

  /// All boards, by name.
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
