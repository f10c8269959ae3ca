// Who may do what as a client of MPD's protocol. Pure values.

/// What a client may do; each includes those before it. MPD divides `everything` further, which a box gives together.
package enum MPDPermission: Comparable, Sendable, CaseIterable {
  /// To give the password, and what concerns the connection alone.
  case nothing
  /// To look: what plays, what there is, what changes.
  case read
  /// To put something into the queue, too.
  case add
  /// All that there is.
  case everything

  /// The word for it; nil for no word that there is.
  package init?(name: String) {
    guard let known = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = known
  }

  /// The word for it in settings.
  package var name: String {
    switch self {
    case .nothing: "nothing"
    case .read: "read"
    case .add: "add"
    case .everything: "everything"
    }
  }
}

/// Whom a server asks for what.
package struct MPDAccess: Sendable {
  /// What allows everything; nil: no client needs it.
  let password: String?
  /// What is allowed without it.
  let guests: MPDPermission

  /// - Parameters:
  ///   - password: What allows everything; nil: everything is allowed at once.
  ///   - guests: What is allowed to those that do not give it.
  package init(password: String?, guests: MPDPermission = .nothing) {
    self.password = password
    self.guests = password == nil ? .everything : guests
  }
}
