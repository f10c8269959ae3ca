// Storage that does not answer, as a state of the box: who waits for it is seen here, and said once. Control thread; wakes the box
// only while something waits.

import Console
import Decoding
import PlaybackModel
import Platform
import Player

/// Finds the roots that are waited for.
final class StorageWaitController {
  /// Nanoseconds without an answer after which storage counts as waited for.
  private static let long: UInt64 = 1_000_000_000
  /// The same of the box's own, once it runs: a card that is busy may take some seconds for a sync.
  private static let longForSync: UInt64 = 5_000_000_000
  /// Nanoseconds between two looks.
  private static let pause: UInt64 = 1_000_000_000

  /// Called when nothing is heard any more because storage does not answer, though something should be.
  var onHold: () -> Void = {}

  /// Whether the present state waits for storage that does not answer.
  private var isHeld = false
  /// The roots that do not answer, in the order in which that was found.
  private(set) var silent: [String] = []
  private let configuration: ConfigurationStore
  private let outputs: OutputController
  private let media: MediaController
  private let checkpoints: CheckpointController
  private let feed: EventFeed
  private let log: Log
  private let stuck: (_ root: String) -> Int
  private let scheduler: any Scheduler
  private let timer: DeadlineTimer
  private var subscription: EventSubscription?

  init(
    _ configuration: ConfigurationStore, _ outputs: OutputController, _ media: MediaController,
    _ checkpoints: CheckpointController, on machine: any Machine, feed: EventFeed, log: Log
  ) {
    stuck = { [unowned(unsafe) machine] in machine.processesStuck(on: $0) }
    self.configuration = configuration
    self.outputs = outputs
    self.media = media
    self.checkpoints = checkpoints
    self.feed = feed
    self.log = log
    scheduler = machine.scheduler
    timer = DeadlineTimer(scheduler)
    configuration.file.onWork = { [unowned(unsafe) self] in plan() }
    media.readers.onBegin = { [unowned(unsafe) self] in plan() }
    // They are written every few seconds: what is done by then wakes nobody.
    checkpoints.onWork = { [unowned(unsafe) self] in
      if isWorthALook { plan() } else { timer.stop() }
    }
    subscription = feed.listen { [unowned(unsafe) self] stamped in
      guard case .transition = stamped.event else { return }
      // Whether what comes waits, too, is seen at the next look.
      isHeld = false
      plan()
    }
    plan()
  }

  /// Looks no more.
  func end() { timer.stop() }

  /// Looks soon, if there is anything to look at.
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

  /// Whether the player has something to play once storage answers, and nothing else.
  private func hold() {
    let wasHeld = isHeld
    let state = outputs.openedPlayer?.machine.state
    isHeld = state.map { isHolding($0) } ?? false
    guard isHeld != wasHeld else { return }
    outputs.noteLight()
    if isHeld, state?.isMeantToPlay == true { onHold() }
  }

  private func isHolding(_ state: PlayerState) -> Bool {
    if state.kind == .idle {
      return checkpoints.resumption.outcome == .pending
        && (checkpoints.silentFolder(for: Self.long) ?? silentConfiguration) != nil
    }
    return state.showsLoading
      && outputs.openedPlayer?.tracksThatWaitForStorage(longerThan: Self.long).isEmpty == false
  }

  private var silentConfiguration: String? {
    configuration.silentFolder(for: Self.long, at: scheduler.now)
  }

  /// What the light shows in a state.
  func indicator(_ state: PlayerState) -> Indicator {
    isHeld && (state.showsLoading || state.kind == .idle) ? .waitingForStorage : state.indicator
  }

  /// The roots, and the folder of the box's own, that a decoder or a look-up waits for, or a process that cannot even be ended.
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
      checkpoints.silentFolder(for: checkpoints.resumption.outcome == .pending ? Self.long : Self.longForSync)
    )
    return found
  }
}

extension PlayerState {
  /// Whether something is heard as soon as what is waited for is there.
  fileprivate var isMeantToPlay: Bool {
    switch self {
    case .idle(_, let armed): armed == .armed
    case .preparing(_, let intent, _), .buffering(_, let intent), .seeking(_, _, let intent): intent.isPlay
    case .preparingCrossfade: true
    case .ready, .playing, .paused, .crossfading, .crossfadePaused, .fadingOut, .finished, .failed: false
    }
  }
}
