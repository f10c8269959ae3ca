// Everybody who gives commands: sessions on the control socket and on the serial line. Control thread; never waits.

import Console
import Platform

/// Accepts, keeps and ends sessions, and sends events to those that want them.
final class SessionController: SessionOwner {
  /// Sessions at once on the control socket.
  static let sessionLimit = 16

  /// Called when it is known where programs find the box.
  var onOpen: () -> Void = {}
  /// Which integration a group of processes is; nil: none.
  var integration: (_ group: Int32) -> IntegrationKind? = { _ in nil }
  private var sessions: [Session] = []
  /// Sessions that are over and let go a little later.
  private var ended: [Session] = []
  private let farewellTimer: DeadlineTimer
  private let turns: RoundRobin
  /// The control socket: what it was opened for, and where it is.
  private var door: (wanted: (path: String?, group: String?)?, open: (watch: ListenerWatch, path: String)?) =
    (nil, nil)
  private var serial: SerialConsole?
  private let configuration: ConfigurationStore
  private let target: any CommandTarget
  private let ticker: PositionTicker
  private let machine: any Machine
  private let feed: EventFeed
  private let log: Log
  private let socketOfUser: String?
  private var subscription: EventSubscription?

  init(
    _ configuration: ConfigurationStore, _ target: any CommandTarget, _ ticker: PositionTicker,
    on machine: any Machine, feed: EventFeed, log: Log, socketOfUser: String? = nil
  ) {
    self.socketOfUser = socketOfUser
    self.configuration = configuration
    self.target = target
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

  /// Opens the control socket and the serial console, as far as the settings want them.
  func open() {
    log.onLine = { [unowned(unsafe) self] in show($0) }
    openSocket(configuration.settings)
    openConsole(configuration.settings)
  }

  /// Goes on as settings want it that have come late. Sessions that there are go on.
  func adoptLateSettings() {
    let settings = configuration.settings
    if settings.socketPath != door.wanted?.path || settings.socketGroup != door.wanted?.group {
      door.open = nil
      openSocket(settings)
    }
    if serial == nil { openConsole(settings) }
  }

  private func openSocket(_ settings: Settings) {
    door.wanted = (settings.socketPath, settings.socketGroup)
    if let path = settings.socketPath { listen(at: path, isUsual: path == Setting.usualSocketPath) }
    onOpen()
  }

  private func openConsole(_ settings: Settings) {
    if let tty = settings.consoleTTY {
      serial = SerialConsole(
        path: tty, baud: settings.consoleBaud, pin: settings.consolePIN, on: machine, turns: turns,
        target: target, owner: self, log: log)
      serial?.start()
    }
  }

  /// Listens at a path. The usual one belongs to the service: who runs a box by hand may have to do with another.
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
    let listener = try machine.listen(at: path, group: configuration.settings.socketGroup)
    let watch = try ListenerWatch(listener, scheduler: machine.scheduler)
    watch.onConnection = { [unowned(unsafe) self] in accept($0) }
    watch.onFailure = { [unowned(unsafe) self] in
      log.write(.warning, "A session could not begin, for now: \($0.description)")
    }
    door.open = (watch, path)
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

  /// Where programs and people find the box; nil: nowhere.
  var socketPath: String? { door.open?.path }

  /// How many there are.
  var count: Int { sessions.count + (serial?.session == nil ? 0 : 1) }

  /// Sends nothing any more that nobody asked for.
  func fallSilent() {
    log.onLine = nil
    ticker.stop()
  }

  /// Ends all of them.
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
    ConsoleLock(for: connection.peerGroup.flatMap(integration)) { [unowned(unsafe) self] kind in
      log.write(
        .warning,
        "A command of \(kind.title) was refused, for it has no need of it. If that comes again, somebody may "
          + "have taken it over: let fewer reach it.",
        isPublic: true)
    }
  }

  /// Ends a session for the sake of a new one, so that whoever is at the box always gets in: the one that has been silent for
  /// longest, those that wait for something last.
  private func makeRoom() {
    func rank(_ session: Session) -> (Int, UInt64) { (session.isAwaited ? 1 : 0, session.heardAt) }
    guard let idlest = sessions.min(by: { rank($0) < rank($1) }) else { return }
    let seconds = (machine.scheduler.now - idlest.heardAt) / 1_000_000_000
    // One that connects without end, whose own these are, does not fill the log.
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

  /// Shows a line of the log on the consoles where people type.
  private func show(_ line: LogLine) {
    if let session = serial?.session, session.showsLog { session.show(Notice("log", log.text(of: line))) }
  }

  // MARK: What sessions ask for

  func watchersDidChange() { ticker.tickSoon() }

  var lastEvent: UInt64 { feed.lastID }

  func events(after id: UInt64, about subjects: EventSubjects) -> (notices: [Notice], missed: Int) {
    let found = feed.events(after: id, about: subjects)
    return (found.events.compactMap { $0.notice(seconds: feed.seconds($0)) }, found.missed)
  }

  func didRefusePIN() { log.write(.warning, "A wrong PIN was typed on the serial console.") }

  func didEnd(_ session: Session) {
    // It may be in the middle of reading.
    ended.append(session)
    farewellTimer.start(after: 0) { [unowned(unsafe) self] in ended = [] }
    if serial?.session === session {
      serial?.didEnd()
    } else {
      sessions.removeAll { $0 === session }
    }
  }
}
