// The sleep timer. Control thread.

import Console
import PlaybackModel
import Platform

/// Stops the music after a while.
final class SleepController {
  /// Called when the time is over.
  var onFire: () -> Void = {}
  private let timer: DeadlineTimer
  private let scheduler: any Scheduler
  private let feed: EventFeed
  private let log: Log

  /// A timer that does not run.
  init(_ scheduler: any Scheduler, feed: EventFeed, log: Log) {
    self.scheduler = scheduler
    self.feed = feed
    self.log = log
    timer = DeadlineTimer(scheduler)
  }

  /// Nanoseconds until the time is over; nil where no timer runs.
  var rest: UInt64? {
    let now = scheduler.now
    return timer.deadline.map { $0 > now ? $0 - now : 0 }
  }

  /// Begins to wait, instead of whatever it waited for.
  func start(after time: Seconds) {
    timer.start(after: UInt64(max(0, time.value) * 1e9)) { [unowned(unsafe) self] in
      log.write(.info, "The sleep timer is over.", isPublic: true)
      onFire()
      feed.post(.sleep(nil))
    }
    feed.post(.sleep(rest))
  }

  /// Waits no more.
  func stop() { timer.stop() }

  /// Answers `sleep`.
  func perform(_ command: SleepTimer?) -> Reply {
    switch command {
    case .after(let minutes)?:
      start(after: Seconds(Double(minutes) * 60))
      return .ok("stops in \(minutes) min")
    case .off?:
      stop()
      feed.post(.sleep(nil))
      return .ok("no sleep timer")
    case nil:
      guard let rest else { return .ok("no sleep timer") }
      let seconds = Int(rest / 1_000_000_000)
      return .ok(Answer("stops in \((seconds + 59) / 60) min", fields: [Field("seconds-left", seconds)]))
    }
  }
}
