// Folders of music whose disk or share is not mounted: what is to be heard from them waits, and continues when they are back. Control
// thread; never waits. Their storage is asked in the background, and only while music waits for it.

import Decoding
import PlaybackModel
import Platform
import Player

/// Finds out when a folder of music is back.
final class AbsentRootController {
  /// Whether mounts alone say when a track's storage is back.
  var isSeen: (Track) -> Bool = { _ in false }

  /// The folder of music that is waited for; nil where none is.
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

  /// Looks no more.
  func end() { timer.stop() }

  /// Something was mounted: perhaps a folder of music, what it lies on, or what lies in it.
  func noteMount(on point: String) {
    for root in configuration.roots.folders
    where root == point || root.isBeneath(point) || point.isBeneath(root) {
      if root == awaited { resume(root) } else { outputs.player.queue.forgetFailures(beneath: root) }
    }
  }

  /// Something was unmounted: a folder of music, or what it lies on, has gone.
  func noteUnmount(of point: String) {
    for root in configuration.roots.folders where root == point || root.isBeneath(point) {
      outputs.player.handle(.storageRemoved(path: root))
    }
  }

  /// Follows the player's state.
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

  /// The folder of the music that failed because it is away, and whether it is to be heard.
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
