// Which tracks are meant: conditions on their tags and files, as MPD's protocol has them. Pure; any thread.

/// A condition.
indirect enum LibraryFilter: Hashable, Sendable {
  /// How a text is compared.
  enum Comparison: Hashable, Sendable {
    case equals, contains, startsWith
  }

  /// What is compared.
  enum Subject: Hashable, Sendable {
    case tag(LibraryTag)
    /// Any tag, or the name of a file without a title.
    case any
    /// The path.
    case file
  }

  case compare(Subject, Comparison, String)
  /// Beneath a folder.
  case beneath(String)
  /// Right in a folder.
  case inside(String)
  /// Written at a time or later, in seconds since 1970.
  case modifiedSince(Int64)
  /// Known since a time or later.
  case addedSince(Int64)
  /// Of a rate, a width and a number of channels; nil: of any.
  case format(rate: Int?, bits: Int?, channels: Int?)
  case not(LibraryFilter)
  case all([LibraryFilter])

  /// Conditions deep at most.
  static let deepest = 16
  /// Words of one question at most.
  static let mostWords = 64
}

/// SQL with what is bound to it.
struct LibrarySQL {
  var text = ""
  var values: [DatabaseValue] = []

  init(_ text: String, _ values: [DatabaseValue] = []) {
    self.text = text
    self.values = values
  }

  /// Both hold.
  func and(_ other: LibrarySQL) -> LibrarySQL {
    LibrarySQL("(\(text) AND \(other.text))", values + other.values)
  }
}

extension LibraryFilter {
  /// The condition in SQL. Paths that are not absolute lie beneath any of the roots.
  func sql(isFolded: Bool, _ roots: [String]) -> LibrarySQL {
    switch self {
    case .compare(.tag(let tag), let comparison, let text):
      return compare(isFolded ? tag.smallColumn : tag.column, comparison, text, isFolded)
    case .compare(.any, let comparison, let text):
      // The small title is the file's name where there is no title.
      let columns =
        isFolded
        ? ["small_title", "small_artist", "small_album", "small_albumartist"]
        : ["title", "artist", "album", "albumartist"]
      return join(columns.map { compare($0, comparison, text, isFolded) }, " OR ")
    case .compare(.file, let comparison, let text):
      // A name that is told without its root.
      let names =
        text.utf8.first == 0x2F || comparison == .contains
        ? [text] : roots.map { LibraryPlace.joined($0, text) }
      return join(names.map { compare("path", comparison, $0, false) }, " OR ")
    case .beneath(let folder):
      return join(
        places(folder, roots).map { place in
          let (low, high) = LibraryPlace.range(beneath: place)
          return LibrarySQL("(path = ? OR path >= ? AND path < ?)", [.text(place), .text(low), .text(high)])
        }, " OR ")
    case .inside(let folder):
      return join(places(folder, roots).map { LibrarySQL("folder = ?", [.text($0)]) }, " OR ")
    case .modifiedSince(let time): return LibrarySQL("modified >= ?", [.integer(time)])
    case .addedSince(let time): return LibrarySQL("added >= ?", [.integer(time)])
    case .format(let rate, let bits, let channels):
      var conditions: [LibrarySQL] = []
      for (column, value) in [("rate", rate), ("bits", bits), ("channels", channels)] {
        if let value { conditions.append(LibrarySQL(column + " = ?", [.integer(Int64(value))])) }
      }
      return join(conditions, " AND ")
    case .not(let filter):
      let inner = filter.sql(isFolded: isFolded, roots)
      return LibrarySQL("(NOT \(inner.text))", inner.values)
    case .all(let filters):
      return join(filters.map { $0.sql(isFolded: isFolded, roots) }, " AND ")
    }
  }

  private func compare(_ column: String, _ comparison: Comparison, _ text: String, _ isFolded: Bool)
    -> LibrarySQL
  {
    let text = isFolded ? TextFolding.folded(text) : text
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
    return bytes.first == 0x2F ? [name] : roots.map { LibraryPlace.joined($0, name) }
  }

  /// What joins nothing holds.
  private func join(_ parts: [LibrarySQL], _ word: String) -> LibrarySQL {
    guard let first = parts.first else { return LibrarySQL("1") }
    var joined = LibrarySQL("(" + first.text, first.values)
    for part in parts.dropFirst() {
      joined.text += word + part.text
      joined.values += part.values
    }
    joined.text += ")"
    return joined
  }
}
