// The knob and its limits: the most it may be, less at night, and what it is after power-on. Control thread.

import Console
import PlaybackModel
import Platform
import Player

/// Whatever has a volume. Class-bound, for Embedded Swift.
protocol VolumeTarget: AnyObject {
  /// How loud it is.
  var volume: Volume { get }
  /// Whether anyone hears it now.
  var isSounding: Bool { get }
  /// Makes it as loud.
  func setVolume(_ volume: Volume)
}

extension Player: VolumeTarget {
  var isSounding: Bool { machine.state.isActive }
}

/// Sets the volume within its limits.
final class VolumeController {
  /// Called when somebody wants more than may be.
  var onLimit: () -> Void = {}

  /// Whether the last change wanted more than may be.
  private var isAtLimit = false
  /// What the knob stood at when the box was muted; nil: it is not.
  private var beforeMute: Volume?
  /// The knob as somebody set it; the limits make the volume of it.
  private(set) var wanted = Volume(50)
  /// How loud an alarm is instead; nil: none rings, or somebody has turned the knob since it began.
  private(set) var alarm: Volume?
  /// Until the night begins or ends.
  private let nightTimer: DeadlineTimer
  /// Runs while it gets louder without anyone at the knob.
  private let rampTimer: DeadlineTimer
  /// Whether the night's limit holds on, because it ended while music played.
  private var isHeld = false
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
    rampTimer = DeadlineTimer(machine.scheduler)
    subscription = feed.listen { [unowned(unsafe) self] stamped in
      switch stamped.event {
      case .setting: limit()
      case .clockSet: limit(.clock)
      case .transition: if isHeld || rampTimer.isRunning { limit() }
      default: break
      }
    }
  }

  /// Percent, as it is heard.
  var percent: Int { Int((target()?.volume.percent ?? 0).rounded()) }

  /// The most percent that it may be at this time of day.
  var most: Int { configuration.settings.maximumVolume(atMinute: machine.minuteOfDay) }

  /// Sets the knob, as far as the limits allow.
  func set(_ volume: Volume) {
    beforeMute = nil
    alarm = nil
    wanted = Volume(min(volume.percent, Float(configuration.settings.maximumVolume)))
    limit(.knob)
  }

  /// Sets the knob to what it shall be after power-on.
  func setToStart() {
    if let start = configuration.started.startVolume { wanted = Volume(Float(start)) }
  }

  /// The same for settings that have come late, where the knob is still as it was.
  func setToStart(ifStill former: Volume) {
    guard wanted == former else { return }
    setToStart()
    limit()
  }

  /// As loud as an alarm has become; nil: the knob counts again.
  func ring(at volume: Volume?) {
    alarm = volume
    limit(volume == nil ? .setting : .knob)
  }

  /// Why the volume may have to be another one.
  enum Cause { case knob, setting, clock }

  /// Applies the limits of the day and the night, and looks again when the night begins or ends. Without anyone at the knob,
  /// what sounds gets louder slowly, and not at all because the night ends.
  func limit(_ cause: Cause = .setting) {
    guard let target = target() else { return }
    let volume = allowed
    if cause == .knob || !target.isSounding || volume.percent <= target.volume.percent {
      isHeld = false
      rampTimer.stop()
      if volume != target.volume { target.setVolume(volume) }
    } else if cause == .clock || isHeld {
      isHeld = true
    } else if !rampTimer.isRunning {
      rampTimer.start(after: Self.rampInterval) { [unowned(unsafe) self] in rise() }
    }
    post()
    nightTimer.stop()
    guard let minutes = configuration.settings.minutesToNightBorder(atMinute: machine.minuteOfDay) else {
      return
    }
    // Where the clock is not watched, an hour is the longest that a new time is not noticed.
    nightTimer.start(after: UInt64(min(minutes, 60)) * 60_000_000_000) { [unowned(unsafe) self] in
      limit(.clock)
    }
  }

  /// What somebody wants, or an alarm, as far as the hour allows.
  private var allowed: Volume { Volume(min((alarm ?? wanted).percent, Float(most))) }

  /// Nanoseconds and percent of a step up: 20 % a second.
  private static let rampInterval: UInt64 = 100_000_000
  private static let rampStep: Float = 2

  /// A step towards what may be.
  private func rise() {
    guard let target = target() else { return }
    let volume = allowed
    target.setVolume(Volume(min(target.volume.percent + Self.rampStep, volume.percent)))
    if target.volume.percent < volume.percent {
      rampTimer.start(after: Self.rampInterval) { [unowned(unsafe) self] in rise() }
    }
    post()
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
    // Once: whoever turns on has heard it.
    if isLimited, !isAtLimit { onLimit() }
    isAtLimit = isLimited
    return .ok(isLimited && now < 100 ? "\(now) %, the limit at present" : "\(now) %")
  }

  /// Answers `mute`.
  func mute() -> Reply {
    if let volume = beforeMute {
      set(volume)
      return .ok("\(percent) %")
    }
    guard wanted.percent > 0 else { return .failed("the volume is 0 already; 'volume up' raises it") }
    let volume = wanted
    set(Volume(0))
    beforeMute = volume
    return .ok("muted; 'mute' again brings \(Int(volume.percent.rounded())) % back")
  }

  /// Applies no limits any more.
  func end() {
    nightTimer.stop()
    rampTimer.stop()
  }

  private func post() {
    let now = (percent: percent, wanted: wanted)
    guard posted?.percent != now.percent || posted?.wanted != now.wanted else { return }
    posted = now
    feed.post(.volume(percent: now.percent, wanted: now.wanted))
  }
}
