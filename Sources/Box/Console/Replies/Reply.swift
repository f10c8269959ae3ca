// Answers to commands. Pure values; control thread.

/// What a field holds.
package enum FieldValue: Hashable, Sendable {
  case text(String)
  case integer(Int)
  /// With so many decimals, 0…6.
  case decimal(Double, decimals: Int)
  case isOn(Bool)
  /// Several texts: an array in JSON, a line each in lines.
  case list([String])
  /// Not known, or does not apply.
  case none
}

/// A name with a value, for programs and for people.
package struct Field: Hashable, Sendable {
  /// The name: small letters and hyphens.
  package var name: String
  /// The value.
  package var value: FieldValue

  /// A field of any value.
  package init(_ name: String, _ value: FieldValue) {
    self.name = name
    self.value = value
  }

  /// A field with text.
  package init(_ name: String, _ text: String) { self.init(name, .text(text)) }
  /// A field with a whole number.
  package init(_ name: String, _ number: Int) { self.init(name, .integer(number)) }
  /// A field with yes or no.
  package init(_ name: String, _ isOn: Bool) { self.init(name, .isOn(isOn)) }
}

/// One line of a list: a sentence for people, and fields for programs.
package struct Row: Hashable, Sendable {
  /// The line in text.
  package var text: String
  /// The object in JSON; without fields its one field is `text`.
  package var fields: [Field]
  /// Where prose goes on in the lines below, in columns, when it has more than one line's; nil: it stays one line.
  package var hanging: Int?

  /// A line of a list.
  package init(_ text: String, _ fields: [Field] = [], hanging: Int? = nil) {
    self.text = text
    self.fields = fields
    self.hanging = hanging
  }
}

/// The answer to a command that was understood and done.
package struct Answer: Hashable, Sendable {
  /// What was done, in a few words; may be empty.
  package var message: String
  /// Facts: `name: value` lines in text, an object in JSON.
  package var fields: [Field]
  /// A list, shown after the fields.
  package var rows: [Row]

  /// An answer.
  package init(_ message: String = "", fields: [Field] = [], rows: [Row] = []) {
    self.message = message
    self.fields = fields
    self.rows = rows
  }
}

/// What a command is answered with.
package enum Reply: Hashable, Sendable {
  case ok(Answer)
  case error(ConsoleError)

  /// Done, and told in a few words.
  package static func ok(_ message: String = "") -> Reply { .ok(Answer(message)) }

  /// Understood, but it could not be done, as a sentence.
  package static func failed(_ sentence: String) -> Reply { .error(ConsoleError(.failed, sentence)) }

  /// The same, and something else that is worth knowing, as a sentence.
  package func adding(_ note: String?) -> Reply {
    guard let note, case .ok(var answer) = self else { return self }
    answer.message += (answer.message.utf8.isEmpty ? "" : "; ") + note
    return .ok(answer)
  }

  /// Whether it was done.
  package var isOK: Bool {
    if case .ok = self { true } else { false }
  }
}

/// A line that no command asked for just then: a log line, an event.
package struct Notice: Hashable, Sendable {
  /// What it is: `log`, or the name of an event's subject.
  package var event: String
  /// The line in text.
  package var text: String
  /// The facts in JSON.
  package var fields: [Field]

  /// A notice.
  package init(_ event: String, _ text: String, _ fields: [Field] = []) {
    self.event = event
    self.text = text
    self.fields = fields
  }
}
