// Console sessions on the control socket and the serial line. Control thread; never blocks.

import Console
import Platform

/// Accepts and ends sessions, and sends events to their subscribers.
final class SessionController: SessionOwner {
  /// Maximum number of sessions on the control socket.
  static let sessionLimit = 16

  private var sessions: [Session] = []
  /// Sessions that have ended, released on the next turn of the event loop.
  private var ended: [Session] = []
  private let farewellTimer: DeadlineTimer
  private let turns: RoundRobin
  /// The control socket: the settings it was opened with, and its listener and path.
  private var door: (wanted: (path: String?, group: String?)?, open: (watch: ListenerWatch, path: String)?) =
    (nil, nil)
  private var serial: SerialConsole?
  private let configuration: ConfigurationStore
  private let target: any CommandTarget
  private let integrations: IntegrationProcesses
  private let ticker: PositionTicker
  private let machine: any Machine
  private let feed: EventFeed
  private let log: Log
  private let socketOfUser: String?
  private var subscription: EventSubscription?

  init(
    _ configuration: ConfigurationStore, _ target: any CommandTarget,
    _ integrations: IntegrationProcesses, _ ticker: PositionTicker, on machine: any Machine, feed: EventFeed,
    log: Log, socketOfUser: String? = nil
  ) {
    self.socketOfUser = socketOfUser
    self.configuration = configuration
    self.target = target
    self.integrations = integrations
    self.ticker = ticker
    self.machine = machine
    self.feed = feed
    self.log = log
    farewellTimer = DeadlineTimer(machine.scheduler)
    turns = RoundRobin(machine.scheduler)
    ticker.isWanted = { [unowned(unsafe) self] in isWanted(EventSubjects([.position])) }
    ticker.onTick = { [unowned(unsafe) self] in send(.position, $0) }
    subscription = feed.listen { [unowned(unsafe) self] in take($0) }
  }

  /// Opens the control socket and the serial console as configured.
  func open() {
    log.onLine = { [unowned(unsafe) self] in show($0) }
    openSocket(configuration.settings)
    openConsole(configuration.settings)
  }

  /// Applies settings that were loaded after the start. Existing sessions are kept.
  ///
  /// - Returns: Whether the control socket was opened anew.
  func adoptLateSettings() -> Bool {
    let settings = configuration.settings
    let isChanged =
      settings.socketPath != door.wanted?.path || configuration.socketGroup != door.wanted?.group
    if isChanged {
      door.open = nil
      openSocket(settings)
    }
    if serial == nil { openConsole(settings) }
    return isChanged
  }

  private func openSocket(_ settings: Settings) {
    door.wanted = (settings.socketPath, configuration.socketGroup)
    if let path = settings.socketPath { listen(at: path, isUsual: path == Setting.usualSocketPath) }
  }

  private func openConsole(_ settings: Settings) {
    if let tty = settings.consoleTTY {
      serial = SerialConsole(
        path: tty, baud: settings.consoleBaud, pin: settings.consolePIN, on: machine, turns: turns,
        target: target, owner: self, log: log)
      serial?.start()
    }
  }

  /// Listens at a path. If the default path is not available, for example because the daemon was started by hand, uses
  /// the user's fallback path.
  private func listen(at path: String, isUsual: Bool) {
    do throws(SystemError) {
      try listen(at: path)
    } catch {
      guard isUsual, error.code != SystemError.addressInUse, let other = socketOfUser,
        (try? listen(at: other)) != nil
      else {
        log.write(.error, "No control socket: \(error.description). \(Self.advice(error))")
        return
      }
      log.write(
        .info,
        "The control socket is \(other), because the usual one cannot be had: \(error.description). "
          + "'swiftlet ctl' looks there, too.")
    }
  }

  private func listen(at path: String) throws(SystemError) {
    let listener = try listener(at: path)
    let watch = try ListenerWatch(listener, scheduler: machine.scheduler)
    watch.onConnection = { [unowned(unsafe) self] in accept($0) }
    watch.onFailure = { [unowned(unsafe) self] in
      log.write(.warning, "A session could not begin, for now: \($0.description)")
    }
    door.open = (watch, path)
  }

  /// Listens at a path. A socket that cannot be given to its group stays with the daemon's own: a box without a control
  /// socket would be worse.
  private func listener(at path: String) throws(SystemError) -> any ChannelListener {
    let group = configuration.socketGroup
    do throws(SystemError) {
      return try machine.listen(at: path, group: group)
    } catch {
      guard let group, error.call == LocalListener.groupCall else { throw error }
      log.write(
        .error,
        "socket.group: the control socket cannot be given to the group '\(group)' (\(error.reason)), so only root and the "
          + "daemon's own group may use it. Add the daemon's user to the group, or name another one.")
      return try machine.listen(at: path, group: nil)
    }
  }

