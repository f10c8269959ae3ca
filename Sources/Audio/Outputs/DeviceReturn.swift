// Reopens a lost device on a background thread of normal priority, because opening a device takes long and closing a
// dead one may hang. The audio thread sends requests and never waits.

import Platform
import Synchronization

/// Retries until the attempt succeeds: at once, then with backoff, and whenever the kernel's device directory changes.
package final class DeviceReturn: Sendable {
  /// State of the request, shared by both threads in one atomic word.
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

  /// Backoff between attempts, in nanoseconds: 0.1 s to 5 s.
  package static let retries = BackOff(first: 100_000_000, longest: 5_000_000_000)

  private let shared: Shared
  private let thread: BackgroundThread

  /// Starts the thread, which sleeps until the first request.
  ///
  /// - Parameters:
  ///   - folder: Directory to watch while a request is pending, or nil.
  ///   - attempt: Tries to open the device; runs on the thread and returns whether it succeeded.
  ///   - wake: Called on the thread after a success.
  /// - Throws: `SystemError` without a descriptor or a thread.
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
        // Reset the backoff only after the device has worked for 10 s, so that a flapping device is not retried at full
        // rate.
        if MonotonicClock.now() - doneAt > 10_000_000_000 { waits.reset() }
        let changes = Self.watch(folder)
        while shared.phase.load(ordering: .acquiring) == Phase.wanted {
          if attempt() {
            doneAt = MonotonicClock.now()
            let before = shared.phase.compareExchange(
              expected: Phase.wanted, desired: Phase.done, ordering: .acquiringAndReleasing)
            if before.exchanged { wake() }
          } else {
            // /dev/snd disappears with the last device, and is a new directory when it returns.
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
    // An idle thread ends at once and can be joined. During an attempt, which may hang, it is abandoned.
    if phase == Phase.wanted { thread.abandon() } else { thread.join() }
  }

  /// Requests the device. Audio thread. Everything that `attempt` needs must be in place.
  package func request() {
    shared.phase.store(Phase.wanted, ordering: .releasing)
    shared.wakeUp.signal()
  }

  /// Returns true once after the device has been reopened, and requests it if no request is pending. Audio thread.
  package func isBack() -> Bool {
    if takeResult() { return true }
    if !isUnderWay { request() }
    return false
  }

  /// Whether a request is pending. Audio thread.
  package var isUnderWay: Bool { shared.phase.load(ordering: .relaxed) == Phase.wanted }

  /// Whether the last request has succeeded; true once. Audio thread.
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

  /// Waits for a request, a change in the folder, or the timeout.
  private static func wait(_ nanoseconds: UInt64, _ wakeUp: WakeUp, _ changes: FolderWatch?) {
    guard wakeUp.wait(nanoseconds, orUntilReadable: changes?.descriptor), let changes else { return }
    // Several device nodes appear together and udev then sets their permissions; 20 ms combines these changes.
    wakeUp.wait(20_000_000)
    _ = changes.takeNames()
  }
}
