// Answers to commands. Pure values; control thread.

/// What a field holds.
public enum FieldValue: Hashable, Sendable {
  case text(String)
  case integer(Int)
  /// With so many decimals, 0…6.
  case decimal(Double, decimals: Int)
  case isOn(Bool)
  /// Not known, or does not apply.
  case none
}

/// A name with a value, for programs and for people.
public struct Field: Hashable, Sendable {
  /// The name: small letters and hyphens.
  public var name: String
  /// The value.
  public var value: FieldValue

  /// A field of any value.
  public init(_ name: String, _ value: FieldValue) {
    self.name = name
    self.value = value
  }

  /// A field with text.
  public init(_ name: String, _ text: String) { self.init(name, .text(text)) }
  /// A field with a whole number.
  public init(_ name: String, _ number: Int) { self.init(name, .integer(number)) }
  /// A field with yes or no.
  public init(_ name: String, _ isOn: Bool) { self.init(name, .isOn(isOn)) }
}

/// One line of a list: a sentence for people, and fields for programs.
public struct Row: Hashable, Sendable {
  /// The line in text.
  public var text: String
  /// The object in JSON; without fields its one field is `text`.
  public var fields: [Field]

  /// A line of a list.
  public init(_ text: String, _ fields: [Field] = []) {
    self.text = text
    self.fields = fields
  }
}

/// The answer to a command that was understood and done.
public struct Answer: Hashable, Sendable {
  /// What was done, in a few words; may be empty.
  public var message: String
  /// Facts: `name: value` lines in text, an object in JSON.
  public var fields: [Field]
  /// A list, shown after the fields.
  public var rows: [Row]

  /// An answer.
  public init(_ message: String = "", fields: [Field] = [], rows: [Row] = []) {
    self.message = message
    self.fields = fields
    self.rows = rows
  }
}

/// What a command is answered with.
public enum Reply: Hashable, Sendable {
  case ok(Answer)
  case error(ConsoleError)

  /// Done, and told in a few words.
  public static func ok(_ message: String = "") -> Reply { .ok(Answer(message)) }

  /// Understood, but it could not be done, as a sentence.
  public static func failed(_ sentence: String) -> Reply { .error(ConsoleError(.failed, sentence)) }

  /// Whether it was done.
  public var isOK: Bool {
    if case .ok = self { true } else { false }
  }
}

/// A line that no command asked for just then: a log line, an event.
public struct Notice: Hashable, Sendable {
  /// What it is: `log`, or the name of an event's subject.
  public var event: String
  /// The line in text.
  public var text: String
  /// The facts in JSON.
  public var fields: [Field]

  /// A notice.
  public init(_ event: String, _ text: String, _ fields: [Field] = []) {
    self.event = event
    self.text = text
    self.fields = fields
  }
}
