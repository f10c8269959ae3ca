// Conditions on tags and files of tracks, as in MPD's filters, and their translation to SQL. Pure; any thread.

import Platform

/// A condition on tracks.
indirect enum LibraryFilter: Hashable, Sendable {
  /// A comparison of texts.
  enum Comparison: Hashable, Sendable {
    case equals, contains, startsWith
  }

  /// The compared property.
  enum Subject: Hashable, Sendable {
    case tag(LibraryTag)
    /// Any tag, or the file name of a track without a title.
    case any
    /// The path.
    case file
  }

  case compare(Subject, Comparison, String)
  /// Below a folder, at any depth.
  case beneath(String)
  /// Directly in a folder.
  case inside(String)
  /// Modified at or after a time, in seconds since 1970.
  case modifiedSince(Int64)
  /// Added to the index at or after a time, in seconds since 1970.
  case addedSince(Int64)
  /// With a sample rate, bit depth and number of channels; nil matches any.
  case format(rate: Int?, bits: Int?, channels: Int?)
  case not(LibraryFilter)
  case all([LibraryFilter])

  /// Maximum nesting depth of conditions.
  static let deepest = 16
  /// Maximum number of arguments of a query.
  static let maxWords = 64
}

extension LibraryFilter {
  /// Whether to match a file, the tracks of its cue sheet, or both.
  ///
  /// The tracks always match, and the file only if the filter names its path or folder. If it names a part of the path,
  /// which the tracks of an embedded sheet share, the file matches only with a separate sheet.
  private var shown: LibrarySQL {
    if isAbout({ if case .compare(.file, .equals, _) = $0 { true } else { $0.isInside } }) {
      return .readable
    }
    return isAbout { if case .compare(.file, _, _) = $0 { true } else { false } } ? .named : .shown
  }

  private var isInside: Bool { if case .inside = self { true } else { false } }

  /// Whether the filter, or one of its conditions outside a negation, satisfies `kind`.
  private func isAbout(_ kind: (LibraryFilter) -> Bool) -> Bool {
    switch self {
    case .not: false
    case .all(let filters): filters.contains { $0.isAbout(kind) }
    default: kind(self)
    }
  }

  /// Whether matching rows can be found with an SQL index; otherwise all rows are scanned.
  private var isNarrow: Bool {
    switch self {
    case .beneath, .inside, .compare(.file, .equals, _): true
    case .compare, .modifiedSince, .addedSince, .format, .not: false
    case .all(let filters): filters.contains { $0.isNarrow }
    }
  }

  /// The complete condition, limited to visible tracks below the roots; the most selective parts come first.
  func sql(isFolded: Bool, within roots: [String]) -> LibrarySQL {
    .all([
      sql(isFolded: isFolded, roots), shown, .any(roots.map { .beneath($0, isScan: !isNarrow) }),
    ])
  }

