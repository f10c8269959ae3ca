// The MPD server: accepts clients and distributes the daemon's changes to them. Single thread; never blocks.

import Console
import Platform

/// A server for MPD clients.
package final class MPDServer: MPDClientOwner {
  /// Maximum total of unsent bytes of all clients.
  package static let maxUnsent = 8 << 20

  /// Subjects of the daemon's events to subscribe to.
  package static let subjects = EventSubjects([
    .state, .track, .queue, .volume, .setting, .output, .error, .storage, .library, .playlist, .sticker,
    .sleep,
  ])

  private let door: ListenerWatch
  private let scheduler: any Scheduler
  private let turns: RoundRobin
  private let box: MPDBox
  private let access: MPDAccess
  private var clients: [MPDClient] = []
  /// Disconnected clients, released in the next turn of the event loop.
  private var ended: [MPDClient] = []
  private let farewell: DeadlineTimer
  private var unsent = 0
  private(set) var changeCounts = MPDChangeCounts()
  private var pace = MPDLoginPace()
  private var refusals = MPDNote()
  private var wrongPasswords = MPDNote()
  /// Called with messages for the log.
  package var onNote: (String) -> Void = { _ in }

  /// Starts accepting clients.
  ///
  /// - Parameters:
  ///   - listener: The listening socket.
  ///   - box: Executes commands.
  ///   - access: The password and the permission without it.
  ///   - scheduler: The event loop.
  /// - Throws: `SystemError` if the socket cannot be watched.
  package init(
    _ listener: any ChannelListener, box: any BoxCommands, access: MPDAccess, scheduler: any Scheduler
  ) throws(SystemError) {
    door = try ListenerWatch(listener, scheduler: scheduler)
    self.scheduler = scheduler
    turns = RoundRobin(scheduler)
    self.access = access
    self.box = MPDBox(box)
    farewell = DeadlineTimer(scheduler)
    door.onConnection = { [unowned(unsafe) self] in accept($0) }
    door.onFailure = { [unowned(unsafe) self] in noteRefused($0) }
  }

  /// The number of clients.
  package var clientCount: Int { clients.count }

  /// Processes an event of the daemon.
  package func note(_ subject: String, _ fields: BoxFields) {
    let changed = MPDSubsystems.changed(by: subject, fields)
    // At the start of an index update the contents are still the same.
    if subject != "library" || changed.contains(.database) { box.forget(subject) }
    tell(changed)
  }

  private func tell(_ changed: MPDSubsystems) {
    guard !changed.isEmpty else { return }
    changeCounts.add(changed)
    for client in clients { client.note(changed) }
  }

  /// The daemon was connected or lost: reports everything as changed.
  package func noteBox() {
    box.forgetAll()
    tell(
      MPDSubsystems([
        .playlist, .player, .mixer, .options, .output, .database, .update, .storedPlaylist, .sticker,
      ]))
  }

  private func accept(_ channel: any ByteChannel) {
    switch MPDSeats.room(among: clients.map { $0.seat }, hasPassword: access.password != nil) {
    case .free: break
    case .replacing(let place):
      if let count = refusals.count(now: scheduler.now) {
        onNote("\(count) clients made room for others: all seats were taken")
      }
      clients[place].end()
    case .none:
      if let count = refusals.count(now: scheduler.now) {
        onNote("\(count) clients were sent away: there are \(clientCount)")
      }
      return
    }
    do throws(SystemError) {
      let client = try MPDClient(
        channel, box, access, scheduler: scheduler, turns: turns, owner: self)
      clients.append(client)
      client.greet()
    } catch {
      noteRefused(error)
    }
  }

  private func noteRefused(_ error: SystemError) {
    onNote("a client could not be accepted: \(error.description)")
  }

  // MARK: Interface for clients

  func ensureTold(_ wanted: [MPDSubsystem], since before: MPDChangeCounts) {
    let missing = wanted.filter { changeCounts[$0] == before[$0] }
    if missing.contains(.playlist) { box.touchQueue() }
    tell(MPDSubsystems(missing))
  }

  func didEnd(_ client: MPDClient) {
    clients.removeAll { $0 === client }
    // The client may be running; it is released in the next turn.
    ended.append(client)
    farewell.start(after: 0) { [unowned(unsafe) self] in ended = [] }
  }

  func waitForLogin(isRight: Bool) -> UInt64 {
    if !isRight, let count = wrongPasswords.count(now: scheduler.now) {
      onNote(count == 1 ? "a client gave a wrong password" : "clients gave \(count) wrong passwords")
    }
    return pace.wait(isRight: isRight, now: scheduler.now)
  }

  func tell(channel: String, _ text: String) -> Bool {
    var isHeard = false
    for client in clients where client.take(channel: channel, text) { isHeard = true }
    return isHeard
  }

  var channels: [String] {
    var names: [String] = []
    for client in clients { for name in client.channels where !names.contains(name) { names.append(name) } }
    return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  func account(_ change: Int) -> Bool {
    unsent += change
    return unsent <= Self.maxUnsent
  }
}
