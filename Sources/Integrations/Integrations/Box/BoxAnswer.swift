// What a box has answered to a command, for programs. A value; the integration's one thread.

/// A field of an answer.
package struct BoxField: Hashable, Sendable {
  /// Its name, as `docs/console.md` has it.
  package let name: String
  /// Its value, whole.
  package let value: String
}

/// Fields that belong together: an answer's own, or those of a row.
package struct BoxFields: Hashable, Sendable {
  private var fields: [BoxField] = []
  /// All of them, in order.
  package var all: [BoxField] { fields }

  /// No fields.
  package init() {}

  /// The value of a field; nil where it was left out.
  package subscript(_ name: String) -> String? { fields.first { $0.name == name }?.value }

  /// A field that is a whole number.
  package func integer(_ name: String) -> Int? { self[name].flatMap { Int($0) } }

  /// A field that says yes or no.
  package func isOn(_ name: String) -> Bool { self[name] == "yes" }

  mutating func add(_ field: BoxField) { fields.append(field) }
}

/// An answer, or why there is none.
package enum BoxAnswer: Hashable, Sendable {
  case done(BoxFields, rows: [BoxFields])
  /// The box understood, and will or can not. The sentence is for a person.
  case refused(String)
  /// Nobody answers: the box is not running, or has gone.
  case gone
}
