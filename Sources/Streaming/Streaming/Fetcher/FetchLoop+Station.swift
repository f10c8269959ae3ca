// Reconnects and lag of live stations in the fetch loop. Fetcher process, one thread.

import Platform

extension FetchLoop {
  /// Records the discontinuity after a station's reconnect.
  func rejoin() {
    let now = MonotonicClock.now()
    link.send(.rejoined(offset: UInt64(link.spool.end), missing: lag.missing(at: now) / 1_000_000))
    link.spool.noteSeam()
    lag.rejoin()
    link.spool.header.lag = lag.begun
    // Wakes a worker that waits for the live position.
    link.wakeAnyway()
  }

  /// Updates the lag of a station.
  ///
  /// - Parameter held: Whether bytes are blocked, by a full spool or a lost connection, instead of arriving.
  func note(held: Bool) {
    guard source?.isLive == true else { return }
    let before = lag.begun?.since
    lag.note(held: held, end: link.spool.end, at: MonotonicClock.now())
    if lag.begun?.since != before { link.spool.header.lag = lag.begun }
  }

  /// Reconnects a station to get its live position, dropping what the server has queued.
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
