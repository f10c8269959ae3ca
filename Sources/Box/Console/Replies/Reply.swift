// The value types of command answers and notices. Pure values; control thread.

/// The value of a field.
package enum FieldValue: Hashable, Sendable {
  case text(String)
  case integer(Int)
  /// A number with 0 to 6 decimals.
  case decimal(Double, decimals: Int)
  case isOn(Bool)
  /// Several strings: an array in JSON, one line each in `lines` format.
  case list([String])
  /// Unknown or not applicable.
  case none
}

/// A named value.
package struct Field: Hashable, Sendable {
  /// The name: lower-case letters and hyphens.
  package var name: String
  /// The value.
  package var value: FieldValue

  /// Creates a field of any type.
  package init(_ name: String, _ value: FieldValue) {
    self.name = name
    self.value = value
  }

  /// Creates a text field.
  package init(_ name: String, _ text: String) { self.init(name, .text(text)) }
  /// Creates an integer field.
  package init(_ name: String, _ number: Int) { self.init(name, .integer(number)) }
  /// Creates a Boolean field.
  package init(_ name: String, _ isOn: Bool) { self.init(name, .isOn(isOn)) }
}

/// One row of a list: a line of text for users and fields for programs.
package struct Row: Hashable, Sendable {
  /// The row in text format.
  package var text: String
  /// The row's object in JSON; without fields it has the one field `text`.
  package var fields: [Field]
  /// The indent in columns of continuation lines when the text is wrapped; nil: the text is not wrapped.
  package var hanging: Int?

  /// Creates a row.
  package init(_ text: String, _ fields: [Field] = [], hanging: Int? = nil) {
    self.text = text
    self.fields = fields
    self.hanging = hanging
  }
}

/// The answer to a successful command.
package struct Answer: Hashable, Sendable {
  /// The most entries that a list shows if no count is given.
  package static let pageRows = 50

  /// A short description of the result; may be empty.
  package var message: String
  /// Facts: `name: value` lines in text, an object in JSON.
  package var fields: [Field]
  /// A list, shown after the fields.
  package var rows: [Row]

  /// Creates an answer.
  package init(_ message: String = "", fields: [Field] = [], rows: [Row] = []) {
    self.message = message
    self.fields = fields
    self.rows = rows
  }
}

/// The result of a command: an answer or an error.
package enum Reply: Hashable, Sendable {
  case ok(Answer)
  case error(ConsoleError)

  /// Creates a successful reply with a short message.
  package static func ok(_ message: String = "") -> Reply { .ok(Answer(message)) }

  /// Creates an error reply for a valid command that could not be carried out.
  package static func failed(_ sentence: String) -> Reply { .error(ConsoleError(.failed, sentence)) }

  /// Appends a note to a successful reply's message. An error reply is returned unchanged.
  package func adding(_ note: String?) -> Reply {
    guard let note, case .ok(var answer) = self else { return self }
    answer.message += (answer.message.utf8.isEmpty ? "" : "; ") + note
    return .ok(answer)
  }

  /// Whether the command succeeded.
  package var isOK: Bool {
    if case .ok = self { true } else { false }
  }
}

/// An unsolicited line: a log line or an event.
package struct Notice: Hashable, Sendable {
  /// `log`, or the name of the event's subject.
  package var event: String
  /// The line in text format.
  package var text: String
  /// The fields in JSON.
  package var fields: [Field]

  /// Creates a notice.
  package init(_ event: String, _ text: String, _ fields: [Field] = []) {
    self.event = event
    self.text = text
    self.fields = fields
  }
}