  /// The condition in SQL. Relative paths are tried below each root.
  func sql(isFolded: Bool, _ roots: [String]) -> LibrarySQL {
    switch self {
    case .compare(.tag(let tag), let comparison, let text):
      let column = isFolded ? tag.smallColumn : tag.column
      return compare(column, comparison, text, isFolded, hasSeveral: tag.mayHaveSeveral)
    case .compare(.any, .contains, let text)
    where isFolded && !text.utf8.contains(LibraryIndex.separatorByte):
      return LibrarySQL(
        "rowid IN (SELECT track FROM words WHERE instr(text, ?) > 0)", [.text(TextFolding.folded(text))])
    case .compare(.any, let comparison, let text):
      let columns =
        isFolded ? LibraryIndex.searched : ["title", "artist", "album", "albumartist", "genre", "date"]
      // Numbers are not searched, because most tracks have them.
      let numbers = isFolded ? [] : [LibraryTag.track.column, LibraryTag.disc.column]
      return .any(
        columns.map { compare($0, comparison, text, isFolded, hasSeveral: true) }
          + numbers.map { compare($0, comparison, text) })
    case .compare(.file, let comparison, let text):
      // A path relative to its root.
      guard text.utf8.first != 0x2F, comparison == .contains else {
        let names = text.utf8.first == 0x2F ? [text] : roots.map { Directory.path(of: text, in: $0) }
        return .any(names.map { compare("path", comparison, $0) })
      }
      return .any(roots.map { Self.contains(text, beneath: $0, isFolded: isFolded) })
    case .beneath(let folder):
      return .any(places(folder, roots).flatMap { [LibrarySQL("path = ?", [.text($0)]), .beneath($0)] })
    case .inside(let folder):
      return .any(places(folder, roots).map { LibrarySQL("folder = ?", [.text($0)]) })
    case .modifiedSince(let time): return LibrarySQL("modified >= ?", [.integer(time)])
    case .addedSince(let time): return LibrarySQL("added >= ?", [.integer(time)])
    case .format(let rate, let bits, let channels):
      var conditions: [LibrarySQL] = []
      for (column, value) in [("rate", rate), ("bits", bits), ("channels", channels)] {
        if let value { conditions.append(LibrarySQL(column + " = ?", [.integer(Int64(value))])) }
      }
      return .all(conditions)
    case .not(let filter):
      let inner = filter.sql(isFolded: isFolded, roots)
      return LibrarySQL("(NOT \(inner.text))", inner.values)
    case .all(let filters):
      return .all(filters.map { $0.sql(isFolded: isFolded, roots) })
    }
  }

  /// Matches paths that contain a text after the root; case folding is limited to ASCII, as in SQLite.
  private static func contains(_ text: String, beneath root: String, isFolded: Bool) -> LibrarySQL {
    let rest = "substr(path, length(?) + 2)"
    let found = isFolded ? "instr(lower(\(rest)), lower(?)) > 0" : "instr(\(rest), ?) > 0"
    return .all([
      .beneath(root, isScan: true), LibrarySQL(found, [.text(root == "/" ? "" : root), .text(text)]),
    ])
  }

  /// A comparison with a column.
  ///
  /// - Parameter hasSeveral: Whether the column may hold multiple values, of which any may match.
  private func compare(
    _ column: String, _ comparison: Comparison, _ text: String, _ isFolded: Bool, hasSeveral: Bool = false
  ) -> LibrarySQL {
    // No value contains the separator.
    guard !hasSeveral || !text.utf8.contains(LibraryIndex.separatorByte) else { return LibrarySQL("0") }
    let text = isFolded ? TextFolding.folded(text) : text
    let single = compare(column, comparison, text)
    guard hasSeveral, comparison != .contains else { return single }
    // The separator before a value and, for equality, also after it.
    let separator = LibraryIndex.separator
    let isWhole = comparison == .equals
    return LibrarySQL(
      "(\(single.text) OR (instr(\(column), char(31)) > 0 AND "
        + "instr(char(31) || \(column)\(isWhole ? " || char(31)" : ""), ?) > 0))",
      single.values + [.text(separator + text + (isWhole ? separator : ""))])
  }

  private func compare(_ column: String, _ comparison: Comparison, _ text: String) -> LibrarySQL {
    switch comparison {
    case .equals: return LibrarySQL("\(column) = ?", [.text(text)])
    case .contains: return LibrarySQL("instr(\(column), ?) > 0", [.text(text)])
    case .startsWith: return LibrarySQL("substr(\(column), 1, length(?)) = ?", [.text(text), .text(text)])
    }
  }

  private func places(_ folder: String, _ roots: [String]) -> [String] {
    var bytes = Array(folder.utf8)
    while bytes.last == 0x2F, bytes.count > 1 { bytes.removeLast() }
    let name = String(decoding: bytes, as: UTF8.self)
    if bytes.isEmpty || name == "." { return roots }
    return bytes.first == 0x2F ? [name] : roots.map { Directory.path(of: name, in: $0) }
  }
}
