// Saves playback state to the checkpoint file and restores it after a power cut. `BoxLifecycle` decides when it is
// restored. Control thread; blocks on storage only in `powerFailing`.

import Checkpoints
import Console
import Flight
import PlaybackModel
import Platform
import Player

/// Result of restoring the saved state.
package enum ResumeOutcome: Hashable, Sendable {
  /// The storage has not responded yet.
  case pending
  /// The state was restored as far as the settings allow, or there was none.
  case taken
  /// The user had started something else before the storage responded.
  case replaced
}

/// Captures, saves and restores the playback state.
final class CheckpointController {
  /// Result of restoring the saved state.
  private(set) var resumeOutcome = ResumeOutcome.pending
  /// Called when the saved state was restored, dropped or is absent, before any other event.
  var onDecided: () -> Void = {}
  /// Whether the user's last playback command since the start was pause or stop.
  var isSilenced = false
  /// Called when a storage request for the file begins or ends.
  var onWork: () -> Void = {}

  private var store: CheckpointStore?
  /// Loaded state that is not restored yet.
  private var found: JournalOpening?
  /// How much to restore after repeated crashes.
  private var caution = StartCounter.Caution.none
  private let lifecycle: LifecycleController
  private let configuration: ConfigurationStore
  private let outputs: OutputController
  private let volume: VolumeController
  private let sleep: SleepController
  private let limits: LimitController
  private let machine: any Machine
  private let worker: any BackgroundWorker
  private let flight: FlightRecorder
  private let log: Log
  /// User's volume at the last update.
  private var notedVolume: Volume?
  /// User's volume when commands were first accepted; nil before. A later change overrides the saved volume.
  private(set) var initialVolume: Volume?
  private var subscription: EventSubscription?

  init(
    _ lifecycle: LifecycleController, _ configuration: ConfigurationStore, _ outputs: OutputController,
    _ volume: VolumeController,
    _ sleep: SleepController, _ limits: LimitController, on machine: any Machine,
    worker: any BackgroundWorker, feed: EventFeed,
    flight: FlightRecorder, log: Log
  ) {
    self.lifecycle = lifecycle
    self.configuration = configuration
    self.outputs = outputs
    self.volume = volume
    self.sleep = sleep
    self.limits = limits
    self.machine = machine
    self.worker = worker
    self.flight = flight
    self.log = log
    subscription = feed.listen { [unowned(unsafe) self] in take($0.event) }
  }

  private func take(_ event: FeedEvent) {
    // Changes before the file is open are picked up when it has been opened.
    guard let store, store.isOpen else { return }
    switch event {
    case .adjusted: store.note(outputs.player.machine.state, isTransition: false)
    case .checkpointDue: store.note(outputs.player.machine.state, isTransition: true)
    case .queue, .sleep: store.noteQueue()
    case .volume(_, let wanted):
      guard wanted != notedVolume else { break }
      notedVolume = wanted
      store.noteSetting()
    case .setting(.checkpointInterval?, _), .setting(nil, _):
      store.setInterval(configuration.settings.checkpointInterval)
    default: break
    }
  }

  /// Starts opening the configured checkpoint file in the background.
  ///
  /// - Parameter caution: With `.nothing` the file is not opened, because its contents would be overwritten.
  func open(_ caution: StartCounter.Caution = .none) {
    guard let path = configuration.started.checkpointPath, caution != .nothing else {
      return decide(.taken)
    }
    self.caution = caution
    let store = CheckpointStore(path: path, on: machine, worker: worker)
    self.store = store
    store.onNote = { [unowned(unsafe) self] in log.write(.warning, $0) }
    store.onWritten = { [unowned(unsafe) self] isOK, took in
      flight.note(.checkpoint, isOK: isOK, took: took)
    }
    store.capture = { [unowned(unsafe) self] in capture() }
    store.setInterval(configuration.settings.checkpointInterval)
    store.onOpen = { [unowned(unsafe) self] in
      found = $0
      lifecycle.handle(.stateLoaded)
    }
    store.onWork = { [unowned(unsafe) self] in onWork() }
    store.onRefusal = { [unowned(unsafe) self] in decide(.taken) }
    store.open()
  }

  /// Notes the user's volume; call before commands are accepted.
  func noteInitialVolume() { initialVolume = volume.wanted }

  /// Folder of the checkpoint file, if its storage has been busy for at least `nanoseconds`; nil otherwise.
  func silentFolder(for nanoseconds: UInt64) -> String? {
    guard let store, let since = store.busySince, machine.scheduler.now &- since >= nanoseconds else {
      return nil
    }
    return AtomicFile.folder(of: store.path)
  }

  /// Whether a storage request is pending.
  var isWaiting: Bool { store?.busySince != nil }

  /// Restores the loaded state, as far as the settings allow.
  func restoreFound() {
    guard let found else { return }
    self.found = nil
    resume(from: found)
    decide(.taken)
  }

  /// Drops the loaded state, because the user has started something else.
  func dropFound() {
    guard let found else { return }
    self.found = nil
    for note in found.notes { log.write(.warning, note) }
    log.write(.warning, "What was remembered came too late: something else plays.")
    store?.note(outputs.player.machine.state, isTransition: true)
    decide(.replaced)
  }

