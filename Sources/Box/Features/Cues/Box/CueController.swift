// Plays the box's notification sounds (cues) on events. Control thread.

import Console
import PlaybackModel
import Platform
import Player
import RealtimeAudio

/// Plays cues, if `cues.enabled` is on.
final class CueController {
  private let configuration: ConfigurationStore
  private let outputs: OutputController
  private let volume: VolumeController
  private let log: Log
  private var subscription: EventSubscription?

  init(
    _ configuration: ConfigurationStore, _ outputs: OutputController, _ volume: VolumeController,
    feed: EventFeed, log: Log
  ) {
    self.configuration = configuration
    self.outputs = outputs
    self.volume = volume
    self.log = log
    volume.onLimit = { [unowned(unsafe) self] in play(.volumeLimit) }
    subscription = feed.listen { [unowned(unsafe) self] stamped in
      switch stamped.event {
      case .cueDue(let error): if let name = CueName(name: error.cue) { play(name) }
      case .setting: adopt()
      default: break
      }
    }
  }

  /// Plays a cue as loud as the music (audible even if that is turned down), limited by `cues.volume` and the maximum
  /// volume.
  func play(_ name: CueName) {
    let settings = configuration.settings
    guard settings.cuesEnabled else { return }
    let gain = volume.soundGain(limit: settings.cuesVolume)
    guard gain > .silence else { return }
    outputs.player.playCue(outputs.playback.cues.sound(name), gain: gain)
  }

  /// Plays the start cue: the configuration cue if lines were skipped, or else the ready cue unless music is already
  /// playing.
  func playStart(hasSkippedLines: Bool) {
    outputs.playback.cues.whenLoaded { [unowned(unsafe) self] in
      if hasSkippedLines { return play(.configuration) }
      switch outputs.player.machine.state.kind {
      case .idle, .ready, .paused, .crossfadePaused, .finished, .failed: play(.ready)
      case .preparing, .playing, .buffering, .seeking, .preparingCrossfade, .crossfading, .fadingOut: break
      }
    }
  }

  /// Loads the replacement sound files that the settings name.
  func adopt() {
    guard outputs.openedPlayer != nil else { return }
    let cues = outputs.playback.cues
    cues.onNote = { [unowned(unsafe) self] in log.write(.warning, $0) }
    let settings = configuration.settings
    cues.adopt { settings.cuesEnabled || $0 == .alarm ? settings.cueFile($0.name) : nil }
  }

  /// Plays the built-in alarm sound at the alarm's current volume, even if cues are off.
  func playAlarm() {
    outputs.player.playCue(outputs.playback.cues.sound(.alarm), gain: volume.soundGain())
  }

  /// Plays a test tone at the louder of music and cue volume, even if cues are off.
  func testTone() -> Reply {
    if let missing = outputs.playback.missing { return .failed("there is no sound output: \(missing)") }
    let player = outputs.player
    let percent = min(
      max(player.volume.percent, Float(configuration.settings.cuesVolume)), Float(volume.most))
    player.playCue(.builtIn(.testTone), gain: volume.gain(percent))
    return .ok("440 Hz on the left, then on the right")
  }
}
