// Children that were killed and have not died yet: that takes them a processor, or the kernel holds them for storage that does
// not answer. Each is a task until it is reaped. Any thread; only the reaper's thread waits.

import CLinux
import Synchronization

/// Remembers them with the storage that they may wait for, and reaps those that could die since.
package final class UnreapedChildren: Sendable {
  /// As many as may wait at once; no more children are started then, before a limit on tasks refuses everything.
  package static let limit = 32
  /// As many as may be held by one storage, so that none of them uses up what all have.
  package static let limitPerStorage = 8
  /// Nanoseconds after which one that has not died is held by its storage, however busy the machine is.
  private static let long: UInt64 = 1_000_000_000
  /// Those of this process.
  package static let ofProcess = UnreapedChildren()

  private static let claimed: Int32 = -1

  /// A child, its storage as a number that hardly any other storage has, and since when it is here.
  private struct Slot: ~Copyable {
    let pid = Atomic<Int32>(0)
    let watch = Atomic<Int32>(-1)
    let storage = Atomic<UInt32>(0)
    let since = Atomic<UInt64>(0)
  }

  nonisolated(unsafe) private let slots: UnsafeMutablePointer<Slot>
  /// An epoll set of their pidfds; -1 where the process had no descriptor left for it.
  private let deaths: Int32
  private let isWatched = Atomic<Bool>(false)
  /// Whether the reaper's thread runs.
  private let hasReaper = Atomic<Bool>(false)

  /// None yet.
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

  /// Readable when one can be reaped. Whoever asks for it calls `reap` then: nobody else has to look for a death from now on.
  package func watchDeaths() -> Int32? {
    guard deaths >= 0 else { return nil }
    isWatched.store(true, ordering: .relaxed)
    return deaths
  }

  /// Whether somebody calls `reap` as soon as there is something to reap.
  var isReapedAtOnce: Bool { isWatched.load(ordering: .relaxed) }

  /// How many there are.
  package var count: Int { count { _ in true } }

  /// How many are held by a storage: they have not died for a second.
  package func count(on storage: String) -> Int {
    let number = Self.number(of: storage)
    let now = MonotonicClock.now()
    return count { slot in
      slot.storage.load(ordering: .relaxed) == number
        && slot.since.load(ordering: .relaxed) &+ Self.long <= now
    }
  }

  /// Whether no more children may be started that could come to wait for a storage.
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

  /// Remembers one with its pidfd; one too many is forgotten, and stays a zombie.
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

  /// Starts the reaper's thread where no event loop watches the deaths; it ends when no child is left. A program that embeds the engine
  /// may start no other child, and a zombie would disturb its own `waitid` for any child.
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
      // One that was added meanwhile.
      reapInBackground()
    }
    guard let thread else { return hasReaper.store(false, ordering: .releasing) }
    thread.abandon()
  }

  /// Reaps those that have died.
  package func reap() {
    for index in 0..<Self.limit {
      let pid = slots[index].pid.load(ordering: .relaxed)
      // Claimed while it is asked about: another thread must not ask for a number that may be a new child's by then.
      guard pid > 0,
        slots[index].pid.compareExchange(expected: pid, desired: Self.claimed, ordering: .acquiring).exchanged
      else { continue }
      var status: Int32 = 0
      guard waitpid(pid, &status, WNOHANG) != 0 else {
        slots[index].pid.store(pid, ordering: .releasing)
        continue
      }
      let watch = slots[index].watch.exchange(-1, ordering: .relaxed)
      // Taken off the set by name: a child that is being started may have a copy for a moment.
      epoll_ctl(deaths, EPOLL_CTL_DEL, watch, nil)
      _ = close(watch)
      slots[index].pid.store(0, ordering: .releasing)
    }
  }

  /// FNV-1a; never 0, which is no storage.
  private static func number(of storage: String) -> UInt32 {
    var hash: UInt32 = 2_166_136_261
    for byte in storage.utf8 { hash = (hash ^ UInt32(byte)) &* 16_777_619 }
    return max(1, hash)
  }
}
