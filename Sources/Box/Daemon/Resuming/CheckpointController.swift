// What outlives a power cut: captured from the player, written when it matters, and taken up again. Control thread;
// waits for storage only in `powerFailing`.

import Checkpoints
import Console
import Flight
import PlaybackModel
import Platform
import Player

/// Remembers what is played, and goes on with it.
final class CheckpointController {
  /// What is known of what the file holds.
  let resumption: Resumption
  /// Called when the storage of the file is asked for something, and when it has answered.
  var onWork: () -> Void = {}

  private var store: CheckpointStore?
  private let configuration: ConfigurationStore
  private let outputs: OutputController
  private let volume: VolumeController
  private let sleep: SleepController
  private let machine: any Machine
  private let worker: any BackgroundWorker
  private let flight: FlightRecorder
  private let log: Log
  /// The knob as it was noted last.
  private var notedVolume: Volume?
  /// The knob when the box took commands before it knew where it remembers things; nil after another start.
  private(set) var volumeAtStart: Volume?
  private var subscription: EventSubscription?

  /// Whether nothing may be played now: what is taken up waits for a press of play.
  var waitsForPlay: () -> Bool = { false }

  init(
    _ configuration: ConfigurationStore, _ outputs: OutputController, _ volume: VolumeController,
    _ sleep: SleepController, on machine: any Machine, worker: any BackgroundWorker, feed: EventFeed,
    flight: FlightRecorder, log: Log
  ) {
    self.configuration = configuration
    self.outputs = outputs
    self.volume = volume
    self.sleep = sleep
    self.machine = machine
    self.worker = worker
    resumption = Resumption(machine.scheduler)
    self.flight = flight
    self.log = log
    subscription = feed.listen { [unowned(unsafe) self] in take($0.event) }
  }

