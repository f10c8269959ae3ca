// Detects when an unmounted media root (disk or network share) is back, and resumes the playback that waits for it.
// Control thread; never blocks. Storage is polled in the background, and only while playback waits for it.

import Decoding
import PlaybackModel
import Platform
import Player

/// Waits for an unmounted media root and retries its track.
final class AbsentRootController {
  /// Whether the mount table alone decides if a track's storage is present, as for sticks.
  var isSeen: (Track) -> Bool = { _ in false }

  /// Media root being waited for; nil: none.
  private var awaited: String?
  private let configuration: ConfigurationStore
  private let outputs: OutputController
  private let media: MediaController
  private let scheduler: any Scheduler
  private let feed: EventFeed
  private let log: Log
  private let timer: DeadlineTimer
  private var backOff = BackOff(first: 1_000_000_000, longest: 30_000_000_000)
  private var subscription: EventSubscription?

  init(
    _ configuration: ConfigurationStore, _ outputs: OutputController, _ media: MediaController,
    scheduler: any Scheduler, feed: EventFeed, log: Log
  ) {
    self.configuration = configuration
    self.outputs = outputs
    self.media = media
    self.scheduler = scheduler
    self.feed = feed
    self.log = log
    timer = DeadlineTimer(scheduler)
    subscription = feed.listen { [unowned(unsafe) self] stamped in
      if case .transition = stamped.event { follow() }
    }
  }

  /// Stops polling.
  func end() { timer.stop() }

  /// Handles a new mount: of a media root, of a parent of one, or of a folder inside one.
  func noteMount(on point: String) {
    for root in configuration.roots.folders
    where root == point || root.isBeneath(point) || point.isBeneath(root) {
      if root == awaited { resume(root) } else { outputs.player.queue.forgetFailures(beneath: root) }
    }
  }

  /// Handles an unmount of a media root or of a parent of one.
  func noteUnmount(of point: String) {
    for root in configuration.roots.folders where root == point || root.isBeneath(point) {
      outputs.player.handle(.storageRemoved(path: root))
    }
  }

  /// Starts or stops polling according to the player's state.
  private func follow() {
    guard let (root, isWanted) = failed else {
      awaited = nil
      timer.stop()
      return
    }
    if root != awaited {
      awaited = root
      backOff.reset()
      timer.stop()
      log.write(.warning, "\(root) is away. Music continues when it is back.")
      feed.post(.storage(path: root, isThere: false))
    }
    if isWanted { lookLater() } else { timer.stop() }
  }

  /// Media root whose absence has failed the current track, and whether playback is wanted; nil: no such failure.
  private var failed: (root: String, isWanted: Bool)? {
    guard case .failed(let error, let track?, _, let intent)? = outputs.openedPlayer?.machine.state,
      error.kind == .storageRemoved, !isSeen(track), let root = configuration.roots.root(of: track.path)
    else { return nil }
    return (root, intent.isPlay)
  }

  private func lookLater() {
    guard !timer.isRunning else { return }
    timer.start(after: backOff.next(at: scheduler.now)) { [unowned(unsafe) self] in look() }
  }

  private func look() {
    guard let root = awaited else { return }
    media.holdsSomething(root) { [unowned(unsafe) self] isBack in
      guard root == awaited else { return }
      if isBack { resume(root) } else if failed?.isWanted == true { lookLater() }
    }
  }

  private func resume(_ root: String) {
    log.write(.info, "\(root) may be back.")
    feed.post(.storage(path: root, isThere: true))
    outputs.player.queue.forgetFailures(beneath: root)
    outputs.player.handle(.retry)
  }
}
