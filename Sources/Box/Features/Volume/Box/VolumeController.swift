// Volume control: the user's volume, the limits by day and night, alarms and mute. Control thread.

import Console
import PlaybackModel
import Platform
import Player

/// A player whose volume can be set. Class-bound for Embedded Swift.
protocol VolumeTarget: AnyObject {
  /// The current volume.
  var volume: Volume { get }
  /// Curve that maps the volume to a gain.
  var volumeCurve: VolumeCurve { get }
  /// Whether it is playing now.
  var isSounding: Bool { get }
  /// Sets volume and curve.
  ///
  /// - Parameter curve: nil keeps the current curve.
  func setVolume(_ volume: Volume, curve: VolumeCurve?)
}

extension Player: VolumeTarget {
  var isSounding: Bool { machine.state.isActive }
}

/// Applies limits, alarms and mute to the user's volume.
final class VolumeController {
  /// Called when the user requests more than the limit.
  var onLimit: (() -> Void)?

  /// Whether the last change requested more than the limit.
  private var isAtLimit = false
  /// User's volume before mute; nil if not muted.
  private var beforeMute: Volume?
  /// Volume chosen by the user, before the limits.
  private(set) var wanted = Volume(50)
  /// Current volume of the alarm's ramp; nil: no alarm rings.
  private(set) var alarm: Volume?
  /// Whether the user has changed the volume since the alarm began.
  private var isTurned = false
  private var isRinging: Bool { alarm != nil }
  /// Expires when the night limit begins or ends.
  private let nightTimer: DeadlineTimer
  /// Runs while the volume is ramped up.
  private let rampTimer: DeadlineTimer
  /// Whether the current volume is kept although the night limit has ended, because music was playing at that moment.
  private var isHeld = false
  private let configuration: ConfigurationStore
  private let machine: any Machine
  private let feed: EventFeed
  private let log: Log
  private let target: () -> (any VolumeTarget)?
  private var posted: (percent: Int, wanted: Volume)?
  private var subscription: EventSubscription?

  /// Creates a controller.
  ///
  /// - Parameters:
  ///   - configuration: Settings with the limits.
  ///   - machine: Clock and timers.
  ///   - feed: Receives `volume` events.
  ///   - log: The log.
  ///   - target: Returns the current player; nil before there is one.
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

  /// Effective volume in percent.
  var percent: Int { Int((target()?.volume.percent ?? 0).rounded()) }

  /// Maximum volume in percent at the current time of day.
  var most: Int {
    let (settings, minute) = (configuration.settings, machine.minuteOfDay)
    return isRinging
      ? settings.maximumAlarmVolume(atMinute: minute) : settings.maximumVolume(atMinute: minute)
  }

  /// Gain of a volume in percent, on the configured curve.
  func gain(_ percent: Float) -> Gain { Volume(percent).gain(configuration.settings.volumeCurve) }

  /// Minimum gain of cues and announcements, in dB: audible near a box whose music is turned down or muted.
  private static let minSound: Float = -36

  /// Gain of a cue or announcement: the music's volume, but at least `minSound`.
  ///
  /// - Parameter limit: Maximum in percent; the limit of the current time of day applies as well.
  func soundGain(limit: Int = 100) -> Gain {
    min(max(gain(Float(percent)), Gain(decibels: Self.minSound)), gain(Float(min(limit, most))))
  }

  /// Sets the user's volume, within the limits.
  func set(_ volume: Volume) {
    beforeMute = nil
    isTurned = true
    wanted = Volume(min(volume.percent, Float(configuration.settings.maximumVolume)))
    limit(.knob)
  }

  /// Sets the user's volume to the `volume.start` setting, if that is set.
  func setToStart() {
    if let start = configuration.started.startVolume { wanted = Volume(Float(start)) }
  }

  /// Applies `volume.start` of a configuration that was read late, unless the volume has been changed since.
  func setToStart(ifStill former: Volume) {
    guard wanted == former else { return }
    setToStart()
    limit()
  }

  /// Sets the volume of the ringing alarm.
  ///
  /// - Parameter volume: nil ends the alarm and restores the user's volume.
  func ring(at volume: Volume?) {
    if !isRinging { isTurned = false }
    alarm = volume
    // A step of the alarm's ramp never exceeds what the user expects, so do not hold back as at the end of the night
    // limit.
    isHeld = false
    limit(.setting)
  }

  /// Cause of a volume update.
  enum Cause { case knob, setting, clock }

  /// Recomputes the volume from the limits, and schedules the next change between day and night. Unless the user turns
  /// the knob, playing music gets louder only by a ramp, and not at all when the night limit ends.
  func limit(_ cause: Cause = .setting) {
    guard let target = target() else { return }
    let (volume, curve) = (allowed, configuration.settings.volumeCurve)
    let present = target.volume.gain(target.volumeCurve)
    if cause != .knob, curve != target.volumeCurve, target.isSounding, volume.gain(curve) > present {
      // Continue on the new curve at the current loudness.
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
    // Check at least once an hour, in case a change of the wall clock is not reported.
    nightTimer.start(after: UInt64(min(minutes, 60)) * 60_000_000_000) { [unowned(unsafe) self] in
      limit(.clock)
    }
  }

  /// Volume of the user or of the alarm, within the limits. An alarm stays audible if the user's volume is low.
  private var allowed: Volume {
    let top = Float(most)
    guard let alarm else { return Volume(min(wanted.percent, top)) }
    let risen = min(alarm.percent, top)
    guard isTurned else { return Volume(risen) }
    // After the user turned the knob, the alarm only sets a minimum: its ramp, up to `alarm.minimum`.
    return Volume(max(min(wanted.percent, top), min(risen, Float(configuration.settings.minimumAlarmVolume))))
  }

  /// Upward ramp: nanoseconds between steps, and percent per step (20 % per second).
  private static let rampInterval: UInt64 = 100_000_000
  private static let rampStep: Float = 2

  /// One step of the ramp.
  private func rise() {
    guard let target = target() else { return }
    let volume = allowed
    target.setVolume(Volume(min(target.volume.percent + Self.rampStep, volume.percent)), curve: nil)
    if target.volume.percent < volume.percent {
      rampTimer.start(after: Self.rampInterval) { [unowned(unsafe) self] in rise() }
    }
    post()
  }

  /// Carries out `volume`.
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
    // The cue plays only once while the user keeps turning against the limit.
    if isLimited, !isAtLimit { onLimit?() }
    isAtLimit = isLimited
    if isRinging, asked < now {
      return .ok("\(now) %, the least while an alarm rings; 'alarm stop' ends it")
    }
    return .ok(isLimited && now < 100 ? "\(now) %, the limit at present" : "\(now) %")
  }

  /// Carries out `mute`.
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

  /// Stops all timers.
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
