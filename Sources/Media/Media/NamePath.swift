// Paths that names lead to where they differ in the case of letters or the encoding of accents. Any thread that may wait for storage;
// looks at names, never into files.

import Platform

/// Follows names from folder to folder, and remembers the folders that it listed.
struct NamePath {
  /// Maximum number of folders whose names are kept. Names in further folders are not found.
  private static let maxFolders = 64
  /// Maximum number of names in a path.
  static let maxDepth = 16

  /// Where names lead.
  enum Outcome {
    case found(String)
    /// The name at this index is not in the folder, or several names are like it.
    case stopped(at: Int, in: String)
  }

  /// Whether a path exists.
  let exists: (String) -> Bool
  /// Lists a folder; nil where it cannot be read.
  let list: (String) -> [DirectoryEntry]?
  private var listings: [String: Listing] = [:]

  private struct Listing {
    var names: [String] = []
    /// The names by their folded form; canonically equivalent forms are one key.
    var folded: [String: [String]] = [:]

    /// The names that differ from a typed one as `TextFolding.areAlike` allows.
    func names(like typed: String) -> [String] {
      // The replacement character stands for any byte, so that it has no key.
      TextFolding.isShown(typed)
        ? names.filter { TextFolding.areAlike($0, typed) } : folded[TextFolding.folded(typed)] ?? []
    }
  }

  init(exists: @escaping (String) -> Bool, list: @escaping (String) -> [DirectoryEntry]?) {
    self.exists = exists
    self.list = list
  }

  /// Follows names from a folder on: the exact name, else the only similar one.
  mutating func follow(_ names: ArraySlice<String>, from folder: String) -> Outcome {
    var path = folder
    guard names.count <= Self.maxDepth else { return .stopped(at: names.startIndex, in: path) }
    for (index, name) in zip(names.indices, names) {
      let exact = Directory.path(of: name, in: path)
      if name == ".." || exists(exact) {
        path = exact
        continue
      }
      let alike = listing(of: path)?.names(like: name) ?? []
      guard alike.count == 1 else { return .stopped(at: index, in: path) }
      path = Directory.path(of: alike[0], in: path)
    }
    guard exists(path) else { return .stopped(at: names.endIndex, in: path) }
    return .found(path)
  }

  /// The names in a folder; none where it cannot be read, or too many folders were listed.
  mutating func names(in folder: String) -> [String] { listing(of: folder)?.names ?? [] }

  private mutating func listing(of folder: String) -> Listing? {
    if let known = listings[folder] { return known }
    guard listings.count < Self.maxFolders else { return nil }
    var listing = Listing()
    for entry in list(folder) ?? [] {
      listing.names.append(entry.name)
      listing.folded[TextFolding.folded(entry.name), default: []].append(entry.name)
    }
    listings[folder] = listing
    return listing
  }
}
