// What stands behind a verb: how it is read, and how it is shown and completed. Pure; any thread.

/// One argument of a command, for usage lines, help and completion.
package struct ArgumentShape: Hashable, Sendable {
  /// What the word can be completed from.
  package enum Source: Hashable, Sendable {
    /// Nothing: a number, free text.
    case nothing
    case words([Choice])
    case settings
    /// Settings that have choices to go through.
    case cycles
    case settingGroups
    /// The values of the setting named by the word before.
    case settingValue
    /// Media, by the session's own listing.
    case paths
    case topics
  }

  /// As it stands in usage lines: `POSITION`, `on|off`.
  package let name: String
  /// What is wanted, to follow "wants": `a number from 1 to 5`.
  package let wanted: String
  /// What completes it; some arguments take fixed words besides.
  package let sources: [Source]
  /// Whether it can be left out.
  package internal(set) var isOptional = false
  /// Whether any number of them can follow.
  package internal(set) var isRepeated = false

  /// As it stands in usage lines: `[on|off]`, `PATH…`.
  package var usage: String {
    let text = name + (isRepeated ? "…" : "")
    return isOptional ? "[" + text + "]" : text
  }
}

/// The words of a line behind the verb, one after the other.
struct WordCursor {
  let words: [Word]
  private(set) var index: Int

  init(_ words: [Word], from index: Int) {
    self.words = words
    self.index = index
  }

  var isAtEnd: Bool { index >= words.count }
  var next: Word? { isAtEnd ? nil : words[index] }

  /// The next word, which must be there.
  mutating func take(_ shape: ArgumentShape) throws(ConsoleError) -> Word {
    guard index < words.count else {
      throw ConsoleError(.wrongUsage, shape.name + " is missing: " + shape.wanted)
    }
    index += 1
    return words[index - 1]
  }

  /// The words that are left.
  mutating func takeRest() -> [Word] {
    let rest = Array(words[min(index, words.count)...])
    index = words.count
    return rest
  }
}

/// How one argument is read, to a value of its type.
struct Argument<Value: Sendable>: Sendable {
  typealias Reader = @Sendable (inout WordCursor) throws(ConsoleError) -> Value

  var shapes: [ArgumentShape]
  let read: Reader

  /// Reads one word. `convert` returns nil for a word that is not wanted.
  init(
    _ name: String, _ wanted: String, _ sources: [ArgumentShape.Source] = [],
    convert: @escaping @Sendable (String) -> Value?
  ) {
    let shape = ArgumentShape(name: name, wanted: wanted, sources: sources)
    shapes = [shape]
    read = { (cursor: inout WordCursor) throws(ConsoleError) -> Value in
      let word = try cursor.take(shape)
      if let value = convert(word.text) { return value }
      var names: [String] = []
      for source in sources {
        if case .words(let choices) = source { names += choices.map { $0.name } }
      }
      throw ConsoleError(
        .badValue,
        "'" + word.text + "' is not " + wanted + Spelling.hint(word.text, among: names), column: word.column)
    }
  }

  init(_ shapes: [ArgumentShape], read: @escaping Reader) {
    self.shapes = shapes
    self.read = read
  }

  /// The same, or nothing at the end of the line.
  var optional: Argument<Value?> {
    var shapes = shapes
    for i in shapes.indices { shapes[i].isOptional = true }
    let read = read
    return Argument<Value?>(shapes) { (cursor: inout WordCursor) throws(ConsoleError) -> Value? in
      cursor.isAtEnd ? nil : try read(&cursor)
    }
  }

  /// The same, once or more often.
  var repeated: Argument<[Value]> {
    var shapes = shapes
    for i in shapes.indices { shapes[i].isRepeated = true }
    let read = read
    return Argument<[Value]>(shapes) { (cursor: inout WordCursor) throws(ConsoleError) -> [Value] in
      var values = [try read(&cursor)]
      while !cursor.isAtEnd { values.append(try read(&cursor)) }
      return values
    }
  }
}
