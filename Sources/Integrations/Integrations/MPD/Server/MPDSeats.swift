// Limits of the MPD server: number of clients, displacement of clients, password attempts, log messages. Pure values.

/// Limits on clients.
package enum MPDSeats {
  /// Maximum number of clients.
  package static let maxClients = 100
  /// Maximum number of clients without the password, if there is one. The remaining places are reserved.
  package static let maxStrangers = 80
  /// Timeout in nanoseconds for a client to send the password if it is required for all commands.
  package static let loginNanoseconds: UInt64 = 10_000_000_000
  /// Number of wrong passwords after which a connection is closed.
  package static let maxWrongPasswords = 3

  /// The properties of a client that decide whether it may be displaced.
  struct Client {
    /// Whether it has sent the password; false if there is none.
    let isOwner: Bool
    /// Whether it has sent a command.
    let hasSpoken: Bool
  }

  /// Whether a further client can be accepted.
  enum Room: Equatable {
    case free
    /// The client at this index must be disconnected.
    case replacing(Int)
    /// No client can be displaced.
    case none
  }

  /// Decides about a new client. Displaces the oldest client that has sent no command, else the oldest without the
  /// password. Clients with the password are never displaced; without a password, neither are clients that have sent
  /// a command.
  ///
  /// - Parameters:
  ///   - clients: The connected clients, oldest first.
  ///   - hasPassword: Whether the server has a password.
  /// - Returns: Whether there is room, and which client to displace.
  static func room(among clients: [Client], hasPassword: Bool) -> Room {
    let strangers = clients.count { !$0.isOwner }
    guard clients.count >= maxClients || (hasPassword && strangers >= maxStrangers) else { return .free }
    if let silent = clients.firstIndex(where: { !$0.isOwner && !$0.hasSpoken }) { return .replacing(silent) }
    if hasPassword, let stranger = clients.firstIndex(where: { !$0.isOwner }) { return .replacing(stranger) }
    return .none
  }
}

/// Rate limit of password attempts, shared by all clients, so that reconnecting does not help.
struct MPDLoginPace: Sendable {
  /// Number of wrong passwords without a delay.
  static let freeCount = 2
  static let firstWait: UInt64 = 500_000_000
  static let maxWait: UInt64 = 4_000_000_000
  /// Nanoseconds after which one wrong password is forgotten.
  static let forgetNanoseconds: UInt64 = 10_000_000_000
  private static let maxCount = 16

  private var count = 0
  private var changedAt: UInt64 = 0

  /// Registers an attempt.
  ///
  /// - Parameters:
  ///   - isRight: Whether the password was right.
  ///   - now: The present time in nanoseconds.
  /// - Returns: The delay of the answer in nanoseconds. It does not depend on `isRight`.
  mutating func wait(isRight: Bool, now: UInt64) -> UInt64 {
    let forgotten = Int(clamping: (now &- changedAt) / Self.forgetNanoseconds)
    if count > 0, forgotten > 0 {
      count = max(0, count - forgotten)
      changedAt = now
    }
    let wait =
      count < Self.freeCount ? 0 : min(Self.firstWait << UInt64(count - Self.freeCount), Self.maxWait)
    if !isRight {
      count = min(count + 1, Self.maxCount)
      changedAt = now
    }
    return wait
  }
}

/// Rate limit of a log message: reports the first event, then a sum per minute.
struct MPDNote: Sendable {
  static let pauseNanoseconds: UInt64 = 60_000_000_000

  private var notedAt: UInt64?
  private var unnoted = 0

  /// Counts an event.
  ///
  /// - Returns: The number of events since the last message; nil if no message is due.
  mutating func count(now: UInt64) -> Int? {
    unnoted += 1
    if let notedAt, now &- notedAt < Self.pauseNanoseconds { return nil }
    notedAt = now
    defer { unnoted = 0 }
    return unnoted
  }
}
