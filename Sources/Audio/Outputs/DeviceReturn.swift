// Gets a lost device back on a thread of its own, without any priority: opening one takes its time, and closing one that
// is gone may take more. Asked by the audio thread, which never waits for it.

import Platform
import Synchronization

/// Tries again until it works: at once, then after longer and longer waits, and whenever something changes in a folder in
/// which the kernel shows devices.
package final class DeviceReturn: Sendable {
  /// What there is to do and what came of it; one word that both threads know.
  private enum Phase {
    static let resting = 0
    static let wanted = 1
    static let done = 2
    static let over = 3
  }

  private final class Shared: Sendable {
    let phase = Atomic<Int>(Phase.resting)
    let wakeUp: WakeUp
    init() throws(SystemError) { wakeUp = try WakeUp() }
  }

  /// The waits between attempts: 0.1 s at first, 5 s at most.
  package static let retries = BackOff(first: 100_000_000, longest: 5_000_000_000)

  private let shared: Shared
  private let thread: BackgroundThread

  /// Starts the thread, which sleeps until it is asked. `attempt` runs on it and answers whether it has worked; `wake` is
  /// called when it has. `folder`, if there is one, is watched while something is wanted.
  package init(
    watching folder: String?, attempt: @escaping @Sendable () -> Bool, wake: @escaping @Sendable () -> Void
  ) throws(SystemError) {
    let shared = try Shared()
    self.shared = shared
    thread = try BackgroundThread {
      var waits = Self.retries
      var doneAt: UInt64 = 0
      while shared.phase.load(ordering: .acquiring) != Phase.over {
        shared.wakeUp.wait(nil)
        // One that goes as soon as it is there is not tried as if it had never been there.
        if MonotonicClock.now() - doneAt > 10_000_000_000 { waits.reset() }
        let changes = Self.watch(folder)
        while shared.phase.load(ordering: .acquiring) == Phase.wanted {
          if attempt() {
            doneAt = MonotonicClock.now()
            let before = shared.phase.compareExchange(
              expected: Phase.wanted, desired: Phase.done, ordering: .acquiringAndReleasing)
            if before.exchanged { wake() }
          } else {
            // The last device's folder goes with it, and is another one when it is back.
            if let folder { _ = changes?.add(folder) }
            Self.wait(waits.next(at: MonotonicClock.now()), shared.wakeUp, changes)
          }
        }
      }
    }
  }

  deinit {
    let phase = shared.phase.exchange(Phase.over, ordering: .acquiringAndReleasing)
    shared.wakeUp.signal()
    // Asleep, it ends at once, and lets go of what it would have asked. Within a call that may hang nobody waits for it.
    if phase == Phase.wanted { thread.abandon() } else { thread.join() }
  }

  /// Asks for the device; audio thread. What `attempt` needs is there by now.
  package func request() {
    shared.phase.store(Phase.wanted, ordering: .releasing)
    shared.wakeUp.signal()
  }

  /// Whether the device that was asked for is there; true once. Asks for it where nobody has. Audio thread.
  package func isBack() -> Bool {
    if takeResult() { return true }
    if !isUnderWay { request() }
    return false
  }

  /// Whether the device is wanted and not there yet; audio thread.
  package var isUnderWay: Bool { shared.phase.load(ordering: .relaxed) == Phase.wanted }

  /// Whether what was asked for is done; true once. Audio thread.
  package func takeResult() -> Bool {
    shared.phase.compareExchange(
      expected: Phase.done, desired: Phase.resting, ordering: .acquiringAndReleasing
    ).exchanged
  }

  private static func watch(_ folder: String?) -> FolderWatch? {
    guard let folder, let watch = try? FolderWatch() else { return nil }
    _ = watch.add(AtomicFile.folder(of: folder))
    _ = watch.add(folder)
    return watch
  }

  /// Until somebody asks, something changes or the time is over.
  private static func wait(_ nanoseconds: UInt64, _ wakeUp: WakeUp, _ changes: FolderWatch?) {
    guard wakeUp.wait(nanoseconds, orUntilReadable: changes?.descriptor), let changes else { return }
    // Several names appear together, and udev gives their rights: once is enough for all of them.
    wakeUp.wait(20_000_000)
    _ = changes.takeNames()
  }
}
