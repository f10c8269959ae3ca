// Completion of texts to sentences. Pure; any thread.

extension String {
  /// The text with a full stop added, unless it ends in a full stop, a question mark or an exclamation mark.
  package var asSentence: String {
    switch utf8.last {
    case 0x2E, 0x3F, 0x21, nil: self
    default: self + "."
    }
  }
}
