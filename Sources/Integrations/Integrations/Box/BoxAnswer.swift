// The daemon's answer to a console command, parsed for integrations. A value; the integration's single thread.

/// A field of an answer.
package struct BoxField: Hashable, Sendable {
  /// The name, as documented in `docs/reference/console.md`.
  package let name: String
  /// The value, unescaped.
  package let value: String
}

/// The fields of an answer or of one of its rows.
package struct BoxFields: Hashable, Sendable {
  private var fields: [BoxField] = []
  /// All fields, in order.
  package var all: [BoxField] { fields }

  /// An empty set of fields.
  package init() {}

  /// The value of a field; nil if it is absent.
  package subscript(_ name: String) -> String? { fields.first { $0.name == name }?.value }

  /// The value of an integer field; nil if it is absent or not an integer.
  package func integer(_ name: String) -> Int? { self[name].flatMap { Int($0) } }

  /// Whether a field's value is `yes`.
  package func isOn(_ name: String) -> Bool { self[name] == "yes" }

  mutating func add(_ field: BoxField) { fields.append(field) }
}

/// An answer, or the reason why there is none.
package enum BoxAnswer: Hashable, Sendable {
  case done(BoxFields, rows: [BoxFields])
  /// The daemon has refused the command, with a sentence for the user.
  case refused(String)
  /// The daemon has refused the command, because the queue has changed since the version that it names.
  case outdated(String)
  /// There is no connection to the daemon.
  case gone
}
