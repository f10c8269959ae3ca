// The daemon from power-on to power-off: the order in which its owners begin, and that in which they end. Control
// thread; only the start waits, for half a second at most.

import Flight
import Console
import PlaybackModel
import Platform
import Player
import RealtimeAudio

/// One box, from power-on to power-off.
package final class Box {
  /// How it was at the end.
  package enum Outcome: Sendable {
    /// It was told to end, and has: by 'shutdown', which a person gave, or from outside.
    case ended(byCommand: Bool)
    /// The process cannot work: no descriptors, no threads.
    case failed(SystemError)
  }

  /// How the box has ended; nil while it runs.
  package private(set) var outcome: Outcome?

  /// The player, once there is one: for simulations, which compare what the box says with what it does.
  package var openedPlayer: Player? { owners.outputs.openedPlayer }

  /// What has become of what the box remembered: for simulations.
  package var resumeOutcome: ResumeOutcome { owners.checkpoints.resumption.outcome }

  /// Called when what was remembered was taken up, before anything else happens: for simulations.
  package var onResume: () -> Void {
    get { owners.checkpoints.resumption.onTaken }
    set { owners.checkpoints.resumption.onTaken = newValue }
  }

  /// What the light shows: for simulations.
  package var indicator: Indicator? {
    openedPlayer.map { owners.outputs.indicator($0.machine.state) }
  }

  /// Whether lines of the configuration are skipped: for simulations.
  package var hasSkippedLines: Bool { owners.configuration.skipped != nil }

  let owners: BoxOwners
  private let machine: any Machine
  private var termination: DescriptorWatch?
  private var safeStart: SafeStart?
  /// Shows a careful start, or a configuration with skipped lines.
  private var light: StartLight?
  /// Runs while the box waits for what it remembers before it takes commands.
  private let openTimer: DeadlineTimer
  private let endTimer: DeadlineTimer
  /// Whether it takes commands.
  package private(set) var isOpen = false
  private var isEnding = false
  private var isCommanded = false
  private let starts: StartCounter

  /// Reads the configuration and opens the controls. Throws only where the process itself cannot work: no
  /// descriptors, no threads.
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

  /// The exit status after 'shutdown': whoever watches over the box starts it again after a failure, and not then.
  package static let shutdownStatus: Int32 = 10

  /// Runs until it is told to end. Answers the exit status.
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

  /// Begins; whatever is wrong is logged and worked around. All else happens when the scheduler turns, until there is an `outcome`.
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
    // What is remembered is read while the output is opened.
    askForMemory(caution)
    owners.volume.setToStart()
    do throws(SystemError) {
      try owners.outputs.open()
    } catch {
      return outcome = .failed(error)
    }
    // What is taken up may lie on a stick that is away.
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

  /// Calls `then` when what is remembered is taken up, or after half a second; then that follows when it is known.
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

  /// Nanoseconds for which storage that does not answer keeps consoles and buttons waiting.
  private static let timeoutNanoseconds: UInt64 = 500_000_000

  /// The configuration's storage does not answer: takes commands at once. What the file says, and then what is remembered, is
  /// taken up when it does.
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
          "The commands of the configuration are left out: somebody has put on something else meanwhile.")
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

  /// Somebody has pressed play before it was known what is remembered: nothing, or it cannot be known.
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

  /// Lights the light of a configuration with skipped lines, and of a card with others, unless music plays already.
  private func showSkippedLines() {
    guard light == nil, owners.configuration.needsMending, !owners.outputs.player.machine.state.isActive
    else {
      return
    }
    light = StartLight(.skippedLines, owners.outputs, owners.controls, feed: owners.feed)
  }

  /// The commands of the configuration, each when the one before it is done.
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

  // MARK: The end

  /// Ends the box after the present event. There is an `outcome` when everything is written and silent.
  package func shutdown() {
    guard !isEnding else { return }
    isEnding = true
    owners.commands.isEnding = true
    termination = nil
    openTimer.stop()
    machine.service.notifyStopping()
    endTimer.start(after: 0) { [unowned(unsafe) self] in remember() }
  }

  /// Remembered as it is now, playing or not; then a soft end instead of a click.
  private func remember() {
    starts.end()
    guard owners.outputs.openedPlayer != nil else { return close() }
    owners.sessions.fallSilent()
    owners.finish { [unowned(unsafe) self] in fallSilent() }
    // Nothing begins any more. Signs of life go on to the end.
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
