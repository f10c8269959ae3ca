// The daemon: a player with everything around it that makes a box for which nobody has to care. Control thread;
// nothing here waits, except for the storage at the very end.

import Checkpoints
import Console
import Controls
import Decoding
import Outputs
import PlaybackModel
import Platform
import Player
import RealtimeAudio

/// What `swiftlet run` was told on its command line.
public struct BoxOptions: Sendable {
  /// The configuration file; nil is none, and `save` has nowhere to write.
  public var configuration: String?
  /// The board whose profile the configuration begins with; nil: the one that the file names, if any.
  public var board: String?
  /// Whether a rejected system event ends the process: for tests.
  public var isStrict = false

  /// The defaults.
  public init() {}
}

/// One box, from power-on to power-off.
public final class Box {
  let options: BoxOptions
  /// Blocked before any thread is made, so that none of them is ended by one.
  private let signals: TerminationSignals
  let events: EventLoop
  let log: Log
  let service = ServiceManager()
  let started = MonotonicClock.now()
  var settings: Settings
  /// Buttons, knobs and lights, and what they do.
  var controls: ControlTable
  /// What the board's profile has set; the configuration file holds what differs.
  let base: ConfigurationBase
  /// The settings as the configuration file has them.
  var savedSettings: Settings
  var playback: Playback
  var checkpoints: CheckpointKeeper?
  var bookmarks: BookmarkKeeper?
  var sessions: [Session] = []
  var socket: ControlSocket?
  var serial: SerialConsole?
  var finder = OutputFinder()
  var finderTimer: EventLoop.Token?
  /// When the output is looked for again, on the monotonic clock.
  var finderDue: UInt64?
  var watchTimer: EventLoop.Token?
  var lastWatched = ""
  var sleep: SleepTimerState?
  var storage: RemovableStorage?
  /// Storage that has appeared and was not played yet.
  var offered: String?
  var nightTimer: EventLoop.Token?
  private var clock: (changes: WallClockChanges, token: EventLoop.Token)?
  let desk: GestureDesk
  let lights: IndicatorLights
  /// Until when gestures are told instead of done.
  var buttonTest: EventLoop.Token?
  /// Whether a held button asked for defaults at power-on.
  let isSafeStart: Bool
  let reader: StorageReader
  /// The knob as somebody set it; the limits make the volume of it.
  var wantedVolume = Volume(50)
  /// Tracks that failed, since the start.
  var failures = 0
  /// Those of them whose worker crashed, hung or broke out.
  var crashes = 0
  /// What the players of former outputs tried again.
  var trackRetries = 0
  private var isOver = false
  private var signalToken: EventLoop.Token?
  private var commandsAtStart: [(line: Int, command: Command)] = []

  /// Reads the configuration and opens the output; whatever is wrong is logged and worked around. Throws only
  /// where the process itself cannot work: no descriptors, no threads.
  public init(_ options: BoxOptions) throws(SystemError) {
    self.options = options
    signals = try TerminationSignals()
    events = try EventLoop()
    reader = try StorageReader(events: events)
    log = Log(isMirrored: true)
    let configuration = Self.read(options, log)
    savedSettings = configuration.settings
    controls = configuration.controls
    base = configuration.base
    desk = GestureDesk(controls, events: events)
    lights = IndicatorLights(controls.declarations.lights, events: events)
    isSafeStart = SafeStart.isWanted(configuration.settings, desk, events: events)
    settings =
      isSafeStart
      ? SafeStart.settings(from: configuration.settings, base: base) : configuration.settings
    commandsAtStart = isSafeStart ? [] : configuration.commands
    log.level = LogLevel(name: settings.logLevel) ?? .info
    playback = try Playback(
      OutputFinder.open(settings), roots: Self.roots(settings), events: events,
      isStrict: options.isStrict)
  }

  var player: Player { playback.player }

  private static func read(_ options: BoxOptions, _ log: Log) -> Configuration {
    guard let path = options.configuration else { return configuration([], options, "the command line", log) }
    do throws(SystemError) {
      // One byte more than is taken, so that a longer file is noticed.
      let text = try TextFile.bytes(path, limit: Configuration.longestFile + 1)
      return configuration(text, options, path, log)
    } catch {
      log.write(
        error.code == SystemError.noSuchFile ? .info : .error,
        "No configuration: \(error.description). Defaults are used; 'set' and 'save' write one.")
      return configuration([], options, path, log)
    }
  }

