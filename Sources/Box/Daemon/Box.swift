// The daemon: carries out the effects of `BoxLifecycle` on the objects in `BoxOwners`. Runs on the control thread; must
// not block, except for at most 0.5 s at start while the configuration loads.

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
  package var outcome: Outcome? {
    switch phase {
    case .ended(let reason): .ended(byCommand: reason == .command)
    case .failed(let error): .failed(error)
    case .readingConfiguration, .checkingButton, .openingOutput, .readingState, .openingPlaceholder,
      .waitingForConfiguration, .adoptingConfiguration, .waitingForState, .running, .stopping, .saving,
      .fadingOut:
      nil
    }
  }

  /// Phase of start, run or end.
  package var phase: BoxPhase { lifecycle.phase }

  /// The player; nil before the output is first opened. The simulator compares it with the reported status.
  package var openedPlayer: Player? { owners.outputs.openedPlayer }

  /// Result of restoring the saved state. Used by the simulator.
  package var resumeOutcome: ResumeOutcome { owners.checkpoints.resumeOutcome }

  /// Called right after the saved state is restored, before any other event. Used by the simulator.
  package var onResume: () -> Void {
    get { owners.checkpoints.onDecided }
    set { owners.checkpoints.onDecided = newValue }
  }

  /// The light pattern for the current player state; nil before the player exists. Used by the simulator.
  package var indicator: Indicator? {
    openedPlayer.map { owners.outputs.indicator(of: $0.machine.state) }
  }

  /// Whether configuration lines were skipped because of errors. Used by the simulator.
  package var hasSkippedLines: Bool { owners.configuration.skipped != nil }

  /// Whether sessions and buttons are open and commands accepted. Used by the simulator.
  package var isOpen: Bool { phase.acceptsCommands }

  let owners: BoxOwners
  private let machine: any Machine
  private var termination: DescriptorWatch?
  private var safeStart: SafeStart?
  private let starts: StartCounter
  private var lifecycle: LifecycleController { owners.lifecycle }

  /// Reads the configuration and opens the controls.
  ///
  /// - Parameters:
  ///   - options: Command-line options of `swiftlet run`.
  ///   - machine: Everything outside the daemon: clock, files, outputs, devices.
  /// - Throws: `SystemError` if the process cannot create descriptors or threads; other problems are logged.
  package init(_ options: BoxOptions, on machine: any Machine) throws(SystemError) {
    self.machine = machine
    starts = StartCounter(path: options.starts, on: machine)
    owners = try BoxOwners(options, on: machine)
    starts.onNote = { [unowned(unsafe) self] in owners.log.write(.error, $0) }
    owners.configuration.onRead = { [unowned(unsafe) self] in lifecycle.handle(.configurationRead) }
    owners.bookmarks.onRead = { [unowned(unsafe) self] in lifecycle.handle(.bookmarksRead) }
    lifecycle.facts = { [unowned(unsafe) self] in facts }
    lifecycle.perform = { [unowned(unsafe) self] in perform($0) }
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
      return lifecycle.handle(.cannotRun(error))
    }
    lifecycle.handle(owners.configuration.isRead ? .configurationRead : .configurationTimedOut)
  }

  /// Begins the shutdown after the current event. `outcome` is set once all state is written and the output is silent.
  package func shutdown() { lifecycle.handle(.endRequested(.signal)) }

  private var facts: LifecycleFacts {
    guard let player = openedPlayer else { return LifecycleFacts() }
    return LifecycleFacts(
      isFree: player.queue.isEmpty && player.machine.state.kind == .idle,
      isSounding: player.machine.state.isActive || player.soundsBesides)
  }

  private func perform(_ effect: BoxEffect) {
    switch effect {
    case .checkButton: checkButton()
    case .applyConfiguration(let isSafe): applyConfiguration(isSafe: isSafe)
    case .adoptConfiguration: adoptConfiguration()
    case .countStart: countStart()
    case .readState: readState()
    case .openOutput: openOutput()
    case .openPlaceholder: openPlaceholder()
    case .watchStorage: owners.storage.watch()
    case .restoreState: owners.checkpoints.restoreFound()
    case .dropState: owners.checkpoints.dropFound()
    case .acceptCommands: acceptCommands()
    case .notifyReady: notifyReady()
    case .showCaution: showCaution()
    case .showSkippedLines: showSkippedLines()
    case .runConfiguredCommands: runConfiguredCommands()
    case .skipConfiguredCommands:
      owners.log.write(.info, "Skipped the configuration's commands: something else is already playing.")
    case .startWatchdog: owners.watchdog.start()
    case .playIfRequested: playIfRequested()
    case .notifyStopping: notifyStopping()
    case .resetStartCount: starts.end()
    case .save: save()
    case .stopActivity: stopActivity()
    case .detachPlayer: owners.outputs.playback.detach()
    case .fadeOut: fadeOut()
    case .close: close()
    case .start, .stop: preconditionFailure("the lifecycle's controller has the timers")
    }
  }

  // MARK: Start

  private func checkButton() {
    guard
      let safeStart = SafeStart(
        owners.configuration.saved, owners.controls.gestures, scheduler: machine.scheduler)
    else { return lifecycle.handle(.buttonReleased) }
    self.safeStart = safeStart
    safeStart.decide { [unowned(unsafe) self] in lifecycle.handle($0 ? .buttonHeld : .buttonReleased) }
  }

  private func applyConfiguration(isSafe: Bool) {
    if isSafe {
      owners.configuration.startSafely()
      owners.controls.startSafely(owners.configuration.base)
    }
    owners.status.isSafeStart = isSafe
    owners.configuration.adoptLogLevel()
  }

  private func adoptConfiguration() {
    owners.controls.adopt(owners.configuration.declaredControls)
    owners.outputs.adoptLateSettings()
    if let former = owners.checkpoints.initialVolume { owners.volume.setToStart(ifStill: former) }
    if owners.sessions.adoptLateSettings() { openIntegrations() }
    owners.openBooks()
  }

  private func countStart() {
    starts.begin()
    if starts.isPowerOn, !machine.isBeingUpdated { owners.powerOns.note() }
  }

  private func readState() {
    let configuration = owners.configuration
    configuration.file.passOn(to: machine, isRemembering: configuration.started.checkpointPath != nil)
    owners.limits.open()
    let isReading = owners.bookmarks.open()
    owners.checkpoints.open(starts.caution)
    if !isReading { lifecycle.handle(.bookmarksRead) }
  }

  private func openOutput() {
    owners.volume.setToStart()
    do throws(SystemError) {
      try owners.outputs.open(for: owners.playerFeatures)
    } catch {
      return lifecycle.handle(.cannotRun(error))
    }
    lifecycle.handle(.outputOpened)
  }

  private func openPlaceholder() {
    do throws(SystemError) {
      try owners.outputs.openLater(for: owners.playerFeatures)
    } catch {
      return lifecycle.handle(.cannotRun(error))
    }
    lifecycle.handle(.outputOpened)
  }

  private func acceptCommands() {
    owners.checkpoints.noteInitialVolume()
    owners.sessions.open()
    openIntegrations()
    owners.controls.start()
    owners.sources.open(owners.controls.table.sources)
    if owners.status.isSafeStart { owners.log.write(.warning, SafeStart.warning(owners.configuration.saved)) }
    owners.clock.start()
    owners.openBooks()
  }

  /// Starts what needs the control socket.
  private func openIntegrations() {
    owners.integrations.open()
    owners.library.open()
  }

  private func notifyReady() {
    machine.service.notifyReady()
    owners.log.write(.info, "Ready. Output: \(owners.outputs.playback.summary).")
  }

  private func showCaution() {
    guard starts.caution != .none else { return showSkippedLines() }
    owners.log.write(.error, starts.warning, isPublic: true)
    owners.controls.showUntilPressed(StartLight(.carefulStart, owners.outputs, feed: owners.feed))
    if !machine.isBeingUpdated { owners.cues.play(.errorInternal) }
  }

  /// Shows that configuration lines (the daemon's or the SD card's) were skipped, unless music is already playing.
  private func showSkippedLines() {
    guard owners.controls.startLight == nil, owners.configuration.needsMending,
      !owners.outputs.player.machine.state.isActive
    else {
      return
    }
    owners.controls.showUntilPressed(StartLight(.skippedLines, owners.outputs, feed: owners.feed))
  }

  /// Performs a play command that arrived before the saved state loaded, if there turned out to be no saved queue.
  private func playIfRequested() {
    let player = owners.outputs.player
    guard player.queue.isEmpty, player.machine.state == .idle(cause: nil, armed: .armed) else { return }
    player.handle(.pause)
    _ = owners.commands.perform(.play(path: nil))
  }

  /// Runs the configuration's commands one after the other, then plays the start cue.
  private func runConfiguredCommands() {
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
      runConfiguredCommands()
    }
  }

  // MARK: End

  private func notifyStopping() {
    termination = nil
    machine.service.notifyStopping()
  }

  /// Saves the current state before the fade-out, so that a playing box resumes playing.
  private func save() {
    owners.sessions.fallSilent()
    owners.finish { [unowned(unsafe) self] in lifecycle.handle(.saved) }
  }

  /// The watchdog keeps running until `close`.
  private func stopActivity() {
    owners.outputs.stopLooking()
    owners.sleep.stop()
    owners.volume.end()
    owners.controls.stopTest()
    owners.flight.stopLooking()
  }

  private func fadeOut() {
    let player = owners.outputs.player
    player.stopAnnouncements()
    player.handle(.pause)
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
  }
}