  private static func advice(_ error: SystemError) -> String {
    switch error.code {
    case SystemError.addressInUse: "Another 'swiftlet run' is running; end it first, or set socket.path."
    case SystemError.noSuchFile: "Create its folder, or set socket.path to a path that can be written."
    case SystemError.accessDenied:
      "This user may not write there; set socket.path to a path that can be written."
    default: "Set socket.path to a path that can be written."
    }
  }

  /// Path of the control socket; nil: not open.
  var socketPath: String? { door.open?.path }

  /// Number of sessions.
  var count: Int { sessions.count + (serial?.session == nil ? 0 : 1) }

  /// Stops sending log lines and positions.
  func fallSilent() {
    log.onLine = nil
    ticker.stop()
  }

  /// Ends all sessions and closes the control socket.
  func end() {
    serial?.end()
    for session in sessions { session.end() }
    door.open = nil
  }

  private func accept(_ connection: any ByteChannel) {
    if sessions.count >= Self.sessionLimit { makeRoom() }
    do throws(SystemError) {
      sessions.append(
        try Session(
          connection, mode: .plain, lock: lock(for: connection), scheduler: machine.scheduler, turns: turns,
          target: target, owner: self))
    } catch {
      log.write(.warning, "A connection was refused: \(error.description)")
    }
  }

  private func lock(for connection: any ByteChannel) -> ConsoleLock {
    ConsoleLock(for: connection.peerGroup.flatMap { integrations.kind(ofGroup: $0) }) {
      [unowned(unsafe) self] kind in
      log.write(
        .warning,
        "A command of \(kind.title) was refused: \(kind.title) never sends it. If this repeats, the process may "
          + "be compromised: restrict the network that reaches it.",
        isPublic: true)
    }
  }

  /// Ends one session to make room for a new one, so that the user can always connect. Chooses the session idle
  /// longest, and those with a pending reply or subscription last.
  private func makeRoom() {
    func rank(_ session: Session) -> (Int, UInt64) { (session.isAwaited ? 1 : 0, session.heardAt) }
    guard let idlest = sessions.min(by: { rank($0) < rank($1) }) else { return }
    let seconds = (machine.scheduler.now - idlest.heardAt) / 1_000_000_000
    // Do not log when a client opens connections in a loop and displaces its own sessions.
    if seconds > 0 {
      log.write(
        .warning,
        "A session was ended for a new one: there are \(sessions.count), and it was silent for \(seconds) s.",
        isPublic: true)
    }
    idlest.end()
  }

  // MARK: Events

  private func take(_ event: StampedEvent) {
    ticker.tickSoon()
    switch event.event {
    case .setting(.consolePIN?, _), .setting(nil, _): serial?.setPIN(configuration.settings.consolePIN)
    default: break
    }
    guard let subject = event.event.subject, isWanted(EventSubjects([subject])),
      let notice = event.notice(seconds: feed.seconds(event))
    else { return }
    send(subject, notice)
  }

  private func isWanted(_ subjects: EventSubjects) -> Bool {
    if let session = serial?.session, session.wants(subjects) { return true }
    return sessions.contains { $0.wants(subjects) }
  }

  private func send(_ subject: EventSubject, _ notice: Notice) {
    for session in sessions { session.take(subject, notice) }
    serial?.session?.take(subject, notice)
  }

  /// Shows a log line on the serial console.
  private func show(_ line: LogLine) {
    if let session = serial?.session, session.showsLog { session.show(Notice("log", log.text(of: line))) }
  }

  // MARK: Requests of sessions

  func watchersDidChange() { ticker.tickSoon() }

  var lastEvent: UInt64 { feed.lastID }

  func events(after id: UInt64, about subjects: EventSubjects) -> (notices: [Notice], missed: Int) {
    let found = feed.events(after: id, about: subjects)
    return (found.events.compactMap { $0.notice(seconds: feed.seconds($0)) }, found.missed)
  }

  func didRefusePIN() { log.write(.warning, "A wrong PIN was typed on the serial console.") }

  func didEnd(_ session: Session) {
    // The session may be in the middle of reading, so release it later.
    ended.append(session)
    farewellTimer.start(after: 0) { [unowned(unsafe) self] in ended = [] }
    if serial?.session === session {
      serial?.didEnd()
    } else {
      sessions.removeAll { $0 === session }
    }
  }
}
