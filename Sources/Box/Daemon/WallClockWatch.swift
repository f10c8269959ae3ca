// Detects changes of the wall clock (set by NTP or by the user) and whether its time can be trusted. Control thread;
// never blocks.

import Console
import PlaybackModel
import Platform

/// Posts `clockSet` whenever the wall clock is set or becomes trusted.
final class WallClockWatch: StatusSource {
  /// Explanation and remedy shown in `status` while the time of day is unknown.
  static let advice =
    "not known, since neither a network nor a clock module has set it; connect a network, fit a clock module (RTC), or set it "
    + "by timedatectl"
  /// Poll interval while the time is unknown, in nanoseconds. NTP may slew the clock without a change notification, so
  /// polling is needed.
  private static let interval: UInt64 = 60_000_000_000

  private let machine: any Machine
  private let feed: EventFeed
  private let log: Log
  private let timer: DeadlineTimer
  private var watch: DescriptorWatch?
  private var subscription: EventSubscription?
  /// Whether the time has been known at some point; it stays known, since the clock keeps running.
  private var wasKnown = true

  init(_ machine: any Machine, feed: EventFeed, log: Log) {
    self.machine = machine
    self.feed = feed
    self.log = log
    timer = DeadlineTimer(machine.scheduler)
  }

  /// Starts watching, and logs a warning if the time is not known.
  func start() {
    wasKnown = machine.isClockTrusted
    if !wasKnown {
      log.write(.warning, "The time of day is \(Self.advice).", isPublic: true)
      plan()
    }
    subscription = feed.listen { [unowned(unsafe) self] stamped in
      if case .clockSet = stamped.event { post() }
    }
    do throws(SystemError) {
      let changes = try machine.watchWallClock()
      watch = try DescriptorWatch(machine.scheduler, readable: changes.descriptor) { [unowned(unsafe) self] in
        changes.clear()
        log.write(.info, "The wall clock was set.", isPublic: true)
        wasKnown = true
        timer.stop()
        feed.post(.clockSet)
      }
    } catch {
      log.write(.warning, "Changes of the wall clock go unnoticed: \(error.description)")
    }
  }

  /// Stops watching.
  func stop() {
    timer.stop()
    subscription = nil
    watch = nil
  }

  /// Whether the time of day is known: the clock was set since the start, or the system reports it as trustworthy.
  var isKnown: Bool { wasKnown || machine.isClockTrusted }

  /// Note appended to replies about times of day; nil if the time is known.
  var note: String? { isKnown ? nil : "the time of day is not known; 'status' says what to do" }

  /// Fields for `status`; empty if the time is known.
  var statusFields: [Field] { isKnown ? [] : [Field("clock", Self.advice)] }

  private func plan() {
    timer.start(after: Self.interval) { [unowned(unsafe) self] in
      look()
      if !wasKnown { plan() }
    }
  }

  private func look() {
    guard !wasKnown, machine.isClockTrusted else { return }
    wasKnown = true
    timer.stop()
    log.write(.info, "The time of day is known.", isPublic: true)
    feed.post(.clockSet)
  }

  private func post() { feed.post(.clock(machine.localTime, isKnown: wasKnown)) }
}
