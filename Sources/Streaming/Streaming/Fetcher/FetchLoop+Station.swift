// What a station needs that a file does not: it is joined anew where it was lost, and may lag behind itself. Fetcher process, one thread.

import Platform

extension FetchLoop {
  /// A station that was lost goes on elsewhere, behind a seam.
  func rejoin() {
    let now = MonotonicClock.now()
    link.spool.noteSeam()
    link.send(.rejoined(offset: UInt64(link.spool.end), missing: lag.missing(at: now) / 1_000_000))
    lag.rejoin()
    link.spool.header.lag = lag.begun
    // Whoever waits for the present looks again.
    link.wakeAnyway()
  }

  /// Bytes of a station come, or could and do not.
  func note(held: Bool) {
    guard source?.isLive == true else { return }
    let before = lag.begun?.since
    lag.note(held: held, end: link.spool.end, at: MonotonicClock.now())
    if lag.begun?.since != before { link.spool.header.lag = lag.begun }
  }

  /// Joins a station anew: what its server still has for us is the past.
  func renew() {
    guard let source, source.isLive, let transfer, !link.isOver else { return }
    note(held: true)
    transfer.stop()
    do throws(FetchFailure) {
      try request(0)
    } catch {
      fail(error)
    }
  }
}
