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
  /// Nanoseconds between two looks.
  private static let pause: UInt64 = 1_000_000_000

  /// The roots that do not answer, in the order in which that was found.
  private(set) var silent: [String] = []
  private let configuration: ConfigurationStore
  private let outputs: OutputController
  private let media: MediaController
  private let feed: EventFeed
  private let log: Log
  private let stuck: (_ root: String) -> Int
  private let timer: DeadlineTimer
  private var subscription: EventSubscription?

  init(
    _ configuration: ConfigurationStore, _ outputs: OutputController, _ media: MediaController,
    on machine: any Machine, feed: EventFeed, log: Log
  ) {
    stuck = { [unowned(unsafe) machine] in machine.processesStuck(on: $0) }
    self.configuration = configuration
    self.outputs = outputs
    self.media = media
    self.feed = feed
    self.log = log
    timer = DeadlineTimer(machine.scheduler)
    media.readers.onBegin = { [unowned(unsafe) self] in plan() }
    subscription = feed.listen { [unowned(unsafe) self] stamped in
      if case .transition = stamped.event { plan() }
    }
  }

  /// Looks no more.
  func end() { timer.stop() }

  /// Looks soon, if there is anything to look at.
  private func plan() {
    guard !timer.isRunning, isWorthALook else { return }
    timer.start(after: Self.pause) { [unowned(unsafe) self] in look() }
  }

  private var isWorthALook: Bool {
    !silent.isEmpty || media.readers.isBusy || outputs.openedPlayer?.machine.state.showsLoading == true
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
    plan()
  }

  /// The roots that a decoder or a look-up waits for, or a process that cannot even be ended.
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
    return found
  }
}