  private static func configuration(
    _ text: [UInt8], _ options: BoxOptions, _ source: String, _ log: Log
  ) -> Configuration {
    let configuration = Configuration(text, board: options.board, profile: BoardProfiles.text)
    for problem in configuration.problems {
      log.write(.error, "\(source), \(problem.sentence) (the line was skipped)")
    }
    return configuration
  }

  /// Runs until it is told to end. Answers the exit status.
  public func run() throws(SystemError) -> Int32 {
    signalToken = try events.add(readable: signals.descriptor) { [self] in
      log.write(.info, "Told to end.")
      shutdown()
    }
    log.onLine = { [self] line in show(line) }
    adopt(playback)
    openBookmarks()
    openCheckpoints()
    openConsoles()
    openControls()
    watchStorage()
    watchClock()
    service.isReady()
    log.write(.info, "Ready. Output: \(playback.summary).")
    performAtStart()
    keepAlive()
    while !isOver { events.turn(waits: true) }
    end()
    return 0
  }

  /// Ends the loop after the present event.
  func shutdown() {
    if let signalToken { events.remove(signalToken) }
    signalToken = nil
    service.isStopping()
    isOver = true
  }

  /// The commands of the configuration, each when the one before it is done.
  private func performAtStart() {
    guard !commandsAtStart.isEmpty else { return playReadyCue() }
    let (line, command) = commandsAtStart.removeFirst()
    perform(command) { [self] reply in
      if case .error(let error) = reply {
        log.write(.error, "\(options.configuration ?? "configuration"), line \(line): \(error.sentence)")
      }
      performAtStart()
    }
  }

  private func openCheckpoints() {
    guard let path = settings.checkpointPath else { return }
    do throws(SystemError) {
      let keeper = try CheckpointKeeper(path: path, events: events)
      checkpoints = keeper
      keeper.onNote = { [self] in log.write(.warning, $0) }
      keeper.capture = { [self] in capture() }
      keeper.setInterval(settings.checkpointInterval)
      if let problem = keeper.problem {
        log.write(.error, "Checkpoints cannot be written: \(problem.description). Trying again.")
      }
      resume(from: keeper.found)
    } catch {
      log.write(.error, "Nothing is remembered over a power cut: \(error.description)")
    }
  }

  private func openConsoles() {
    if let path = settings.socketPath {
      do throws(SystemError) {
        socket = try ControlSocket(path: path, group: settings.socketGroup, events: events) { [self] in
          accept($0)
        }
      } catch {
        log.write(.error, "No control socket: \(error.description). Is another 'swiftlet run' running?")
      }
    }
    if let tty = settings.consoleTTY {
      serial = SerialConsole(
        path: tty, baud: settings.consoleBaud, pin: settings.consolePIN, events: events, target: self,
        log: log)
      serial?.start()
    }
  }

  private func accept(_ connection: consuming FileDescriptor) {
    guard sessions.count < ControlSocket.sessionLimit else {
      log.write(.warning, "A connection was refused: there are \(sessions.count) already.")
      return
    }
    do throws(SystemError) {
      sessions.append(
        try Session(
          connection, mode: .plain, lock: ConsoleLock(pin: nil), events: events, target: self))
    } catch {
      log.write(.warning, "A connection was refused: \(error.description)")
    }
  }

  /// The night limit goes by the time of day, which may turn out to be another one. Nothing else does.
  private func watchClock() {
    do throws(SystemError) {
      let changes = try WallClockChanges()
      let token = try events.add(readable: changes.descriptor) { [self] in
        changes.take()
        log.write(.info, "The wall clock was set.")
        limitVolume()
      }
      clock = (changes, token)
    } catch {
      log.write(.warning, "The wall clock is not watched: \(error.description)")
    }
  }

  /// Signs of life for systemd, where it wants them.
  private func keepAlive() {
    guard let interval = service.watchdogInterval else { return }
    service.isAlive()
    _ = events.after(interval) { [self] in keepAlive() }
  }

  private func end() {
    log.onLine = nil
    // Remembered as it is now, playing or not; then a soft end instead of a click.
    if let checkpoints, !checkpoints.finish(within: 2_000_000_000) {
      log.write(.error, "The last checkpoint could not be written in time.")
    }
    finishBookmarks()
    player.observer = nil
    if player.machine.state.isActive {
      player.handle(.pause)
      var isDone = false
      _ = events.after(300_000_000) { isDone = true }
      while !isDone { events.turn(waits: true) }
    }
    storage?.end()
    desk.end()
    lights.end()
    reader.end()
    serial?.end()
    for session in sessions { session.end() }
    socket?.end()
    socket = nil
    playback.end()
    log.write(.info, "Ended.")
  }
}
