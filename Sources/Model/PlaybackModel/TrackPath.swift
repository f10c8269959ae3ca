// Checks on track paths: URI or file, and containing folder. Pure; any thread.

extension String {
  /// Whether the string is a URI with an authority, such as `http://…`, instead of a path.
  package var isURI: Bool {
    let bytes = utf8
    guard let colon = bytes.firstIndex(where: { $0 == 0x3A || $0 == 0x2F }), colon > bytes.startIndex else {
      return false
    }
    return bytes[colon...].starts(with: "://".utf8)
  }

  /// Whether the path is below a folder, at any depth; `/media/ab/x` is not below `/media/a`.
  package func isBeneath(_ folder: String) -> Bool {
    var folder = folder[...].utf8
    while folder.last == 0x2F { folder.removeLast() }
    guard utf8.starts(with: folder) else { return false }
    let rest = utf8.dropFirst(folder.count)
    return rest.first == 0x2F && rest.count > 1
  }
}