  private func decide(_ outcome: ResumeOutcome) {
    resumeOutcome = outcome
    onDecided()
    lifecycle.handle(.stateDecided)
  }

  /// State of checkpoint writing; nil without a checkpoint file.
  var status: CheckpointStatus? { store?.status }

  /// Scheduler time of the next retry; nil if the last write succeeded.
  var retryDue: UInt64? { store?.retryAt }

  /// Captures the current state for a checkpoint.
  func capture() -> (Checkpoint, PlayQueue)? {
    let player = outputs.player
    let (state, moment) = player.lasting
    var checkpoint = Checkpoint(
      state: state, moment: moment, rate: player.machine.settings.rate, volume: volume.wanted,
      cursor: player.queue.cursor)
    if let rest = sleep.rest { checkpoint.sleepTimer = Seconds(Double(rest) / 1e9) }
    return (checkpoint, player.queue)
  }

  private func resume(from opening: JournalOpening) {
    for note in opening.notes { log.write(.warning, note) }
    let settings = configuration.started
    guard let checkpoint = opening.checkpoint else { return }
    if settings.startVolume == nil, initialVolume.map({ $0 == volume.wanted }) ?? true {
      volume.set(checkpoint.volume)
    }
    guard settings.checkpointResume != "off", let record = opening.queue else { return }
    let player = outputs.player
    let isPlayWanted = player.machine.state == .idle(cause: nil, armed: .armed)
    player.queue = record.queue(at: checkpoint.cursor)
    configuration.follow(player.queue)
    var taken = checkpoint.converted(to: player.machine.settings.rate)
    taken.state = player.takingUp(taken.state)
    // Storage that was missing then may be present now.
    player.queue.forgetFailures()
    if settings.checkpointResume == "paused" || caution == .paused || isSilenced || limits.limit != nil {
      taken.state = taken.state.atRest(taken.moment)
    }
    if sleep.rest == nil, let rest = taken.sleepTimer { sleep.start(after: rest) }
    restore(taken, isRestart: true)
    // A stopped box is restored with a queue and no loaded track; start it if the user has pressed play before it was
    // restored.
    if isPlayWanted { player.play() }
    log.write(.info, "Continued where it was: \(player.machine.state.statusText).")
  }

  /// Continues playback from a checkpoint.
  ///
  /// - Parameters:
  ///   - checkpoint: The captured state.
  ///   - isRestart: Whether it was loaded from the file, rather than captured before a change of the output.
  func restore(_ checkpoint: Checkpoint, isRestart: Bool) {
    let player = outputs.player
    let converted = checkpoint.converted(to: player.machine.settings.rate)
    let state = isRestart ? converted.state : player.takingUp(converted.state)
    // The output may have been lost while the storage was slow; the player was notified only once, before this restore.
    let isLost = outputs.isLost
    player.restore(state, saved: converted.moment, isRestart: isRestart)
    // A fade that was running is restored as paused for the output; this resumes it.
    player.handle(isLost ? .outputLost : .outputRestored)
  }

  /// Carries out `power-failing`: blocks until the state is written, for at most 0.5 s.
  func powerFailing() -> Reply {
    outputs.player.handle(.powerFailing)
    guard configuration.isRead else { return configuration.unread }
    guard let store else { return .failed("nothing is remembered: checkpoint.path is off") }
    return store.writeNow(within: 500_000_000)
      ? .ok("remembered") : .failed("the checkpoint was not written in time")
  }

  /// Writes the last checkpoint.
  ///
  /// - Parameter then: Called when it is written, or after a timeout.
  func finish(_ then: @escaping () -> Void) {
    guard let store else { return then() }
    store.finish(within: 2_000_000_000) { [unowned(unsafe) self] isSafe in
      if !isSafe { log.write(.error, "The last checkpoint could not be written in time.", isPublic: true) }
      then()
    }
  }
}

extension PlayerState {
  /// This state, paused by the user.
  fileprivate func atRest(_ moment: Moment) -> PlayerState {
    switch self {
    case .preparing(let track, _, let start):
      .preparing(track: track, intent: .pause(.user), start: start)
    case .playing(let track), .buffering(let track, _), .preparingCrossfade(let track, _, _):
      .paused(track: track, position: moment.current, reason: .user)
    case .seeking(let track, let target, _): .seeking(track: track, target: target, intent: .pause(.user))
    case .crossfading(_, let to, _, _, _):
      .paused(track: to, position: moment.next ?? .zero, reason: .user)
    case .crossfadePaused(let from, let to, let strategy, let snapshot, _):
      .crossfadePaused(from: from, to: to, strategy: strategy, snapshot: snapshot, reason: .user)
    case .paused(let track, let position, _): .paused(track: track, position: position, reason: .user)
    case .failed(let error, let track, let position, _):
      .failed(error: error, track: track, position: position, intent: .pause(.user))
    case .idle, .ready, .fadingOut, .finished: self
    }
  }
}
