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

  /// The path of a URI such as `file:///x`, `file:/x` or `file://localhost/x` (RFC 8089, section 2), with its percent
  /// escapes; nil for other strings.
  package var filePathOfURI: [UInt8]? {
    let bytes = Array(utf8)
    func begins(_ prefix: StaticString) -> Bool {
      let count = prefix.utf8CodeUnitCount
      return bytes.count >= count
        && (0..<count).allSatisfy {
          bytes[$0] == prefix.utf8Start[$0] || bytes[$0] | 0x20 == prefix.utf8Start[$0]
        }
    }
    if begins("file://localhost/") { return Array(bytes.dropFirst(16)) }
    if begins("file://") { return Array(bytes.dropFirst(7)) }
    return begins("file:/") ? Array(bytes.dropFirst(5)) : nil
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
