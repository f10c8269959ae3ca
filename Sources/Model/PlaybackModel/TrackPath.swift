// What the path of a track tells by itself: whether it is one, and in which folder it lies. Pure; any thread.

extension String {
  /// Whether it is no path but a URI with an authority, such as `http://…`.
  package var isURI: Bool {
    let bytes = utf8
    guard let colon = bytes.firstIndex(where: { $0 == 0x3A || $0 == 0x2F }), colon > bytes.startIndex else {
      return false
    }
    return bytes[colon...].starts(with: "://".utf8)
  }

  /// Whether it is the path of something in a folder, at whatever depth; `/media/a` does not hold `/media/ab/x`.
  package func isBeneath(_ folder: String) -> Bool {
    var folder = folder[...].utf8
    while folder.last == 0x2F { folder.removeLast() }
    guard utf8.starts(with: folder) else { return false }
    let rest = utf8.dropFirst(folder.count)
    return rest.first == 0x2F && rest.count > 1
  }
}
