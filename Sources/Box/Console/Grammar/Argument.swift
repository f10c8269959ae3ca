// Command arguments: their shape for help and completion, and how they are parsed. Pure; any thread.

/// The shape of one argument, for usage lines, help and completion.
package struct ArgumentShape: Hashable, Sendable {
  /// A source of completions.
  package enum Source: Hashable, Sendable {
    /// No completions: a number or free text.
    case nothing
    case words([Choice])
    case settings
    /// Settings with a list of choices to cycle through.
    case cycles
    case settingGroups
    /// Values of the setting that the previous word names.
    case settingValue
    /// Media paths, listed by the session.
    case paths
    case topics
  }

  /// The placeholder in usage lines: `POSITION`, `on|off`.
  package let name: String
  /// A description of valid input, for error messages: `a number from 1 to 5`.
  package let wanted: String
  /// The sources of completions; an argument may combine fixed words with another source.
  package let sources: [Source]
  /// Whether the argument may be omitted.
  package internal(set) var isOptional = false
  /// Whether the argument may be repeated.
  package internal(set) var isRepeated = false

  /// The usage text, with brackets and an ellipsis where they apply: `[on|off]`, `PATH…`.
  package var usage: String {
    let text = name + (isRepeated ? "…" : "")
    return isOptional ? "[" + text + "]" : text
  }
}

/// Iterates over the words after the verb.
struct WordCursor {
  let words: [Word]
  private(set) var index: Int

  init(_ words: [Word], from index: Int) {
    self.words = words
    self.index = index
  }

  var isAtEnd: Bool { index >= words.count }
  var next: Word? { isAtEnd ? nil : words[index] }

  /// Returns the next word.
  ///
  /// - Throws: `wrongUsage` at the end of the line.
  mutating func take(_ shape: ArgumentShape) throws(ConsoleError) -> Word {
    guard index < words.count else {
      throw ConsoleError(.wrongUsage, shape.name + " is missing: " + shape.wanted)
    }
    index += 1
    return words[index - 1]
  }

  /// Returns all remaining words.
  mutating func takeRest() -> [Word] {
    let rest = Array(words[min(index, words.count)...])
    index = words.count
    return rest
  }
}

/// A parser for an argument that yields a typed value.
struct Argument<Value: Sendable>: Sendable {
  typealias Reader = @Sendable (inout WordCursor) throws(ConsoleError) -> Value

  var shapes: [ArgumentShape]
  let read: Reader

  /// Creates an argument of one word.
  ///
  /// - Parameters:
  ///   - name: The placeholder in usage lines.
  ///   - wanted: A description of valid input, for error messages.
  ///   - sources: The sources of completions.
  ///   - convert: Returns the value, or nil for an invalid word.
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

  /// This argument, or nil at the end of the line.
  var optional: Argument<Value?> {
    var shapes = shapes
    for i in shapes.indices { shapes[i].isOptional = true }
    let read = read
    return Argument<Value?>(shapes) { (cursor: inout WordCursor) throws(ConsoleError) -> Value? in
      cursor.isAtEnd ? nil : try read(&cursor)
    }
  }

  /// This argument, one or more times.
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
