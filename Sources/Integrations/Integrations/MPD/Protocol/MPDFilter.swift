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
  /// Written then or later, as text that is in the order of time.
  case modifiedSince(String)
  /// Samples of a rate, a width and a number of channels, each of which may be `*`.
  case format([String])
  case not(MPDFilter)
  case all([MPDFilter])

  /// Brackets within each other.
  static let deepest = 16

  /// What is known of a song besides its tags.
  struct File {
    let name: String
    var modified: String?
    var format: String?
  }

  /// Whether a song is meant. Text is compared as bytes, as MPD does; of several values of a tag, one is enough.
  func matches(_ file: File, ignoresCase: Bool, _ values: (MPDTag) -> [String]) -> Bool {
    switch self {
    case .compare(let field, let comparison, let wanted):
      let wanted = ignoresCase ? MPDTag.small(wanted) : wanted
      func isMet(_ text: String) -> Bool {
        let text = ignoresCase ? MPDTag.small(text) : text
        // What is looked for in part is in no tag that is missing, and nothing is only in those.
        switch comparison {
        case .equals: return text.utf8.elementsEqual(wanted.utf8)
        case .contains: return Self.contains(Array(text.utf8), Array(wanted.utf8))
        case .startsWith: return text.utf8.starts(with: wanted.utf8)
        }
      }
      func isMet(oneOf texts: [String]) -> Bool {
        texts.isEmpty ? isMet("") : texts.contains { isMet($0) }
      }
      switch field {
      case .any: return MPDTag.allCases.contains { tag in values(tag).contains { isMet($0) } }
      case .file: return isMet(file.name)
      // Of an album whose artist is not said, it is the song's.
      case .tag(.albumArtist):
        let named = values(.albumArtist)
        return isMet(oneOf: named.isEmpty ? values(.artist) : named)
      case .tag(let tag): return isMet(oneOf: values(tag))
      case .unknown: return isMet("")
      }
    case .beneath(let folder):
      return folder.utf8.isEmpty || file.name.utf8.elementsEqual(folder.utf8)
        || file.name.utf8.starts(with: (folder + "/").utf8)
    case .modifiedSince(let time):
      return file.modified.map { !$0.utf8.lexicographicallyPrecedes(time.utf8) } ?? false
    case .format(let wanted):
      let parts = (file.format ?? "").utf8.split(separator: 0x3A, omittingEmptySubsequences: false)
      return parts.count == wanted.count
        && zip(parts, wanted).allSatisfy { $1 == "*" || $0.elementsEqual($1.utf8) }
    case .not(let filter): return !filter.matches(file, ignoresCase: ignoresCase, values)
    case .all(let filters): return filters.allSatisfy { $0.matches(file, ignoresCase: ignoresCase, values) }
    }
  }

  private static func contains(_ text: [UInt8], _ part: [UInt8]) -> Bool {
    guard part.count <= text.count else { return false }
    return (0...(text.count - part.count)).contains { text[$0...].starts(with: part) }
  }
}
