// Follows path components that may differ in case or in the encoding of accents. Runs on any thread that may block on
// storage. It reads only names.

import Platform

/// Follows names from folder to folder and caches the listed folders.
struct NamePath {
  /// Maximum number of cached folders. Names in further folders are not found.
  private static let maxFolders = 64
  /// Maximum number of components of a path.
  static let maxDepth = 16

  /// Result of following names.
  enum Outcome {
    case found(String)
    /// The name at this index does not exist in the folder, or several names match it.
    case stopped(at: Int, in: String)
  }

  /// Whether a path exists.
  let exists: (String) -> Bool
  /// Lists a folder; nil if it cannot be read.
  let list: (String) -> [DirectoryEntry]?
  private var listings: [String: Listing] = [:]

  private struct Listing {
    var names: [String] = []
    /// The names by their folded form; canonically equivalent forms are one key.
    var folded: [String: [String]] = [:]

    /// The names that match a typed one according to `TextFolding.areAlike`.
    func names(like typed: String) -> [String] {
      // The replacement character matches any byte, so that it has no key.
      TextFolding.isShown(typed)
        ? names.filter { TextFolding.areAlike($0, typed) } : folded[TextFolding.folded(typed)] ?? []
    }
  }

  init(exists: @escaping (String) -> Bool, list: @escaping (String) -> [DirectoryEntry]?) {
    self.exists = exists
    self.list = list
  }

  /// Follows names from a folder: the exact name if it exists, otherwise the only similar one.
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

  /// The names in a folder; none if it cannot be read or too many folders are cached.
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
