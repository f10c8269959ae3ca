// The daemon: a player with everything around it that makes a box for which nobody has to care. Control thread;
// nothing here waits.

import Checkpoints
import Console
import Controls
import Decoding
import Flight
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
  /// The program's version, for reports.
  public var version = "?"
  /// Whether a rejected system event ends the process: for tests.
  public var isStrict = false

  /// The defaults.
  public init() {}
}

/// One box, from power-on to power-off.
public final class Box {
  /// How it was at the end.
  public enum Outcome: Sendable {
    /// It was told to end, and has.
    case ended
    /// The process cannot work: no descriptors, no threads.
    case failed(SystemError)
  }

  /// How the box has ended; nil while it runs.
  public private(set) var outcome: Outcome?
  let options: BoxOptions
  let machine: any Machine
  let scheduler: any Scheduler
  let log: Log
  let started: UInt64
  /// Keeps the last minutes.
  let flight: FlightRecorder
  let flightTimer: DeadlineTimer
  var settings: Settings
  /// Buttons, knobs and lights, and what they do.
  var controls: ControlTable
  /// What the board's profile has set; the configuration file holds what differs.
  let base: ConfigurationBase
  /// The settings as the configuration file has them.
  var savedSettings: Settings
  /// Nil until it is decided whether this is a safe start.
  private var opened: Playback?
  var checkpoints: CheckpointKeeper?
  var bookmarks: BookmarkKeeper?
  var sessions: [Session] = []
  var socket: ControlSocket?
  var serial: SerialConsole?
  var finder = OutputFinder()
  let finderTimer: DeadlineTimer
  let watchTimer: DeadlineTimer
  var lastWatched = ""
  let sleepTimer: DeadlineTimer
  var storage: RemovableStorage?
  /// Storage that has appeared and was not played yet.
  var offered: String?
  let nightTimer: DeadlineTimer
  private let aliveTimer: DeadlineTimer
  private var clockWatch: DescriptorWatch?
  let desk: GestureDesk
  let lights: IndicatorLights
  /// Runs while gestures are told instead of done.
  let buttonTest: DeadlineTimer
  private var safeStart: SafeStart?
  /// Whether a held button asked for defaults at power-on.
  private(set) var isSafeStart = false
  let reader: StorageReader
  /// The knob as somebody set it; the limits make the volume of it.
  var wantedVolume = Volume(50)
  /// Tracks that failed, since the start.
  var failures = 0
  /// Those of them whose worker crashed, hung or broke out.
  var crashes = 0
  /// What the players of former outputs tried again.
  var trackRetries = 0
  private var terminationWatch: DescriptorWatch?
  private(set) var isEnding = false
  /// What is still to be written at the end: the checkpoint, the bookmarks.
  private var unwritten = 2
  private let endTimer: DeadlineTimer
  /// Sessions that are over and let go a little later.
  var endedSessions: [Session] = []
  let farewellTimer: DeadlineTimer
  private var commandsAtStart: [(line: Int, command: Command)] = []

  /// Reads the configuration and opens the controls. Throws only where the process itself cannot work: no
  /// descriptors, no threads.
  public init(_ options: BoxOptions, on machine: any Machine) throws(SystemError) {
    self.options = options
    self.machine = machine
    scheduler = machine.scheduler
    started = scheduler.now
    finderTimer = DeadlineTimer(scheduler)
    watchTimer = DeadlineTimer(scheduler)
    sleepTimer = DeadlineTimer(scheduler)
    nightTimer = DeadlineTimer(scheduler)
    aliveTimer = DeadlineTimer(scheduler)
    buttonTest = DeadlineTimer(scheduler)
    endTimer = DeadlineTimer(scheduler)
    farewellTimer = DeadlineTimer(scheduler)
    flightTimer = DeadlineTimer(scheduler)
    reader = StorageReader(try machine.backgroundWorker(), scheduler: scheduler)
    log = Log(machine)
    let configuration = Self.read(options, machine, log)
    settings = configuration.settings
    savedSettings = configuration.settings
    flight = Self.makeRecorder(configuration.settings, machine, log)
    controls = configuration.controls
    base = configuration.base
    commandsAtStart = configuration.commands
    desk = GestureDesk(controls, devices: machine.controls, scheduler: scheduler)
    lights = IndicatorLights(controls.declarations.lights, devices: machine.controls, scheduler: scheduler)
  }

