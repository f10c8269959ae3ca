// Parser for a subcommand's arguments: options as `--name VALUE` or `--name=VALUE`, and other words. A plain value;
// main thread.

/// Iterates over command line arguments.
struct OptionWords {
  private var words: ArraySlice<String>
  /// The last option; `attached` is the value after its `=`, until that is consumed.
  private var option = ""
  private var attached: String?

  init(_ words: [String]) { self.words = words[...] }

  /// Whether all arguments have been consumed.
  var isEmpty: Bool { words.isEmpty }

  /// The next option without its value, or the next other argument; nil at the end.
  ///
  /// - Throws: `UsageError` if the previous option has a value but takes none.
  mutating func next() throws(UsageError) -> String? {
    if attached != nil { throw UsageError("\(option) takes no value") }
    guard let word = words.popFirst() else { return nil }
    let bytes = word.utf8
    guard bytes.starts(with: "--".utf8), let equals = bytes.firstIndex(of: 0x3D) else {
      option = word
      return word
    }
    option = String(word[..<equals])
    attached = String(word[bytes.index(after: equals)...])
    return option
  }

  /// Value of the option that `next` returned last.
  ///
  /// - Parameter wanted: Description of the value, for the error message.
  /// - Throws: `UsageError` if it is missing.
  mutating func value(_ wanted: String = "a value") throws(UsageError) -> String {
    if let value = attached {
      attached = nil
      return value
    }
    guard let value = words.popFirst() else { throw UsageError("\(option) needs \(wanted)") }
    return value
  }

  /// Consumes and returns the remaining arguments.
  mutating func takeRest() -> [String] {
    defer { words = [] }
    return Array(words)
  }
}

/// Invalid command line arguments.
struct UsageError: Error {
  let sentence: String

  init(_ sentence: String) { self.sentence = sentence }
}
