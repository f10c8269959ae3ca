// The permissions of MPD clients and the server's password. Pure values.

/// A client's permission; each level includes the lower ones. MPD subdivides the highest level further.
package enum MPDPermission: Comparable, Sendable, CaseIterable {
  /// Sending the password, and commands about the connection.
  case nothing
  /// Queries of status, library and changes.
  case read
  /// Adding to the queue.
  case add
  /// All commands.
  case everything

  /// Parses a permission's name in settings; nil if it is unknown.
  package init?(name: String) {
    guard let known = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = known
  }

  /// The permission's name in settings.
  package var name: String {
    switch self {
    case .nothing: "nothing"
    case .read: "read"
    case .add: "add"
    case .everything: "everything"
    }
  }
}

/// The access rules of a server.
package struct MPDAccess: Sendable {
  /// The password for all commands; nil: none is required.
  let password: String?
  /// The permission without the password.
  let guests: MPDPermission

  /// - Parameters:
  ///   - password: The password for all commands; nil: all commands are allowed without one.
  ///   - guests: The permission of clients that have not sent the password.
  package init(password: String?, guests: MPDPermission = .nothing) {
    self.password = password
    self.guests = password == nil ? .everything : guests
  }
}
