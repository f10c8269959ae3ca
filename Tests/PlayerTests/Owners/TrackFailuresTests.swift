// When a track that failed is tried again. Test threads.

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

  @Test(arguments: [false, true]) func storageThatIsWatchedIsNotTried(isWatched: Bool) {
    failures.isStorageWatched = isWatched
    failures.scheduleRetry(after: Seconds(4), PlaybackError(.storageRemoved))
    #expect((failures.retryDue == nil) == isWatched)
    failures.scheduleRetry(after: Seconds(4), PlaybackError(.unreadable))
    #expect(failures.retryDue != nil)
  }
}
