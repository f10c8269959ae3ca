// Text that others wrote, made fit for a terminal: names of files, tags, what a worker says. Pure; any thread.

extension String {
  /// The text with a blank for each control character, so that it stays on its line, keeps its length in characters, and gives a terminal
  /// no orders. For protocols whose values are names that clients give back.
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

  /// The text without control characters and without those that turn the direction of writing: it stays on its line and
  /// gives the terminal no orders. At most `limit` bytes, cut at a character.
  package func printable(limit: Int = .max) -> String {
    var result = String.UnicodeScalarView()
    var length = 0
    for scalar in unicodeScalars {
      switch scalar.value {
      case 0..<0x20, 0x7F..<0xA0, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069, 0xFEFF, 0xFFF9...0xFFFB:
        continue
      // A byte of a name that is no UTF-8.
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
