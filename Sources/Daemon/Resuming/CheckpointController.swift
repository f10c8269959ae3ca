// What outlives a power cut: captured from the player, written when it matters, and taken up again. Control thread;
// waits for storage only at the start and in `powerFailing`.

import Checkpoints
import Console
import Flight
import PlaybackModel
import Platform
import Player

/// Remembers what is played, and goes on with it.
final class CheckpointController {
  private var store: CheckpointStore?
  private let configuration: ConfigurationStore
  private let outputs: OutputController
  private let volume: VolumeController
  private let sleep: SleepController
  private let machine: any Machine
  private let flight: FlightRecorder
  private let log: Log
  /// The knob as it was noted last.
  private var notedVolume: Volume?
  /// Whether what is taken up waits for a press of play.
  private var isCautious = false
  private var subscription: EventSubscription?

  init(
    _ configuration: ConfigurationStore, _ outputs: OutputController, _ volume: VolumeController,
    _ sleep: SleepController, on machine: any Machine, feed: EventFeed, flight: FlightRecorder, log: Log
  ) {
    self.configuration = configuration
    self.outputs = outputs
    self.volume = volume
    self.sleep = sleep
    self.machine = machine
    self.flight = flight
    self.log = log
    subscription = feed.listen { [unowned(unsafe) self] in take($0.event) }
  }

  private func take(_ event: FeedEvent) {
    guard let store else { return }
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

  /// Opens the file that the settings name, if any, and goes on with what it holds, as far as caution allows. With the utmost it
  /// is not opened: what it holds would be replaced.
  func open(_ caution: StartCounter.Caution = .none) {
    guard let path = configuration.settings.checkpointPath, caution != .nothing else { return }
    isCautious = caution == .paused
    do throws(SystemError) {
      let store = try CheckpointStore(path: path, on: machine)
      self.store = store
      store.onNote = { [unowned(unsafe) self] in log.write(.warning, $0) }
      store.onWritten = { [unowned(unsafe) self] isOK, took in
        flight.note(.checkpoint, isOK: isOK, took: took)
      }
      store.capture = { [unowned(unsafe) self] in capture() }
      store.setInterval(configuration.settings.checkpointInterval)
      if let problem = store.problem {
        log.write(.error, "Checkpoints cannot be written: \(problem.description). Trying again.")
      }
      resume(from: store.found)
    } catch {
      log.write(.error, "A power cut will lose queue and position: \(error.description)")
    }
  }

  /// How the checkpoints fare; nil where there are none.
  var status: CheckpointStatus? { store?.status }

  /// When a failed one is tried again, on the scheduler's clock; nil where none has failed.
  var retryDue: UInt64? { store?.retryAt }

  /// What a checkpoint holds at this moment.
  func capture() -> (Checkpoint, PlayQueue)? {
    let player = outputs.player
    let moment = player.moment()
    var checkpoint = Checkpoint(
      state: player.machine.state, moment: moment, rate: player.machine.settings.rate, volume: volume.wanted,
      cursor: player.queue.cursor)
    if let rest = sleep.rest { checkpoint.sleepTimer = Seconds(Double(rest) / 1e9) }
    return (checkpoint, player.queue)
  }

  /// Takes up what the file held, as far as the settings want it.
  private func resume(from opening: JournalOpening?) {
    guard let opening else { return }
    for note in opening.notes { log.write(.warning, note) }
    let settings = configuration.settings
    guard let checkpoint = opening.checkpoint, settings.checkpointResume != "off" else { return }
    if settings.startVolume == nil { volume.set(checkpoint.volume) }
    guard let record = opening.queue else { return }
    let player = outputs.player
    player.queue = record.queue(at: checkpoint.cursor)
    var taken = checkpoint.converted(to: player.machine.settings.rate)
    if settings.checkpointResume == "paused" || isCautious { taken.state = taken.state.atRest(taken.moment) }
    if let rest = taken.sleepTimer { sleep.start(after: rest) }
    restore(taken, isRestart: true)
    log.write(.info, "Continued where it was: \(player.machine.state.statusText).")
  }

  /// Has the present player go on where a checkpoint was taken, before a restart or on another output.
  func restore(_ checkpoint: Checkpoint, isRestart: Bool) {
    let player = outputs.player
    let converted = checkpoint.converted(to: player.machine.settings.rate)
    player.restore(converted.state, saved: converted.moment, isRestart: isRestart)
    // A fade that ran comes back as one that waits for the output, which is there.
    player.handle(outputs.playback.missing == nil ? .outputRestored : .outputLost)
  }

  /// Answers `power-failing`: everything is remembered before this returns.
  func powerFailing() -> Reply {
    outputs.player.handle(.powerFailing)
    guard let store else { return .failed("nothing is remembered: checkpoint.path is off") }
    return store.writeNow(within: 500_000_000)
      ? .ok("remembered") : .failed("the checkpoint was not written in time")
  }

  /// Writes for the last time, and calls `then` when that is done or takes too long.
  func finish(_ then: @escaping () -> Void) {
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
