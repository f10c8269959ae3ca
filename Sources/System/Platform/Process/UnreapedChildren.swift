// Tracks killed children that have not died yet, because they need processor time or are blocked on storage;
// each occupies a task until it is reaped. Any thread; only the reaper's thread blocks.

import CLinux
import Synchronization

/// Killed children with the storage they may be blocked on.
package final class UnreapedChildren: Sendable {
  /// The most unreaped children. At this number no more children are started, before the system's limit on
  /// tasks is reached.
  package static let limit = 32
  /// The most children blocked on one storage, so that no storage uses up the total.
  package static let limitPerStorage = 8
  /// Nanoseconds after which an unreaped child counts as blocked on its storage, even on a busy machine.
  private static let long: UInt64 = 1_000_000_000
  /// The children of this process.
  package static let ofProcess = UnreapedChildren()

  private static let claimed: Int32 = -1

  /// A child with a hash of its storage and the time it was added.
  private struct Slot: ~Copyable {
    let pid = Atomic<Int32>(0)
    let watch = Atomic<Int32>(-1)
    let storage = Atomic<UInt32>(0)
    let since = Atomic<UInt64>(0)
  }

  nonisolated(unsafe) private let slots: UnsafeMutablePointer<Slot>
  /// An epoll set of the children's pidfds; -1 if no descriptor was free.
  private let deaths: Int32
  private let isWatched = Atomic<Bool>(false)
  /// Whether the reaper's thread runs.
  private let hasReaper = Atomic<Bool>(false)

  /// Creates an empty set.
  package init() {
    slots = .allocate(capacity: Self.limit)
    for index in 0..<Self.limit { (slots + index).initialize(to: Slot()) }
    deaths = epoll_create1(Int32(EPOLL_CLOEXEC))
  }

  deinit {
    for index in 0..<Self.limit {
      let watch = slots[index].watch.load(ordering: .relaxed)
      if watch >= 0 { _ = close(watch) }
    }
    if deaths >= 0 { _ = close(deaths) }
    slots.deinitialize(count: Self.limit)
    slots.deallocate()
  }

  /// A descriptor that is readable when a child can be reaped. The caller must then call `reap`; no reaper
  /// thread is started from now on.
  package func watchDeaths() -> Int32? {
    guard deaths >= 0 else { return nil }
    isWatched.store(true, ordering: .relaxed)
    return deaths
  }

  /// Whether an event loop calls `reap` as soon as a child has died.
  var isReapedAtOnce: Bool { isWatched.load(ordering: .relaxed) }

  /// The number of unreaped children.
  package var count: Int { count { _ in true } }

  /// The number of children that have been blocked on a storage for a second or longer.
  package func count(on storage: String) -> Int {
    let number = Self.number(of: storage)
    let now = MonotonicClock.now()
    return count { slot in
      slot.storage.load(ordering: .relaxed) == number
        && slot.since.load(ordering: .relaxed) &+ Self.long <= now
    }
  }

  /// Whether to refuse starting further children that may block on a storage.
  package func refuses(_ storage: String) -> Bool {
    let number = Self.number(of: storage)
    return count(on: storage) >= Self.limitPerStorage
      || count { $0.storage.load(ordering: .relaxed) == number } >= 2 * Self.limitPerStorage
  }

  private func count(where isMeant: (borrowing Slot) -> Bool) -> Int {
    var count = 0
    for index in 0..<Self.limit
    where slots[index].pid.load(ordering: .acquiring) != 0 && isMeant(slots[index]) { count += 1 }
    return count
  }

  /// Adds a child with its pidfd. If all slots are full, the child stays a zombie.
  func add(_ pid: Int32, _ watch: consuming FileDescriptor, on storage: String?) {
    for index in 0..<Self.limit
    where slots[index].pid.compareExchange(expected: 0, desired: Self.claimed, ordering: .acquiring).exchanged
    {
      slots[index].storage.store(storage.map(Self.number) ?? 0, ordering: .relaxed)
      slots[index].since.store(MonotonicClock.now(), ordering: .relaxed)
      let raw = watch.release()
      slots[index].watch.store(raw, ordering: .relaxed)
      slots[index].pid.store(pid, ordering: .releasing)
      var event = epoll_event()
      event.events = EPOLLIN.rawValue
      epoll_ctl(deaths, EPOLL_CTL_ADD, raw, &event)
      return reapInBackground()
    }
  }

  /// Starts the reaper's thread unless an event loop reaps children; the thread ends when none is left. A
  /// program that embeds the engine may start no further children, and a zombie would disturb its own
  /// `waitid` for any child.
  private func reapInBackground() {
    guard !isReapedAtOnce, deaths >= 0, count > 0, !hasReaper.exchange(true, ordering: .acquiring) else {
      return
    }
    let thread = try? BackgroundThread { [self] in
      var entry = pollfd(fd: deaths, events: Int16(POLLIN), revents: 0)
      while count > 0 {
        poll(&entry, 1, -1)
        reap()
      }
      hasReaper.store(false, ordering: .releasing)
      // A child may have been added in the meantime.
      reapInBackground()
    }
    guard let thread else { return hasReaper.store(false, ordering: .releasing) }
    thread.abandon()
  }

  /// Reaps the children that have died.
  package func reap() {
    for index in 0..<Self.limit {
      let pid = slots[index].pid.load(ordering: .relaxed)
      // Claim the slot first: another thread must not wait for the same pid, which may be reused by a new
      // child.
      guard pid > 0,
        slots[index].pid.compareExchange(expected: pid, desired: Self.claimed, ordering: .acquiring).exchanged
      else { continue }
      var status: Int32 = 0
      guard waitpid(pid, &status, WNOHANG) != 0 else {
        slots[index].pid.store(pid, ordering: .releasing)
        continue
      }
      let watch = slots[index].watch.exchange(-1, ordering: .relaxed)
      // Remove it explicitly: a child being started may briefly have a copy, which would keep it in the set.
      epoll_ctl(deaths, EPOLL_CTL_DEL, watch, nil)
      _ = close(watch)
      slots[index].pid.store(0, ordering: .releasing)
    }
  }

  /// An FNV-1a hash; never 0, which means no storage.
  private static func number(of storage: String) -> UInt32 {
    var hash: UInt32 = 2_166_136_261
    for byte in storage.utf8 { hash = (hash ^ UInt32(byte)) &* 16_777_619 }
    return max(1, hash)
  }
}
