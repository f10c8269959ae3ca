// Conditions on songs of the queue and of playlists: `artist Harbour`, or `((artist == "Harbour") AND (!(album contains "live")))`. The box's index
// reads those about all of the music. Pure; of strangers' bytes, so all of it is bounded.

/// What songs have to be.
indirect enum MPDFilter: Hashable, Sendable {
  enum Field: Hashable, Sendable {
    /// Any tag.
    case any
    case file
    case tag(MPDTag)
    /// One that no song of a box has.
    case unknown
  }
  enum Comparison: Hashable, Sendable { case equals, contains, startsWith }

  case compare(Field, Comparison, String)
  case beneath(String)
  case not(MPDFilter)
  case all([MPDFilter])

  /// Brackets within each other.
  static let deepest = 16

  /// What a song is asked for; `value` has no tag that the song has not.
  func matches(file: String, ignoresCase: Bool, _ value: (MPDTag) -> String?) -> Bool {
    switch self {
    case .compare(let field, let comparison, let wanted):
      let wanted = ignoresCase ? MPDTag.small(wanted) : wanted
      func isMet(_ text: String?) -> Bool {
        let text = ignoresCase ? MPDTag.small(text ?? "") : text ?? ""
        // What is looked for in part is in no tag that is missing, and nothing is only in those.
        switch comparison {
        case .equals: return text == wanted
        case .contains: return Self.contains(Array(text.utf8), Array(wanted.utf8))
        case .startsWith: return text.utf8.starts(with: wanted.utf8)
        }
      }
      switch field {
      case .any: return MPDTag.allCases.contains { tag in value(tag).map { isMet($0) } ?? false }
      case .file: return isMet(file)
      case .tag(let tag): return isMet(value(tag))
      case .unknown: return isMet(nil)
      }
    case .beneath(let folder):
      return folder.utf8.isEmpty || file == folder || file.utf8.starts(with: (folder + "/").utf8)
    case .not(let filter): return !filter.matches(file: file, ignoresCase: ignoresCase, value)
    case .all(let filters):
      return filters.allSatisfy { $0.matches(file: file, ignoresCase: ignoresCase, value) }
    }
  }

  private static func contains(_ text: [UInt8], _ part: [UInt8]) -> Bool {
    guard part.count <= text.count else { return false }
    return (0...(text.count - part.count)).contains { text[$0...].starts(with: part) }
  }
}
