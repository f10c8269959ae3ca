// Detects storage that does not respond, and reports it in log, events, `status` and light. Control thread; its timer
// runs only while a request is pending.

import Console
import Decoding
import PlaybackModel
import Platform
import Player
import RealtimeAudio

/// Finds media roots and folders whose storage has stopped responding.
final class StorageWaitController {
  /// Nanoseconds without a response after which storage counts as silent.
  private static let long: UInt64 = 1_000_000_000
  /// The limit for the daemon's own state files once they are loaded: a busy SD card may take seconds for a sync.
  private static let longForSync: UInt64 = 5_000_000_000
  /// Nanoseconds between checks.
  private static let pause: UInt64 = 1_000_000_000

  /// Whether the player's current state waits for silent storage.
  private var isHeld = false
  /// Folders whose storage does not respond, in order of detection.
  private(set) var silent: [String] = []
  private let configuration: ConfigurationStore
  private let outputs: OutputController
  private let media: MediaController
  private let checkpoints: CheckpointController
  private let cues: CueController
  private let feed: EventFeed
  private let log: Log
  private let stuck: (_ root: String) -> Int
  private let scheduler: any Scheduler
  private let timer: DeadlineTimer
  private var subscription: EventSubscription?

  init(
    _ configuration: ConfigurationStore, _ outputs: OutputController, _ media: MediaController,
    _ checkpoints: CheckpointController, _ cues: CueController, on machine: any Machine, feed: EventFeed,
    log: Log
  ) {
    stuck = { [unowned(unsafe) machine] in machine.processesStuck(on: $0) }
    self.configuration = configuration
    self.outputs = outputs
    self.media = media
    self.checkpoints = checkpoints
    self.cues = cues
    self.feed = feed
    self.log = log
    scheduler = machine.scheduler
    timer = DeadlineTimer(scheduler)
    configuration.file.onWork = { [unowned(unsafe) self] in plan() }
    media.readers.onBegin = { [unowned(unsafe) self] in plan() }
    // Checkpoints are written every few seconds; a write that has finished must not leave a wake-up behind.
    checkpoints.onWork = { [unowned(unsafe) self] in
      if isWorthALook { plan() } else { timer.stop() }
    }
    subscription = feed.listen { [unowned(unsafe) self] stamped in
      guard case .transition = stamped.event else { return }
      // Whether the new state waits as well is determined by the next check.
      isHeld = false
      plan()
    }
    plan()
  }

  /// Stops checking.
  func end() { timer.stop() }

  /// Schedules a check if there is a pending request to check.
  private func plan() {
    guard !timer.isRunning, isWorthALook else { return }
    timer.start(after: Self.pause) { [unowned(unsafe) self] in look() }
  }

  private var isWorthALook: Bool {
    !silent.isEmpty || media.readers.isBusy || checkpoints.isWaiting || configuration.file.busySince != nil
      || outputs.openedPlayer?.machine.state.showsLoading == true
  }

  private func look() {
    let now = found
    for root in silent where !now.contains(root) {
      log.write(.info, "The storage \(root) answers again.")
      feed.post(.storageWait(path: root, isWaiting: false))
    }
    for root in now where !silent.contains(root) {
      log.write(
        .warning,
        "Waiting for storage \(root), which does not answer: check that it is plugged in properly, and its network."
      )
      feed.post(.storageWait(path: root, isWaiting: true))
    }
    silent = now
    hold()
    plan()
  }

  /// Updates `isHeld`: whether the player has music to play but waits for storage.
  private func hold() {
    let wasHeld = isHeld
    let state = outputs.openedPlayer?.machine.state
    isHeld = state.map { isHolding($0) } ?? false
    guard isHeld != wasHeld else { return }
    outputs.noteLight()
    if isHeld, state?.isMeantToPlay == true { cues.play(.storageWait) }
  }

  private func isHolding(_ state: PlayerState) -> Bool {
    if state.kind == .idle {
      return checkpoints.resumeOutcome == .pending
        && (checkpoints.silentFolder(for: Self.long) ?? silentConfiguration) != nil
    }
    return state.showsLoading
      && outputs.openedPlayer?.tracksThatWaitForStorage(longerThan: Self.long).isEmpty == false
  }

  private var silentConfiguration: String? {
    configuration.silentFolder(for: Self.long, at: scheduler.now)
  }

  /// Light pattern for a player state.
  func indicator(_ state: PlayerState) -> Indicator {
    isHeld && (state.showsLoading || state.kind == .idle) ? .waitingForStorage : state.indicator
  }

  /// Folders that a decoder, a lookup or the state files wait for, or that hold a killed process in uninterruptible
  /// sleep.
  private var found: [String] {
    let roots = configuration.roots
    var found = media.readers.silent(for: Self.long)
    func add(_ root: String?) {
      if let root, !found.contains(root) { found.append(root) }
    }
    for path in outputs.openedPlayer?.tracksThatWaitForStorage(longerThan: Self.long) ?? [] {
      add(roots.root(of: path))
    }
    for root in roots.folders where stuck(root) > 0 { add(root) }
    add(silentConfiguration)
    add(
      checkpoints.silentFolder(for: checkpoints.resumeOutcome == .pending ? Self.long : Self.longForSync)
    )
    return found
  }
}

extension PlayerState {
  /// Whether music plays as soon as the pending request has finished.
  fileprivate var isMeantToPlay: Bool {
    switch self {
    case .idle(_, let armed): armed == .armed
    case .preparing(_, let intent, _), .buffering(_, let intent), .seeking(_, _, let intent): intent.isPlay
    case .preparingCrossfade: true
    case .ready, .playing, .paused, .crossfading, .crossfadePaused, .fadingOut, .finished, .failed: false
    }
  }
}
