// The table of MPD commands with their required permissions and argument counts. Pure.

/// A command's declaration.
struct MPDCommand: Sendable {
  typealias Action = @Sendable (MPDCall, inout MPDSession) throws(MPDRefusal) -> MPDPlan

  let name: String
  /// The permission that a client needs.
  let permission: MPDPermission
  let arguments: ClosedRange<Int>
  let action: Action

  init(
    _ name: String, _ arguments: ClosedRange<Int> = 0...0, needs permission: MPDPermission = .everything,
    _ action: @escaping Action
  ) {
    self.name = name
    self.permission = permission
    self.arguments = arguments
    self.action = action
  }

  /// All commands, sorted as MPD's `commands` lists them.
  static let table =
    (connection + options + playback + queue + priorities + browsing + playlists + library + pictures
    + stickers
    + matching + outputs)
    .sorted {
      $0.name.utf8.lexicographicallyPrecedes($1.name.utf8)
    }

  /// Any number of arguments.
  static let many = 0...MPDRequest.maxArguments

  /// Checks a request and returns the plan for its execution.
  static func plan(_ request: MPDRequest, _ session: inout MPDSession) throws(MPDRefusal) -> MPDPlan {
    guard let command = table.first(where: { $0.name == request.command }) else {
      throw MPDRefusal(.unknown, "unknown command \"\(request.command)\"")
    }
    guard command.permission <= session.permission else {
      throw MPDRefusal(.permission, "you don't have permission for \"\(command.name)\"")
    }
    let (least, most, count) = (
      command.arguments.lowerBound, command.arguments.upperBound, request.arguments.count
    )
    guard command.arguments.contains(count) else {
      let what = least == most ? "wrong number of" : count < least ? "too few" : "too many"
      throw MPDRefusal(.argument, "\(what) arguments for \"\(command.name)\"")
    }
    return try command.action(MPDCall(request.arguments), &session)
  }

  /// Whether a command exists. Errors of unknown commands name no command, as in MPD.
  static func isKnown(_ name: String) -> Bool { table.contains { $0.name == name } }
}

/// The arguments of a call.
struct MPDCall: Sendable {
  let arguments: [String]

  init(_ arguments: [String]) { self.arguments = arguments }

  /// An optional argument; nil if absent.
  subscript(_ place: Int) -> String? { place < arguments.count ? arguments[place] : nil }

  /// A required argument; the table guarantees its presence.
  func first() -> String { arguments[0] }
  func second() -> String { arguments[1] }
}
