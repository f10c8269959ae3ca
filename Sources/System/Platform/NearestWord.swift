// Finds the nearest match of a mistyped word. Pure; any thread.

/// Nearest-match search among words.
package enum NearestWord {
  /// The most bytes of a compared word; longer words never match.
  private static let maxBytes = 64

  /// Finds the nearest word: it begins with `text` (of at least two letters), or its edit distance is at most
  /// a third of the text's length. An edit is a wrong, missing or additional letter, or two swapped letters.
  ///
  /// - Returns: The word; nil if none is near enough.
  package static func find(to text: String, among words: [String]) -> String? {
    let typed = Array(text.asciiLowercased.utf8)
    guard !typed.isEmpty, typed.count <= maxBytes else { return nil }
    var best: String?
    var bestDistance = max(1, min(3, typed.count / 3)) + 1
    for word in words {
      let distance = slips(typed, Array(word.utf8), below: bestDistance)
      if distance < bestDistance {
        bestDistance = distance
        best = word
      }
    }
    if best == nil || bestDistance > 1, typed.count >= 2 {
      for word in words where word.utf8.starts(with: typed) { return word }
      for word in words where endsPart(word, with: typed) { return word }
    }
    return best
  }

  /// Finds a file name that differs only in case or in the encoding of accents, or else the nearest name by
  /// the rules of `find`.
  ///
  /// - Returns: The name; nil if none is near enough.
  package static func name(to text: String, among names: [String]) -> String? {
    let typed = text.asciiLowercased
    if let same = names.first(where: { TextFolding.areAlike($0, text) }) { return same }
    guard let near = find(to: typed, among: names.map { $0.asciiLowercased }) else { return nil }
    return names.first { $0.asciiLowercased == near }
  }

  /// Whether the part of a setting's key after the dot is `typed`: `curve` for `fade.curve`.
  private static func endsPart(_ word: String, with typed: [UInt8]) -> Bool {
    let bytes = Array(word.utf8)
    guard bytes.count > typed.count + 1, bytes[bytes.count - typed.count - 1] == 0x2E else { return false }
    return bytes[(bytes.count - typed.count)...].elementsEqual(typed)
  }

  /// The edit distance of two words (optimal string alignment), at most `limit`.
  private static func slips(_ a: [UInt8], _ b: [UInt8], below limit: Int) -> Int {
    guard b.count <= maxBytes, abs(a.count - b.count) < limit else { return limit }
    var beforePrevious = [Int](repeating: 0, count: b.count + 1)
    var previous = Array(0...b.count)
    var row = previous
    for i in 0..<a.count {
      row[0] = i + 1
      for j in 0..<b.count {
        var cost = min(previous[j + 1], row[j]) + 1
        cost = min(cost, previous[j] + (a[i] == b[j] ? 0 : 1))
        if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { cost = min(cost, beforePrevious[j - 1] + 1) }
        row[j + 1] = cost
      }
      beforePrevious = previous
      previous = row
    }
    return min(previous[b.count], limit)
  }
}
