// Case folding and nearest-match hints for typed words. Pure; any thread.

import Platform

/// Case folding and nearest-match hints for typed words.
package enum Spelling {
  /// Converts the letters A to Z to lower case.
  static func small(_ text: String) -> String { text.asciiLowercased }

  /// A hint `; did you mean 'x'?`, or an empty string if no word is near enough.
  package static func hint(_ text: String, among words: [String]) -> String {
    NearestWord.find(to: text, among: words).map { "; did you mean '" + $0 + "'?" } ?? ""
  }
}
