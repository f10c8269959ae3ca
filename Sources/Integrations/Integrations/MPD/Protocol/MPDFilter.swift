// MPD filters on songs of the queue and of playlists, such as `artist Harbour` or `((artist == "Harbour") AND
// (!(album contains "live")))`. Filters on the database are evaluated by the daemon's index. Pure; built from
// untrusted input and bounded.

/// A condition on a song.
indirect enum MPDFilter: Hashable, Sendable {
  enum Field: Hashable, Sendable {
    /// Any tag.
    case any
    case file
    case tag(MPDTag)
    /// A tag that MPD has and this server does not support.
    case unknown
  }
  enum Comparison: Hashable, Sendable { case equals, contains, startsWith }

  case compare(Field, Comparison, String)
  case beneath(String)
  /// Modified at or after a time, given as ISO 8601 text, which sorts chronologically.
  case modifiedSince(String)
  /// Sample rate, bits and channels, each of which may be `*`.
  case format([String])
  case not(MPDFilter)
  case all([MPDFilter])

  /// Maximum nesting of expressions.
  static let deepest = 16

  /// A song's metadata besides its tags.
  struct File {
    let name: String
    var modified: String?
    var format: String?
  }

  /// Whether a song matches. Text is compared as bytes, as MPD does; one matching value of a tag suffices.
  ///
  /// - Parameters:
  ///   - file: The song's metadata.
  ///   - ignoresCase: Whether ASCII case is ignored.
  ///   - values: Returns the values of a tag.
  func matches(_ file: File, ignoresCase: Bool, _ values: (MPDTag) -> [String]) -> Bool {
    switch self {
    case .compare(let field, let comparison, let wanted):
      let wanted = ignoresCase ? MPDTag.small(wanted) : wanted
      func isMet(_ text: String) -> Bool {
        let text = ignoresCase ? MPDTag.small(text) : text
        // A missing tag is compared as an empty string.
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
      // As in MPD, Artist substitutes a missing AlbumArtist.
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