  var playback: Playback {
    guard let opened else { preconditionFailure("nothing asks for the output before it is opened") }
    return opened
  }

  var player: Player { playback.player }

  /// The player, once there is one: for simulations, which compare what the box says with what it does.
  package var openedPlayer: Player? { opened?.player }

  private static func read(_ options: BoxOptions, _ machine: any Machine, _ log: Log) -> Configuration {
    let files = machine.files
    func configuration(_ text: [UInt8], _ source: String) -> Configuration {
      let found = Configuration(text, board: options.board) { files.boardProfile($0) }
      for problem in found.problems {
        log.write(.error, "\(source), \(problem.sentence) (the line was skipped)")
      }
      return found
    }
    guard let path = options.configuration else { return configuration([], "the command line") }
    do throws(SystemError) {
      // One byte more than is taken, so that a longer file is noticed.
      let text = try files.read(path, limit: Configuration.longestFile + 1)
      return configuration(text, path)
    } catch {
      log.write(
        error.code == SystemError.noSuchFile ? .info : .error,
        "No configuration: \(error.description). Defaults are used; 'set' and 'save' write one.")
      return configuration([], path)
    }
  }

  /// Runs until it is told to end. Answers the exit status.
  public func run() throws(SystemError) -> Int32 {
    start()
    while true {
      switch outcome {
      case nil: scheduler.turn(waits: true)
      case .ended?: return 0
      case .failed(let error)?: throw error
      }
    }
  }

  /// Begins; whatever is wrong is logged and worked around. Everything else happens when the scheduler turns, until
  /// there is an `outcome`.
  public func start() {
    flight.noteStart(version: options.version)
    reader.onJob = { [unowned(unsafe) self] isOK, took in flight.note(.looking, isOK: isOK, took: took) }
    do throws(SystemError) {
      terminationWatch = try DescriptorWatch(scheduler, readable: machine.termination.descriptor) {
        [unowned(unsafe) self] in
        machine.termination.clear()
        log.write(.info, "Told to end.", isPublic: true)
        shutdown()
      }
    } catch {
      outcome = .failed(error)
      return
    }
    guard let safeStart = SafeStart(savedSettings, desk, scheduler: scheduler) else {
      return open(isSafe: false)
    }
    self.safeStart = safeStart
    safeStart.decide { [unowned(unsafe) self] in open(isSafe: $0) }
  }

  private func open(isSafe: Bool) {
    guard !isEnding else { return }
    isSafeStart = isSafe
    if isSafe {
      settings = SafeStart.settings(from: savedSettings, base: base)
      commandsAtStart = []
    }
    log.level = LogLevel(name: settings.logLevel) ?? .info
    let playback: Playback
    do throws(SystemError) {
      playback = try Playback(
        OutputFinder.open(settings, on: machine), roots: roots, on: machine, isStrict: options.isStrict)
    } catch {
      outcome = .failed(error)
      return
    }
    log.onLine = { [unowned(unsafe) self] line in show(line) }
    adopt(playback)
    openBookmarks()
    // What is taken up may lie on a stick that is away.
    watchStorage()
    openCheckpoints()
    openConsoles()
    openControls()
    watchClock()
    machine.service.notifyReady()
    log.write(.info, "Ready. Output: \(playback.summary).")
    performAtStart()
    keepAlive()
  }

  /// Takes another output.
  func use(_ playback: Playback) { opened = playback }

  /// The commands of the configuration, each when the one before it is done.
  private func performAtStart() {
    guard !commandsAtStart.isEmpty else { return playReadyCue() }
    let (line, command) = commandsAtStart.removeFirst()
    perform(command, from: .configuration) { [unowned(unsafe) self] reply in
      if case .error(let error) = reply {
        log.write(.error, "\(options.configuration ?? "configuration"), line \(line): \(error.sentence)")
      }
      performAtStart()
    }
  }

