// Words as they are typed: their letters, and "did you mean". Pure; any thread.

import Platform

/// Spelling of typed words.
package enum Spelling {
  /// The letters A to Z made small; everything else stays. (`lowercased()` needs large Unicode tables.)
  static func small(_ text: String) -> String {
    guard text.utf8.contains(where: { $0 >= 0x41 && $0 <= 0x5A }) else { return text }
    var bytes: [UInt8] = []
    for byte in text.utf8 { bytes.append(byte >= 0x41 && byte <= 0x5A ? byte + 0x20 : byte) }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// `; did you mean 'x'?` or nothing.
  package static func hint(_ text: String, among words: [String]) -> String {
    NearestWord.find(to: text, among: words).map { "; did you mean '" + $0 + "'?" } ?? ""
  }
}
