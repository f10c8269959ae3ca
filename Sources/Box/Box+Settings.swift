// What settings do: at once where they can, and into the file by `save`. Control thread.

import Checkpoints
import Console
import PlaybackModel
import Platform
import Player
import RealtimeAudio

extension Box {
  /// Makes everything be as the settings say that can be without a restart.
  func applySettings() {
    log.level = LogLevel(name: settings.logLevel) ?? .info
    player.adopt(PlayerSettings(settings, rate: player.machine.settings.rate))
    player.fadesAlbums = settings.fadesAlbums
    player.levelling.mode =
      switch settings.gainMode {
      case "track": .track
      case "album": .album
      default: .off
      }
    player.levelling.preamp = Float(settings.gainPreamp)
    player.levelling.preventsClipping = settings.gainPreventsClipping
    player.setMono(settings.isMono)
    player.queue.repeatMode = settings.repeatMode
    player.queue.endOfQueue = settings.endOfQueue
    if player.queue.isShuffled != settings.isShuffled { player.queue.shuffle(settings.isShuffled) }
    checkpoints?.setInterval(settings.checkpointInterval)
    if checkpoints == nil, let start = settings.startVolume { wantedVolume = Volume(Float(start)) }
    limitVolume()
    adoptCues()
  }

  /// Changes one setting and makes it felt.
  func change(
    _ setting: Setting, _ change: (inout Settings) throws(ConsoleError) -> Void
  ) -> Reply {
    do throws(ConsoleError) {
      try change(&settings)
    } catch {
      return .error(error)
    }
    applySettings()
    if setting == .mediaRemovable || setting == .mediaRemovableAction { watchStorage() }
    let later = setting.declaration.application == .atNextStart
    return .ok(settings.line(setting) + (later ? " (from the next start on; 'save' keeps it)" : ""))
  }

  /// Writes the configuration, so that either the old or the new one is there after a power cut.
  func save() -> Reply {
    guard let path = options.configuration else {
      return .failed("there is no configuration file; start the daemon with --config FILE")
    }
    do throws(SystemError) {
      try machine.files.replace(path, with: Array(base.configuration(settings, controls).utf8))
    } catch {
      return .failed("the configuration was not written: \(error.description)")
    }
    savedSettings = settings
    return .ok("written to \(path)")
  }

  // MARK: Volume

  /// What the volume may be at this time of day.
  var mostVolume: Int { settings.maximumVolume(atMinute: machine.minuteOfDay) }

  func volume(_ change: VolumeChange?) -> Reply {
    let percent = Int(player.volume.percent.rounded())
    let wanted: Int
    switch change {
    case nil:
      return .ok(Answer("\(percent) %", fields: [Field("volume", percent), Field("most", mostVolume)]))
    case .to(let value)?: wanted = value
    case .by(let value)?: wanted = percent + value
    case .steps(let steps)?: wanted = percent + steps * settings.volumeStep
    }
    setVolume(Volume(Float(wanted)))
    let now = Int(player.volume.percent.rounded())
    if wanted > now, now == mostVolume { play(.volumeLimit) }
    checkpoints?.noteSetting()
    return .ok(
      wanted > now && now == mostVolume && now < 100 ? "\(now) %, the most it may be now" : "\(now) %")
  }

  func setVolume(_ volume: Volume) {
    wantedVolume = Volume(min(volume.percent, Float(settings.maximumVolume)))
    limitVolume()
  }

  /// Applies the limits of the day and the night, and looks again when the night begins or ends.
  func limitVolume() {
    let volume = Volume(min(wantedVolume.percent, Float(mostVolume)))
    if volume != player.volume { player.setVolume(volume) }
    nightTimer.stop()
    guard let minutes = settings.minutesToNightBorder(atMinute: machine.minuteOfDay) else { return }
    // Where the clock is not watched, an hour is the longest that a new time is not noticed.
    nightTimer.start(after: UInt64(min(minutes, 60)) * 60_000_000_000) { [unowned(unsafe) self] in
      limitVolume()
    }
  }

  // MARK: Sleep

  func sleep(_ timer: SleepTimer?) -> Reply {
    switch timer {
    case .after(let minutes)?:
      setSleepTimer(after: Seconds(Double(minutes) * 60))
      play(.sleepTimer)
      checkpoints?.noteQueue()
      return .ok("stops in \(minutes) min")
    case .off?:
      sleepTimer.stop()
      checkpoints?.noteQueue()
      return .ok("no sleep timer")
    case nil:
      guard let rest = sleepRest else { return .ok("no sleep timer") }
      let seconds = Int(rest / 1_000_000_000)
      return .ok(Answer("stops in \((seconds + 59) / 60) min", fields: [Field("seconds-left", seconds)]))
    }
  }

  func setSleepTimer(after time: Seconds) {
    sleepTimer.start(after: UInt64(max(0, time.value) * 1e9)) { [unowned(unsafe) self] in
      log.write(.info, "The sleep timer is over.", isPublic: true)
      player.handle(.sleepTimerFired)
    }
  }

  /// Nanoseconds until the sleep timer is over; nil where none runs.
  var sleepRest: UInt64? {
    let now = scheduler.now
    return sleepTimer.deadline.map { $0 > now ? $0 - now : 0 }
  }

  /// The supply is going: everything is remembered before this returns.
  func powerFailing() -> Reply {
    player.handle(.powerFailing)
    guard let checkpoints else { return .failed("nothing is remembered: checkpoint.path is off") }
    return checkpoints.writeNow(within: 500_000_000)
      ? .ok("remembered") : .failed("the checkpoint was not written in time")
  }
}
