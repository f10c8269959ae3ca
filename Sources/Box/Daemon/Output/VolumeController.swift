// The knob and its limits: the most it may be, less at night, and what it is after power-on. Control thread.

import Console
import PlaybackModel
import Platform
import Player

/// Whatever has a volume. Class-bound, for Embedded Swift.
protocol VolumeTarget: AnyObject {
  /// How loud it is.
  var volume: Volume { get }
  /// How the volume becomes a gain.
  var volumeCurve: VolumeCurve { get }
  /// Whether anyone hears it now.
  var isSounding: Bool { get }
  /// Makes it as loud.
  func setVolume(_ volume: Volume, curve: VolumeCurve?)
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
  /// The volume that the alarm which rings has risen to; nil: none rings.
  private(set) var alarm: Volume?
  /// Whether the knob was turned since the alarm began.
  private var isTurned = false
  private var isRinging: Bool { alarm != nil }
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
  var most: Int {
    let (settings, minute) = (configuration.settings, machine.minuteOfDay)
    return isRinging
      ? settings.maximumAlarmVolume(atMinute: minute) : settings.maximumVolume(atMinute: minute)
  }

  /// The gain of a volume on the curve of the settings.
  func gain(_ percent: Float) -> Gain { Volume(percent).gain(configuration.settings.volumeCurve) }

  /// The least gain of a cue or an announcement, in decibels: audible close to a box that is turned down or muted.
  private static let minSound: Float = -36

  /// The gain of a sound that is as loud as the music, and audible where the music is turned down.
  /// - Parameter limit: The most percent of such a sound. The limits of the hour apply as well.
  func soundGain(limit: Int = 100) -> Gain {
    min(max(gain(Float(percent)), Gain(decibels: Self.minSound)), gain(Float(min(limit, most))))
  }

  /// Sets the knob, as far as the limits allow.
  func set(_ volume: Volume) {
    beforeMute = nil
    isTurned = true
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

  /// Sets the volume of the alarm that rings.
  /// - Parameter volume: Nil at the alarm's end: the knob counts again.
  func ring(at volume: Volume?) {
    if !isRinging { isTurned = false }
    alarm = volume
    // A step of the rise is no jump; another alarm.volume may be one.
    isHeld = false
    limit(.setting)
  }

  /// Why the volume may have to be another one.
  enum Cause { case knob, setting, clock }

  /// Applies the limits of the day and the night, and looks again when the night begins or ends. Without anyone at the knob,
  /// what sounds gets louder slowly, and not at all because the night ends.
  func limit(_ cause: Cause = .setting) {
    guard let target = target() else { return }
    let (volume, curve) = (allowed, configuration.settings.volumeCurve)
    let present = target.volume.gain(target.volumeCurve)
    if cause != .knob, curve != target.volumeCurve, target.isSounding, volume.gain(curve) > present {
      // Another curve begins at the loudness of the present one.
      target.setVolume(curve.volume(for: present), curve: curve)
    }
    if cause == .knob || !target.isSounding || volume.gain(curve) <= present {
      isHeld = false
      rampTimer.stop()
      if volume != target.volume || curve != target.volumeCurve { target.setVolume(volume, curve: curve) }
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

  /// The volume of the knob, or of an alarm, within the limits of the hour. An alarm stays audible where the knob is turned down.
  private var allowed: Volume {
    let top = Float(most)
    guard let alarm else { return Volume(min(wanted.percent, top)) }
    let risen = min(alarm.percent, top)
    guard isTurned else { return Volume(risen) }
    // Where the knob was turned, the alarm is a floor only: as far as it has risen, up to its minimum.
    return Volume(max(min(wanted.percent, top), min(risen, Float(configuration.settings.minimumAlarmVolume))))
  }

  /// Nanoseconds and percent of a step up: 20 % a second.
  private static let rampInterval: UInt64 = 100_000_000
  private static let rampStep: Float = 2

  /// A step towards what may be.
  private func rise() {
    guard let target = target() else { return }
    let volume = allowed
    target.setVolume(Volume(min(target.volume.percent + Self.rampStep, volume.percent)), curve: nil)
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
    if isRinging, asked < now {
      return .ok("\(now) %, the least while an alarm rings; 'alarm stop' ends it")
    }
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
