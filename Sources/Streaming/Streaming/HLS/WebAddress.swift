// Resolves references in playlists to URLs. Pure; fetcher process.

/// Resolver for relative references (RFC 3986, section 5).
package enum WebAddress {
  /// Resolves an entry of a playlist.
  ///
  /// - Parameters:
  ///   - entry: The reference.
  ///   - base: The URL of the playlist.
  /// - Returns: A URL; nil if no transport supports it or it is too long.
  package static func resolve(_ entry: String, against base: String) -> String? {
    resolve(Array(StreamRequest.fetchable(entry).utf8)[...], against: StreamRequest.fetchable(base))
  }

  /// Resolves a reference.
  ///
  /// - Parameters:
  ///   - reference: The reference, as bytes.
  ///   - base: The URL of the document that contains it.
  /// - Returns: A URL; nil if no transport supports it or it is too long.
  static func resolve(_ reference: ArraySlice<UInt8>, against base: String) -> String? {
    guard !reference.isEmpty, reference.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else { return nil }
    // The fragment is not part of a request.
    let reference = reference.prefix { $0 != 0x23 }
    guard let found = resolved(reference, Array(base.utf8)), found.count <= StreamRequest.maxURLLength else {
      return nil
    }
    let text = String(decoding: found, as: UTF8.self)
    return StreamRequest.isStream(text) ? text : nil
  }

  private static func resolved(_ reference: ArraySlice<UInt8>, _ base: [UInt8]) -> [UInt8]? {
    if hasScheme(reference) { return Array(reference) }
    guard let colon = base.firstIndex(of: 0x3A), base[colon...].starts(with: "://".utf8) else { return nil }
    if reference.starts(with: "//".utf8) { return Array(base[...colon]) + reference }
    let authority = colon + 3
    let path = base[authority...].firstIndex { $0 == 0x2F || $0 == 0x3F || $0 == 0x23 } ?? base.count
    let query = base[path...].firstIndex { $0 == 0x3F || $0 == 0x23 } ?? base.count
    guard let first = reference.first else {
      return Array(base[..<(base.firstIndex(of: 0x23) ?? base.count)])
    }
    if first == 0x3F { return Array(base[..<query]) + reference }
    let split = reference.firstIndex(of: 0x3F) ?? reference.endIndex
    var whole = Array(reference[..<split])
    if first != 0x2F {
      let folder = base[path..<query].lastIndex(of: 0x2F).map { base[path...$0] } ?? []
      whole = (folder.isEmpty ? [0x2F] : Array(folder)) + whole
    }
    return Array(base[..<path]) + withoutDots(whole) + Array(reference[split...])
  }

  /// Whether a text begins with a URL scheme.
  private static func hasScheme(_ text: ArraySlice<UInt8>) -> Bool {
    guard let first = text.first, isLetter(first), let end = text.firstIndex(where: { !isOfScheme($0) })
    else { return false }
    return text[end] == 0x3A
  }

  private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }

  private static func isOfScheme(_ byte: UInt8) -> Bool {
    isLetter(byte) || (0x30...0x39).contains(byte) || byte == 0x2B || byte == 0x2D || byte == 0x2E
  }

  /// Removes the segments `.` and `..` from a path that begins with `/`.
  private static func withoutDots(_ path: [UInt8]) -> [UInt8] {
    var parts: [ArraySlice<UInt8>] = []
    let all = path.dropFirst().split(separator: 0x2F, omittingEmptySubsequences: false)
    for (index, part) in all.enumerated() {
      let isLast = index == all.count - 1
      if part.elementsEqual(".".utf8) {
        if isLast { parts.append([]) }
      } else if part.elementsEqual("..".utf8) {
        _ = parts.popLast()
        if isLast { parts.append([]) }
      } else {
        parts.append(part)
      }
    }
    var result: [UInt8] = []
    for part in parts { result += [0x2F] + part }
    return result.isEmpty ? [0x2F] : result
  }
}
