// Makes untrusted text (file names, tags, worker messages) safe to print on a terminal. Pure; any thread.

extension String {
  /// The text with each control character replaced by a blank, so that it stays on one line, keeps its number
  /// of characters and contains no terminal commands. For protocols in which clients send names back.
  package func replacingControls() -> String {
    var result = String.UnicodeScalarView()
    for scalar in unicodeScalars {
      switch scalar.value {
      case 0..<0x20, 0x7F..<0xA0: result.append(" ")
      default: result.append(scalar)
      }
    }
    return String(result)
  }

  /// The text without control characters and bidirectional formatting characters, so that it stays on one
  /// line and contains no terminal commands. At most `limit` bytes, cut at a character boundary.
  package func printable(limit: Int = .max) -> String {
    var result = String.UnicodeScalarView()
    var length = 0
    for scalar in unicodeScalars {
      switch scalar.value {
      case 0..<0x20, 0x7F..<0xA0, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069, 0xFEFF, 0xFFF9...0xFFFB:
        continue
      // A byte of a path that is not UTF-8 (see `String(pathBytes:)`).
      case 0xEF80...0xEFFF:
        length += 3
        if length <= limit { result.append("\u{FFFD}") }
        continue
      default: break
      }
      length += UTF8.width(scalar)
      if length > limit { break }
      result.append(scalar)
    }
    return String(result)
  }
}
