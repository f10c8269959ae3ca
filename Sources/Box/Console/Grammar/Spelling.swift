// Typed words: the case of letters, and "did you mean". Pure; any thread.

import Platform

/// Spelling of typed words.
package enum Spelling {
  /// The letters A to Z made small; everything else stays.
  static func small(_ text: String) -> String { text.asciiLowercased }

  /// `; did you mean 'x'?` or nothing.
  package static func hint(_ text: String, among words: [String]) -> String {
    NearestWord.find(to: text, among: words).map { "; did you mean '" + $0 + "'?" } ?? ""
  }
}