  private func openCheckpoints() {
    guard let path = settings.checkpointPath else { return }
    do throws(SystemError) {
      let keeper = try CheckpointKeeper(path: path, on: machine)
      checkpoints = keeper
      keeper.onNote = { [unowned(unsafe) self] in log.write(.warning, $0) }
      keeper.onWritten = { [unowned(unsafe) self] isOK, took in
        flight.note(.checkpoint, isOK: isOK, took: took)
      }
      keeper.capture = { [unowned(unsafe) self] in capture() }
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
        let listener = try machine.listen(at: path, group: settings.socketGroup)
        let socket = try ControlSocket(listener, scheduler: scheduler)
        socket.onConnection = { [unowned(unsafe) self] in accept($0) }
        socket.onNote = { [unowned(unsafe) self] in log.write(.warning, $0) }
        self.socket = socket
      } catch {
        log.write(.error, "No control socket: \(error.description). Is another 'swiftlet run' running?")
      }
    }
    if let tty = settings.consoleTTY {
      serial = SerialConsole(
        path: tty, baud: settings.consoleBaud, pin: settings.consolePIN, on: machine, target: self,
        log: log)
      serial?.start()
    }
  }

  private func accept(_ connection: any ByteChannel) {
    guard sessions.count < ControlSocket.sessionLimit else {
      log.write(.warning, "A connection was refused: there are \(sessions.count) already.", isPublic: true)
      return
    }
    do throws(SystemError) {
      sessions.append(
        try Session(
          connection, mode: .plain, lock: ConsoleLock(pin: nil), scheduler: scheduler, target: self))
    } catch {
      log.write(.warning, "A connection was refused: \(error.description)")
    }
  }

  /// The night limit goes by the time of day, which may turn out to be another one. Nothing else does.
  private func watchClock() {
    do throws(SystemError) {
      let changes = try machine.watchWallClock()
      clockWatch = try DescriptorWatch(scheduler, readable: changes.descriptor) { [unowned(unsafe) self] in
        changes.clear()
        log.write(.info, "The wall clock was set.", isPublic: true)
        limitVolume()
      }
    } catch {
      log.write(.warning, "The wall clock is not watched: \(error.description)")
    }
  }

  /// Signs of life for systemd, where it wants them.
  private func keepAlive() {
    guard let interval = machine.service.watchdogInterval else { return }
    machine.service.notifyAlive()
    aliveTimer.start(after: interval) { [unowned(unsafe) self] in keepAlive() }
  }

  // MARK: The end

  /// Ends the box after the present event. There is an `outcome` when everything is written and silent.
  public func shutdown() {
    guard !isEnding else { return }
    terminationWatch = nil
    machine.service.notifyStopping()
    isEnding = true
    endTimer.start(after: 0) { [unowned(unsafe) self] in remember() }
  }

  /// Remembered as it is now, playing or not; then a soft end instead of a click.
  private func remember() {
    guard opened != nil else { return close() }
    log.onLine = nil
    if let checkpoints {
      checkpoints.finish(within: 2_000_000_000) { [unowned(unsafe) self] isSafe in
        if !isSafe { log.write(.error, "The last checkpoint could not be written in time.", isPublic: true) }
        didRemember()
      }
    } else {
      didRemember()
    }
    finishBookmarks { [unowned(unsafe) self] in didRemember() }
    // Nothing begins any more. Signs of life go on to the end.
    for timer in [finderTimer, watchTimer, sleepTimer, nightTimer, buttonTest, flightTimer] { timer.stop() }
  }

  private func didRemember() {
    unwritten -= 1
    if unwritten == 0 { fallSilent() }
  }

  private func fallSilent() {
    playback.detach()
    guard player.machine.state.isActive else { return close() }
    player.handle(.pause)
    endTimer.start(after: 300_000_000) { [unowned(unsafe) self] in close() }
  }

  private func close() {
    aliveTimer.stop()
    clockWatch = nil
    storage = nil
    desk.end()
    lights.end()
    reader.end()
    serial?.end()
    for session in sessions { session.end() }
    socket = nil
    opened?.end()
    flight.end()
    log.write(.info, "Ended.", isPublic: true)
    outcome = .ended
  }
}
