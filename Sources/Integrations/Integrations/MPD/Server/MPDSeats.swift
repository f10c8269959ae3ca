// How many clients an MPD server has, who gives way, and how often passwords are tried. Pure values.

/// The limits of clients, in one place.
package enum MPDSeats {
  /// Clients at once.
  package static let maxClients = 100
  /// Clients at once that have not given the password, where there is one: the rest is for its owners.
  package static let maxStrangers = 80
  /// Nanoseconds that a client has to give the password where it may do nothing without it.
  package static let loginNanoseconds: UInt64 = 10_000_000_000
  /// Wrong passwords of one connection, after which it is closed.
  package static let maxWrongPasswords = 3

  /// A client as far as its seat is concerned.
  struct Client {
    /// Whether it has given the password; false where there is none.
    let isOwner: Bool
    /// Whether it has given a command.
    let hasSpoken: Bool
  }

  /// Which client gives way to one more.
  enum Room: Equatable {
    case free
    /// The client at this index ends.
    case replacing(Int)
    /// There is no room.
    case none
  }

  /// What a client that connects finds. Silent clients give way first, the oldest first; then strangers; never one that has given the
  /// password, nor, without a password, one that has given a command.
  ///
  /// - Parameter clients: Those that are there, the oldest first.
  static func room(among clients: [Client], hasPassword: Bool) -> Room {
    let strangers = clients.count { !$0.isOwner }
    guard clients.count >= maxClients || (hasPassword && strangers >= maxStrangers) else { return .free }
    if let silent = clients.firstIndex(where: { !$0.isOwner && !$0.hasSpoken }) { return .replacing(silent) }
    if hasPassword, let stranger = clients.firstIndex(where: { !$0.isOwner }) { return .replacing(stranger) }
    return .none
  }
}

/// How fast passwords may be tried, by all clients together: a new connection shortens no wait.
struct MPDLoginPace: Sendable {
  /// Wrong passwords that cost no wait.
  static let freeCount = 2
  static let firstWait: UInt64 = 500_000_000
  static let maxWait: UInt64 = 4_000_000_000
  /// Nanoseconds after which a wrong password counts no more.
  static let forgetNanoseconds: UInt64 = 10_000_000_000
  private static let maxCount = 16

  private var count = 0
  private var changedAt: UInt64 = 0

  /// Notes a try at `now`. Returns the nanoseconds until it is answered, which are as many for a right password.
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

/// What is noted once and then summed up, so that strangers cannot fill a log.
struct MPDNote: Sendable {
  static let pauseNanoseconds: UInt64 = 60_000_000_000

  private var notedAt: UInt64?
  private var unnoted = 0

  /// Counts an event. Returns how many there were since the last note; nil: this one is not noted now.
  mutating func count(now: UInt64) -> Int? {
    unnoted += 1
    if let notedAt, now &- notedAt < Self.pauseNanoseconds { return nil }
    notedAt = now
    defer { unnoted = 0 }
    return unnoted
  }
}
