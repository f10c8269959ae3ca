// Sleep timer: stops playback after a time, or at the end of the track or queue. Control thread.

import Console
import PlaybackModel
import Platform
import Player

/// What the user has set to stop playback.
enum SleepPlan: Hashable {
  /// A timer with this many nanoseconds left.
  case timer(UInt64)
  /// A stop point of the queue.
  case behind(StopPoint)

  /// Description for replies, such as "stops in 5 min".
  var text: String {
    switch self {
    case .timer(let rest): "stops in \((rest + 59_999_999_999) / 60_000_000_000) min"
    case .behind(.track): "stops after this track"
    case .behind(.queue): "stops after the queue's last track"
    }
  }
}

/// Runs the sleep timer, and sets the queue's stop point, which the queue itself applies.
final class SleepController {
  private let player: () -> Player?
  private let onFire: () -> Void
  private let timer: DeadlineTimer
  private let scheduler: any Scheduler
  private let feed: EventFeed
  private let log: Log
  private var subscription: EventSubscription?
  /// Stop point in the last posted event.
  private var posted: StopPoint?

  /// Creates a controller with nothing set.
  ///
  /// - Parameters:
  ///   - scheduler: Clock and timers.
  ///   - feed: Receives `sleep` events.
  ///   - log: The log.
  ///   - player: Returns the current player; nil before the output is opened.
  ///   - onFire: Called when the timer has expired.
  init(
    _ scheduler: any Scheduler, feed: EventFeed, log: Log, player: @escaping () -> Player?,
    onFire: @escaping () -> Void
  ) {
    self.player = player
    self.onFire = onFire
    self.scheduler = scheduler
    self.feed = feed
    self.log = log
    timer = DeadlineTimer(scheduler)
    subscription = feed.listen { [unowned(unsafe) self] stamped in
      if case .adjusted = stamped.event { noteStopPoint() }
    }
  }

  /// Nanoseconds until the timer expires; nil if it is not running.
  var rest: UInt64? {
    let now = scheduler.now
    return timer.deadline.map { $0 > now ? $0 - now : 0 }
  }

  /// The queue's stop point; nil if none is set.
  var stopPoint: StopPoint? { player()?.queue.stopPoint }

  /// What is set; nil if playback continues indefinitely.
  var plan: SleepPlan? { rest.map { .timer($0) } ?? stopPoint.map { .behind($0) } }

  /// Starts the timer, replacing an earlier timer or stop point.
  func start(after time: Seconds) {
    timer.start(after: UInt64(max(0, time.value) * 1e9)) { [unowned(unsafe) self] in
      log.write(.info, "The sleep timer is over.", isPublic: true)
      onFire()
      post()
    }
    setStopPoint(nil)
    post()
  }

  /// Cancels the timer.
  func stop() { timer.stop() }

  /// Carries out `sleep`.
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

  /// Cancels the timer and sets or clears the stop point.
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

  /// Posts a change of the stop point by the queue: it was reached, or was restored at start.
  private func noteStopPoint() {
    guard stopPoint != posted else { return }
    if posted != nil, stopPoint == nil {
      log.write(.info, "The music has ended, and what 'sleep' had set with it.", isPublic: true)
    }
    post()
  }
}

extension SleepPlan {
  /// Fields for programs.
  var fields: [Field] {
    switch self {
    case .timer(let rest): [Field("seconds-left", Int(rest / 1_000_000_000))]
    case .behind(let point): [Field("after", point.name)]
    }
  }
}
