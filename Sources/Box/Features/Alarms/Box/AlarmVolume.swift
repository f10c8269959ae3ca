// Volume ramp of a ringing alarm. Control thread.

import Console
import PlaybackModel
import Platform

/// Raises the volume from low to `alarm.volume` in one-second steps, unless the user turns the knob.
final class AlarmVolume {
  /// Percent at which the ramp starts.
  private static let minimum = 10.0
  private static let step: UInt64 = 1_000_000_000

  private var begun: UInt64 = 0
  private let timer: DeadlineTimer
  private let configuration: ConfigurationStore
  private let volume: VolumeController
  private let scheduler: any Scheduler
  private var subscription: EventSubscription?

  init(
    _ configuration: ConfigurationStore, _ volume: VolumeController, scheduler: any Scheduler, feed: EventFeed
  ) {
    self.configuration = configuration
    self.volume = volume
    self.scheduler = scheduler
    timer = DeadlineTimer(scheduler)
    subscription = feed.listen { [unowned(unsafe) self] stamped in
      switch stamped.event {
      // Also applies after the ramp has finished.
      case .setting(.alarmVolume?, _), .setting(.alarmRise?, _), .setting(nil, _):
        if volume.alarm != nil { rise() }
      default: break
      }
    }
  }

  /// Starts the ramp.
  func begin() {
    begun = scheduler.now
    rise()
  }

  /// Ends the ramp and restores the user's volume.
  func end() {
    timer.stop()
    volume.ring(at: nil)
  }

  private func rise() {
    let settings = configuration.settings
    let most = Double(settings.alarmVolume)
    let least = min(Self.minimum, most)
    let passed = Double(scheduler.now - begun) / 1e9
    let part = settings.alarmRise.value > 0 ? min(1, passed / settings.alarmRise.value) : 1
    volume.ring(at: Volume(Float(least + (most - least) * part)))
    guard part < 1 else { return }
    timer.start(after: Self.step) { [unowned(unsafe) self] in
      if volume.alarm != nil { rise() }
    }
  }
}
