// Watches the wall clock: that it was set, by a person or by the network some time after power-on, and whether it can be trusted. Control
// thread; never waits.

import Console
import PlaybackModel
import Platform

/// Posts each change of the wall clock, and that the time of day becomes known.
final class WallClockWatch {
  /// What `status` and answers say of a clock that is not known.
  static let advice =
    "not known, since neither a network nor a clock module has set it; connect a network, fit a clock module (RTC), or set it "
    + "by timedatectl"
  /// Nanoseconds between two looks at a clock that is not known. The network may correct it so slowly that no change is reported.
  private static let interval: UInt64 = 60_000_000_000

  private let machine: any Machine
  private let feed: EventFeed
  private let log: Log
  private let timer: DeadlineTimer
  private var watch: DescriptorWatch?
  private var subscription: EventSubscription?
  /// Once the time is known it stays so: the clock runs on.
  private var wasKnown = true

  init(_ machine: any Machine, feed: EventFeed, log: Log) {
    self.machine = machine
    self.feed = feed
    self.log = log
    timer = DeadlineTimer(machine.scheduler)
  }

  /// Begins to watch.
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

  /// Watches no more.
  func stop() {
    timer.stop()
    subscription = nil
    watch = nil
  }

  /// Whether the time of day is known: it was set since the start, or the machine trusts it.
  var isKnown: Bool { wasKnown || machine.isClockTrusted }

  /// What to add to answers about times of day; nil where the time is known.
  var note: String? { isKnown ? nil : "the time of day is not known; 'status' says what to do" }

  /// What `status` says, where the time is not known.
  var fields: [Field] { isKnown ? [] : [Field("clock", Self.advice)] }

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

extension Command {
  /// Whether its answer depends on the time of day.
  var concernsTimeOfDay: Bool {
    switch self {
    case .alarm, .limits: true
    case .set(let setting, _), .unset(let setting?): ["night", "limits"].contains(setting.declaration.group)
    default: false
    }
  }
}
