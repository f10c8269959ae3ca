// The words of a subcommand's command line: options as `--name VALUE` or `--name=VALUE`, and what is no option.
// A value; main thread.

/// Goes through the words of a command line.
struct OptionWords {
  private var words: ArraySlice<String>
  /// The last option, and what stood behind its `=` until it is taken.
  private var option = ""
  private var attached: String?

  init(_ words: [String]) { self.words = words[...] }

  /// Whether nothing is left.
  var isEmpty: Bool { words.isEmpty }

  /// The next option, without its value, or the next other word; nil at the end.
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

  /// The value of the option that `next` has answered with.
  mutating func value(_ wanted: String = "a value") throws(UsageError) -> String {
    if let value = attached {
      attached = nil
      return value
    }
    guard let value = words.popFirst() else { throw UsageError("\(option) needs \(wanted)") }
    return value
  }

  /// Everything that is left.
  mutating func takeRest() -> [String] {
    defer { words = [] }
    return Array(words)
  }
}

/// The command line cannot be understood.
struct UsageError: Error {
  let sentence: String

  init(_ sentence: String) { self.sentence = sentence }
}