  private func take(_ event: FeedEvent) {
    // What happens until the file is open is seen when it is.
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

  /// Begins to open the file that the settings name, if any, in the background. With the utmost caution it is not opened: what it
  /// holds would be replaced.
  func open(_ caution: StartCounter.Caution = .none) {
    guard let path = configuration.started.checkpointPath, caution != .nothing else {
      return resumption.settle(.taken)
    }
    resumption.isCautious = caution == .paused
    let store = CheckpointStore(path: path, on: machine, worker: worker)
    self.store = store
    store.onNote = { [unowned(unsafe) self] in log.write(.warning, $0) }
    store.onWritten = { [unowned(unsafe) self] isOK, took in
      flight.note(.checkpoint, isOK: isOK, took: took)
    }
    store.capture = { [unowned(unsafe) self] in capture() }
    store.setInterval(configuration.settings.checkpointInterval)
    store.onOpen = { [unowned(unsafe) self] in
      resumption.found = $0
      if resumption.firstVolume != nil { takeUp() }
    }
    store.onWork = { [unowned(unsafe) self] in onWork() }
    store.onRefusal = { [unowned(unsafe) self] in resumption.settle(.taken) }
    resumption.begin()
    store.open()
  }

  /// What is remembered is asked for when the configuration says where it is.
  func openLater() {
    volumeAtStart = volume.wanted
    resumption.begin()
  }

  /// The folder whose storage has owed an answer for so many nanoseconds; nil where it owes none.
  func silentFolder(for nanoseconds: UInt64) -> String? {
    guard let store, let since = store.busySince, machine.scheduler.now &- since >= nanoseconds else {
      return nil
    }
    return AtomicFile.folder(of: store.path)
  }

  /// Whether the storage owes an answer.
  var isWaiting: Bool { store?.busySince != nil }

  /// There is an output: goes on with what the file holds, now or when it is open.
  func begin() {
    resumption.firstVolume = volumeAtStart ?? volume.wanted
    takeUp()
  }

  /// Takes up what was found. A person who has put something else in its place meanwhile has done so for good.
  private func takeUp() {
    guard let found = resumption.found else { return }
    resumption.found = nil
    let player = outputs.player
    if player.queue.isEmpty, player.machine.state.kind == .idle {
      resume(from: found)
      resumption.settle(.taken)
    } else {
      for note in found.notes { log.write(.warning, note) }
      log.write(.warning, "What was remembered came too late: something else plays.")
      store?.note(player.machine.state, isTransition: true)
      resumption.settle(.replaced)
    }
  }

  /// How the checkpoints fare; nil where there are none.
  var status: CheckpointStatus? { store?.status }

  /// When a failed one is tried again, on the scheduler's clock; nil where none has failed.
  var retryDue: UInt64? { store?.retryAt }

  /// What a checkpoint holds at this moment.
  func capture() -> (Checkpoint, PlayQueue)? {
    let player = outputs.player
    let (state, moment) = player.lasting
    var checkpoint = Checkpoint(
      state: state, moment: moment, rate: player.machine.settings.rate, volume: volume.wanted,
      cursor: player.queue.cursor)
    if let rest = sleep.rest { checkpoint.sleepTimer = Seconds(Double(rest) / 1e9) }
    return (checkpoint, player.queue)
  }

  /// Takes up what the file held, as far as the settings want it.
  private func resume(from opening: JournalOpening) {
    for note in opening.notes { log.write(.warning, note) }
    let settings = configuration.started
    guard let checkpoint = opening.checkpoint else { return }
    if settings.startVolume == nil, volume.wanted == resumption.firstVolume { volume.set(checkpoint.volume) }
    guard settings.checkpointResume != "off", let record = opening.queue else { return }
    let player = outputs.player
    let isPlayWanted = player.machine.state == .idle(cause: nil, armed: .armed)
    player.queue = record.queue(at: checkpoint.cursor)
    configuration.follow(player.queue)
    var taken = checkpoint.converted(to: player.machine.settings.rate)
    taken.state = player.takingUp(taken.state)
    // What failed then may be there now.
    player.queue.forgetFailures()
    if settings.checkpointResume == "paused" || resumption.isCautious || resumption.isSilenced
      || waitsForPlay()
    {
      taken.state = taken.state.atRest(taken.moment)
    }
    if sleep.rest == nil, let rest = taken.sleepTimer { sleep.start(after: rest) }
    restore(taken, isRestart: true)
    // A stopped box comes back with a queue and nothing loaded, which a person's play starts.
    if isPlayWanted { player.play() }
    log.write(.info, "Continued where it was: \(player.machine.state.statusText).")
  }

  /// Has the present player go on where a checkpoint was taken, before a restart or on another output.
  func restore(_ checkpoint: Checkpoint, isRestart: Bool) {
    let player = outputs.player
    let converted = checkpoint.converted(to: player.machine.settings.rate)
    let state = isRestart ? converted.state : player.takingUp(converted.state)
    // The card may have gone while storage was waited for, which the player has been told once.
    let isLost = outputs.isLost
    player.restore(state, saved: converted.moment, isRestart: isRestart)
    // A fade that ran comes back as one that waits for the output.
    player.handle(isLost ? .outputLost : .outputRestored)
  }

  /// Answers `power-failing`: everything is remembered before this returns.
  func powerFailing() -> Reply {
    outputs.player.handle(.powerFailing)
    guard configuration.isRead else { return configuration.unread }
    guard let store else { return .failed("nothing is remembered: checkpoint.path is off") }
    return store.writeNow(within: 500_000_000)
      ? .ok("remembered") : .failed("the checkpoint was not written in time")
  }

  /// Writes for the last time, and calls `then` when that is done or takes too long.
  func finish(_ then: @escaping () -> Void) {
    resumption.end()
    guard let store else { return then() }
    store.finish(within: 2_000_000_000) { [unowned(unsafe) self] isSafe in
      if !isSafe { log.write(.error, "The last checkpoint could not be written in time.", isPublic: true) }
      then()
    }
  }
}

extension PlayerState {
  /// The same, waiting for somebody to press play.
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
