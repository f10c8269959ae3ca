// When the music stops by itself: after a while, or with the end of a track or of the queue. Control thread.

import Console
import PlaybackModel
import Platform
import Player

/// What is set to stop the music.
enum SleepPlan: Hashable {
  /// A timer, with so many nanoseconds left.
  case timer(UInt64)
  /// The queue's stop point.
  case behind(StopPoint)

  /// What is set, in a sentence's words.
  var text: String {
    switch self {
    case .timer(let rest): "stops in \((rest + 59_999_999_999) / 60_000_000_000) min"
    case .behind(.track): "stops after this track"
    case .behind(.queue): "stops after the queue's last track"
    }
  }
}

/// Stops the music after a while, or has the queue do so. The timer is here, the stop point is the queue's.
final class SleepController {
  /// Called when the time is over.
  var onFire: () -> Void = {}
  /// The player in use; nil before there is one.
  private let player: () -> Player?
  private let timer: DeadlineTimer
  private let scheduler: any Scheduler
  private let feed: EventFeed
  private let log: Log
  private var subscription: EventSubscription?
  /// The stop point that was posted last.
  private var posted: StopPoint?

  /// Nothing is set.
  init(_ scheduler: any Scheduler, feed: EventFeed, log: Log, player: @escaping () -> Player?) {
    self.player = player
    self.scheduler = scheduler
    self.feed = feed
    self.log = log
    timer = DeadlineTimer(scheduler)
    subscription = feed.listen { [unowned(unsafe) self] stamped in
      if case .adjusted = stamped.event { noteStopPoint() }
    }
  }

  /// Nanoseconds until the time is over; nil where no timer runs.
  var rest: UInt64? {
    let now = scheduler.now
    return timer.deadline.map { $0 > now ? $0 - now : 0 }
  }

  /// The end that the music stops with; nil where none is set.
  var stopPoint: StopPoint? { player()?.queue.stopPoint }

  /// What is set; nil: the music goes on.
  var plan: SleepPlan? { rest.map { .timer($0) } ?? stopPoint.map { .behind($0) } }

  /// Begins to wait, instead of whatever it waited for.
  func start(after time: Seconds) {
    timer.start(after: UInt64(max(0, time.value) * 1e9)) { [unowned(unsafe) self] in
      log.write(.info, "The sleep timer is over.", isPublic: true)
      onFire()
      post()
    }
    setStopPoint(nil)
    post()
  }

  /// Waits no more.
  func stop() { timer.stop() }

  /// Answers `sleep`.
  func perform(_ command: SleepTimer?) -> Reply {
    switch command {
    case .after(let minutes)?:
      start(after: Seconds(Double(minutes) * 60))
    case .behind(let point)?:
      guard point != .track || player()?.stationWindow == nil else {
        return .failed("a station has no end; 'sleep MINUTES' stops it")
      }
      end(at: point)
    case .off?: end(at: nil)
    case nil: break
    }
    guard let plan else { return .ok("no sleep timer") }
    return .ok(Answer(plan.text, fields: command == nil ? plan.fields : []))
  }

  /// Waits no more, and stops at a point or not at all.
  private func end(at point: StopPoint?) {
    stop()
    setStopPoint(point)
    post()
  }

  private func setStopPoint(_ point: StopPoint?) {
    guard let player = player(), player.queue.stopPoint != point else { return }
    player.queue.stopPoint = point
  }

  private func post() {
    posted = stopPoint
    feed.post(.sleep(plan))
  }

  /// The player has come to the stop point, or taken up one from before a restart.
  private func noteStopPoint() {
    guard stopPoint != posted else { return }
    if posted != nil, stopPoint == nil {
      log.write(.info, "The music has ended, and what 'sleep' had set with it.", isPublic: true)
    }
    post()
  }
}

extension SleepPlan {
  /// What programs are told of it.
  var fields: [Field] {
    switch self {
    case .timer(let rest): [Field("seconds-left", Int(rest / 1_000_000_000))]
    case .behind(let point): [Field("after", point.name)]
    }
  }
}
