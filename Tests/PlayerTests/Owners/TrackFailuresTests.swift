// When a failed track is retried. Test threads.

import Platform
import PlaybackModel
import Testing

@testable import Player

@Suite struct TrackFailuresTests {
  private let scheduler: OfflineScheduler
  private let failures: TrackFailures

  init() throws {
    scheduler = OfflineScheduler(over: try EventLoop())
    failures = TrackFailures(scheduler)
  }

  private func wait(_ seconds: UInt64) {
    scheduler.advance(to: scheduler.now + seconds * 1_000_000_000)
    _ = scheduler.fire()
  }

  @Test func aRetryComesOnceAndIsCounted() {
    var calls = 0
    failures.onRetryDue = { calls += 1 }
    failures.scheduleRetry(after: Seconds(4), PlaybackError(.unreadable))
    #expect(failures.retryDue == 4_000_000_000)
    wait(3)
    #expect(calls == 0)
    wait(1)
    #expect((calls, failures.retries, failures.retryDue) == (1, 1, nil))
    wait(60)
    #expect(calls == 1)
  }

  @Test func aRetryThatIsNotNeededAnyMoreDoesNotCome() {
    failures.scheduleRetry(after: Seconds(4), PlaybackError(.unreadable))
    failures.stopRetrying()
    wait(10)
    #expect(failures.retries == 0 && failures.retryDue == nil)
  }

  @Test func manyFailuresInARowSlowTheQueueDown() {
    for _ in 1..<TrackFailures.mostAtOnce { #expect(failures.notePassedOver() == nil) }
    #expect(!failures.isSlowedDown)
    let waits = (0..<6).map { _ in failures.notePassedOver() }
    #expect(waits == [1, 2, 4, 8, 10, 10].map { $0 * 1_000_000_000 })
    // The delay stays the same, however many failures follow.
    for _ in 0..<10_000 { #expect(failures.notePassedOver() == 10_000_000_000) }
    failures.endRow()
    #expect(!failures.isSlowedDown && failures.notePassedOver() == nil)
  }

  @Test func anotherTrackIsNoRetry() {
    var calls = (retry: 0, next: 0)
    failures.onRetryDue = { calls.retry += 1 }
    failures.onNextDue = { calls.next += 1 }
    failures.scheduleNext(after: 3_000_000_000)
    #expect(failures.isNextDue && failures.retryDue == 3_000_000_000)
    wait(3)
    #expect(calls == (0, 1) && failures.retries == 0 && failures.retryDue == nil)
    failures.scheduleRetry(after: Seconds(1), PlaybackError(.unreadable))
    #expect(!failures.isNextDue)
  }

  @Test(arguments: [false, true]) func storageThatIsWatchedIsNotTried(isWatched: Bool) {
    failures.isStorageWatched = isWatched
    failures.scheduleRetry(after: Seconds(4), PlaybackError(.storageRemoved))
    #expect((failures.retryDue == nil) == isWatched)
    failures.scheduleRetry(after: Seconds(4), PlaybackError(.unreadable))
    #expect(failures.retryDue != nil)
  }
}
