// Daemon lifecycle: start order, crash-loop caution and shutdown order of the objects in `BoxOwners`. Runs on the
// control thread; must not block, except for at most 0.5 s at start while the configuration loads.

import Flight
import Console
import PlaybackModel
import Platform
import Player
import RealtimeAudio

/// The daemon, from process start to exit.
package final class Box {
  /// Why the daemon stopped running.
  package enum Outcome: Sendable {
    /// Orderly shutdown; `byCommand` is true for the 'shutdown' command, false for a signal such as SIGTERM.
    case ended(byCommand: Bool)
    /// The process cannot run: it could not create descriptors or threads.
    case failed(SystemError)
  }

  /// Result of the run; nil while the daemon runs.
  package private(set) var outcome: Outcome?

  /// The player; nil before the output is first opened. The simulator compares it with the reported status.
  package var openedPlayer: Player? { owners.outputs.openedPlayer }

  /// Result of restoring the saved state. Used by the simulator.
  package var resumeOutcome: ResumeOutcome { owners.checkpoints.resumption.outcome }

  /// Called right after the saved state is restored, before any other event. Used by the simulator.
  package var onResume: () -> Void {
    get { owners.checkpoints.resumption.onTaken }
    set { owners.checkpoints.resumption.onTaken = newValue }
  }

  /// The light pattern for the current player state; nil before the player exists. Used by the simulator.
  package var indicator: Indicator? {
    openedPlayer.map { owners.outputs.indicator($0.machine.state) }
  }

  /// Whether configuration lines were skipped because of errors. Used by the simulator.
  package var hasSkippedLines: Bool { owners.configuration.skipped != nil }

  let owners: BoxOwners
  private let machine: any Machine
  private var termination: DescriptorWatch?
  private var safeStart: SafeStart?
  /// Light pattern for a cautious start after crashes, or for skipped configuration lines.
  private var light: StartLight?
  /// Limits how long the start waits for the saved state before commands are accepted.
  private let openTimer: DeadlineTimer
  private let endTimer: DeadlineTimer
  /// Whether sessions and buttons are open and commands accepted.
  package private(set) var isOpen = false
  private var isEnding = false
  private var isCommanded = false
  private let starts: StartCounter

  /// Reads the configuration and opens the controls.
  ///
  /// - Parameters:
  ///   - options: Command-line options of `swiftlet run`.
  ///   - machine: Everything outside the daemon: clock, files, outputs, devices.
  /// - Throws: `SystemError` if the process cannot create descriptors or threads; other problems are logged.
  package init(_ options: BoxOptions, on machine: any Machine) throws(SystemError) {
    self.machine = machine
    openTimer = DeadlineTimer(machine.scheduler)
    endTimer = DeadlineTimer(machine.scheduler)
    starts = StartCounter(path: options.starts, on: machine)
    owners = try BoxOwners(options, on: machine)
    owners.commands.onShutdown = { [unowned(unsafe) self] in
      isCommanded = true
      shutdown()
    }
  }

  /// Exit status after the 'shutdown' command. The systemd unit restarts the daemon after failures, but not after this
  /// status.
  package static let shutdownStatus: Int32 = 10

  /// Runs the event loop until shutdown.
  ///
  /// - Returns: The process's exit status.
  /// - Throws: `SystemError` if the process cannot run at all.
  package func run() throws(SystemError) -> Int32 {
    start()
    while true {
      switch outcome {
      case nil: machine.scheduler.turn(waits: true)
      case .ended(let byCommand)?: return byCommand ? Self.shutdownStatus : 0
      case .failed(let error)?: throw error
      }
    }
  }

  /// Starts the daemon. Problems are logged and worked around; the rest happens as the scheduler turns, until `outcome`
  /// is set.
  package func start() {
    do throws(SystemError) {
      termination = try DescriptorWatch(machine.scheduler, readable: machine.termination.descriptor) {
        [unowned(unsafe) self] in
        machine.termination.clear()
        owners.log.write(.info, "Asked to end.", isPublic: true)
        shutdown()
      }
    } catch {
      return outcome = .failed(error)
    }
    guard owners.configuration.isRead else { return openWithDefaults() }
    guard
      let safeStart = SafeStart(
        owners.configuration.saved, owners.controls.gestures, scheduler: machine.scheduler)
    else { return open(isSafe: false) }
    self.safeStart = safeStart
    safeStart.decide { [unowned(unsafe) self] in open(isSafe: $0) }
  }

  private func open(isSafe: Bool) {
    guard !isEnding else { return }
    if isSafe {
      owners.configuration.startSafely()
      owners.controls.startSafely(owners.configuration.base)
    }
    owners.status.isSafeStart = isSafe
    owners.configuration.adoptLogLevel()
    let caution = noteStart()
    // Load the saved state while the output is being opened.
    askForMemory(caution)
    owners.volume.setToStart()
    do throws(SystemError) {
      try owners.outputs.open()
    } catch {
      return outcome = .failed(error)
    }
    // Watch mounts before restoring: the saved track may be on a stick that is not plugged in.
    owners.storage.watch()
    owners.checkpoints.resumption.onKnown = { [unowned(unsafe) self] in takeCommands(isSafe, caution) }
    awaitMemory { [unowned(unsafe) self] in takeCommands(isSafe, caution) }
  }

  private func noteStart() -> StartCounter.Caution {
    starts.onNote = { [unowned(unsafe) self] in owners.log.write(.error, $0) }
    let caution = starts.begin()
    if starts.isPowerOn, !machine.isBeingUpdated { owners.powerOns.note() }
    return caution
  }

  private func askForMemory(_ caution: StartCounter.Caution) {
    let configuration = owners.configuration
    configuration.file.passOn(to: machine, isRemembering: configuration.started.checkpointPath != nil)
    owners.limits.open()
    owners.bookmarks.open()
    owners.checkpoints.open(caution)
  }

  /// Calls `then` once the saved state is restored, or after `timeoutNanoseconds`. State that loads later is restored
  /// then.
  private func awaitMemory(then: @escaping () -> Void) {
    owners.bookmarks.onRead = { [unowned(unsafe) self] in takeUp(then) }
    openTimer.start(after: Self.timeoutNanoseconds) { [unowned(unsafe) self] in
      owners.checkpoints.begin()
      then()
    }
    if owners.bookmarks.isRead { takeUp(then) }
  }

  private func takeUp(_ then: () -> Void) {
    guard openTimer.isRunning, !isEnding else { return }
    owners.checkpoints.begin()
    if owners.checkpoints.resumption.outcome != .pending, openTimer.isRunning { then() }
  }

  /// How long slow storage may delay consoles and buttons at start, in nanoseconds.
  private static let timeoutNanoseconds: UInt64 = 500_000_000

  /// Starts with default settings because the configuration's storage does not respond. Commands are accepted at once;
  /// the configuration and the saved state are applied when they have been read.
  private func openWithDefaults() {
    let caution = noteStart()
    owners.configuration.onRead = { [unowned(unsafe) self] in adoptConfiguration(caution) }
    do throws(SystemError) {
      try owners.outputs.openLater()
    } catch {
      return outcome = .failed(error)
    }
    owners.storage.watch()
    owners.checkpoints.openLater()
    owners.checkpoints.resumption.onKnown = { [unowned(unsafe) self] in takeCommands(false, caution) }
    takeCommands(false, caution)
  }

  private func adoptConfiguration(_ caution: StartCounter.Caution) {
    guard !isEnding else { return }
    let player = owners.outputs.player
    let isFree = player.queue.isEmpty && player.machine.state.kind == .idle
    owners.controls.adopt(owners.configuration.declaredControls)
    owners.outputs.adoptLateSettings()
    if let former = owners.checkpoints.volumeAtStart { owners.volume.setToStart(ifStill: former) }
    owners.sessions.adoptLateSettings()
    owners.openBooks()
    askForMemory(caution)
    awaitMemory { [unowned(unsafe) self] in
      openTimer.stop()
      showSkippedLines()
      guard isFree else {
        return owners.log.write(
          .info,
          "Skipped the configuration's commands: something else is already playing.")
      }
      performAtStart()
    }
  }

  private func takeCommands(_ isSafe: Bool, _ caution: StartCounter.Caution) {
    guard !isEnding else { return }
    guard !isOpen else { return playIfWanted() }
    isOpen = true
    openTimer.stop()
    owners.sessions.open()
    owners.controls.start()
    owners.sources.open(owners.controls.table.sources)
    if isSafe { owners.log.write(.warning, SafeStart.warning(owners.configuration.saved)) }
    owners.clock.start()
    owners.openBooks()
    machine.service.notifyReady()
    owners.log.write(.info, "Ready. Output: \(owners.outputs.playback.summary).")
    if caution != .none { warn(caution) } else { showSkippedLines() }
    if owners.configuration.isRead { performAtStart() }
    owners.watchdog.start()
  }

  /// Performs a play command that arrived before the saved state loaded, if there turned out to be no saved queue.
  private func playIfWanted() {
    let player = owners.outputs.player
    guard player.queue.isEmpty, player.machine.state == .idle(cause: nil, armed: .armed) else { return }
    player.handle(.pause)
    _ = owners.commands.perform(.play(path: nil))
  }

  private func warn(_ caution: StartCounter.Caution) {
    owners.log.write(.error, starts.warning(caution), isPublic: true)
    light = StartLight(.carefulStart, owners.outputs, owners.controls, feed: owners.feed)
    if !machine.isBeingUpdated { owners.cues.play(.errorInternal) }
  }

  /// Shows that configuration lines (the daemon's or the SD card's) were skipped, unless music is already playing.
  private func showSkippedLines() {
    guard light == nil, owners.configuration.needsMending, !owners.outputs.player.machine.state.isActive
    else {
      return
    }
    light = StartLight(.skippedLines, owners.outputs, owners.controls, feed: owners.feed)
  }

  /// Runs the configuration's commands one after the other, then plays the start cue.
  private func performAtStart() {
    guard let (line, command) = owners.configuration.takeCommand() else {
      if !machine.isBeingUpdated { owners.cues.playStart(hasSkippedLines: owners.configuration.needsMending) }
      return
    }
    owners.commands.perform(command, from: .configuration, until: Cancellation()) {
      [unowned(unsafe) self] reply in
      if case .error(let error) = reply {
        owners.log.write(
          .error, "\(owners.configuration.path ?? "configuration"), line \(line): \(error.sentence)")
      }
      performAtStart()
    }
  }

  // MARK: Shutdown

  /// Begins the shutdown after the current event. `outcome` is set once all state is written and the output is silent.
  package func shutdown() {
    guard !isEnding else { return }
    isEnding = true
    owners.commands.isEnding = true
    termination = nil
    openTimer.stop()
    machine.service.notifyStopping()
    endTimer.start(after: 0) { [unowned(unsafe) self] in remember() }
  }

  /// Saves the current state before the fade-out below, so that a playing box resumes playing.
  private func remember() {
    starts.end()
    guard owners.outputs.openedPlayer != nil else { return close() }
    owners.sessions.fallSilent()
    owners.finish { [unowned(unsafe) self] in fallSilent() }
    // Stop timers that could start something new. The watchdog keeps running until `close`.
    owners.outputs.stopLooking()
    owners.sleep.stop()
    owners.volume.end()
    owners.controls.stopTest()
    owners.flight.stopLooking()
  }

  private func fallSilent() {
    owners.outputs.playback.detach()
    let player = owners.outputs.player
    guard player.machine.state.isActive || player.soundsBesides else { return close() }
    player.stopAnnouncements()
    player.handle(.pause)
    endTimer.start(after: 300_000_000) { [unowned(unsafe) self] in close() }
  }

  private func close() {
    owners.watchdog.stop()
    owners.volume.end()
    owners.announcements.end()
    owners.fallback.end()
    owners.sources.end()
    owners.clock.stop()
    owners.storage.end()
    owners.controls.end()
    owners.endLooking()
    owners.integrations.end()
    owners.sessions.end()
    owners.outputs.end()
    owners.flight.recorder.end()
    owners.log.write(.info, "Ended.", isPublic: true)
    outcome = .ended(byCommand: isCommanded)
  }
}
