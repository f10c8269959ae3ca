// The knob and its limits: the most it may be, less at night, and what it is after power-on. Control thread.

import Console
import PlaybackModel
import Platform
import Player

/// Whatever has a volume. Class-bound, for Embedded Swift.
protocol VolumeTarget: AnyObject {
  /// How loud it is.
  var volume: Volume { get }
  /// Makes it as loud.
  func setVolume(_ volume: Volume)
}

extension Player: VolumeTarget {}

/// Sets the volume within its limits.
final class VolumeController {
  /// Called when somebody wants more than may be.
  var onLimit: () -> Void = {}

  /// The knob as somebody set it; the limits make the volume of it.
  private(set) var wanted = Volume(50)
  /// Until the night begins or ends.
  private let nightTimer: DeadlineTimer
  private var clockWatch: DescriptorWatch?
  private let configuration: ConfigurationStore
  private let machine: any Machine
  private let feed: EventFeed
  private let log: Log
  private let target: () -> (any VolumeTarget)?
  private var posted: (percent: Int, wanted: Volume)?
  private var subscription: EventSubscription?

  /// A controller of whatever `target` answers at the time; nil: nothing yet.
  init(
    _ configuration: ConfigurationStore, on machine: any Machine, feed: EventFeed, log: Log,
    target: @escaping () -> (any VolumeTarget)?
  ) {
    self.configuration = configuration
    self.machine = machine
    self.feed = feed
    self.log = log
    self.target = target
    nightTimer = DeadlineTimer(machine.scheduler)
    subscription = feed.listen { [unowned(unsafe) self] stamped in
      if case .setting = stamped.event { limit() }
    }
  }

  /// Percent, as it is heard.
  var percent: Int { Int((target()?.volume.percent ?? 0).rounded()) }

  /// The most percent that it may be at this time of day.
  var most: Int { configuration.settings.maximumVolume(atMinute: machine.minuteOfDay) }

  /// Sets the knob, as far as the limits allow.
  func set(_ volume: Volume) {
    wanted = Volume(min(volume.percent, Float(configuration.settings.maximumVolume)))
    limit()
  }

  /// Sets the knob to what it shall be after power-on.
  func setToStart() {
    if let start = configuration.settings.startVolume { wanted = Volume(Float(start)) }
  }

  /// Applies the limits of the day and the night, and looks again when the night begins or ends.
  func limit() {
    guard let target = target() else { return }
    let volume = Volume(min(wanted.percent, Float(most)))
    if volume != target.volume { target.setVolume(volume) }
    post()
    nightTimer.stop()
    guard let minutes = configuration.settings.minutesToNightBorder(atMinute: machine.minuteOfDay) else {
      return
    }
    // Where the clock is not watched, an hour is the longest that a new time is not noticed.
    nightTimer.start(after: UInt64(min(minutes, 60)) * 60_000_000_000) { [unowned(unsafe) self] in
      limit()
    }
  }

  /// Answers `volume`.
  func perform(_ change: VolumeChange?) -> Reply {
    let percent = percent
    let asked: Int
    switch change {
    case nil: return .ok(Answer("\(percent) %", fields: [Field("volume", percent), Field("most", most)]))
    case .to(let value)?: asked = value
    case .by(let value)?: asked = percent + value
    case .steps(let steps)?: asked = percent + steps * configuration.settings.volumeStep
    }
    set(Volume(Float(asked)))
    let now = self.percent
    let isLimited = asked > now && now == most
    if isLimited { onLimit() }
    return .ok(isLimited && now < 100 ? "\(now) %, the limit at present" : "\(now) %")
  }

  /// The night limit goes by the time of day, which may turn out to be another one.
  func watchClock() {
    do throws(SystemError) {
      let changes = try machine.watchWallClock()
      clockWatch = try DescriptorWatch(machine.scheduler, readable: changes.descriptor) {
        [unowned(unsafe) self] in
        changes.clear()
        log.write(.info, "The wall clock was set.", isPublic: true)
        limit()
      }
    } catch {
      log.write(.warning, "Changes of the wall clock go unnoticed: \(error.description)")
    }
  }

  /// Applies no limits any more.
  func end() {
    nightTimer.stop()
    clockWatch = nil
  }

  private func post() {
    let now = (percent: percent, wanted: wanted)
    guard posted?.percent != now.percent || posted?.wanted != now.wanted else { return }
    posted = now
    feed.post(.volume(percent: now.percent, wanted: now.wanted))
  }
}
