// When which of the box's own sounds is played. Control thread.

import Console
import PlaybackModel
import Platform
import Player
import RealtimeAudio

/// Plays cues, if cues are wanted.
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
    subscription = feed.listen { [unowned(unsafe) self] stamped in
      switch stamped.event {
      case .cueDue(let error): if let name = CueName(name: error.cue) { play(name) }
      case .setting: adopt()
      default: break
      }
    }
  }

  /// Plays a cue: as loud as the music, audible where that is turned down, within `cues.volume` and the volume's limits.
  func play(_ name: CueName) {
    let settings = configuration.settings
    guard settings.cuesEnabled else { return }
    let gain = volume.soundGain(limit: settings.cuesVolume)
    guard gain > .silence else { return }
    outputs.player.playCue(outputs.playback.cues.sound(name), gain: gain)
  }

  /// After power-on: the cue of skipped lines of the configuration, or that of a box that is ready. Music that plays already stands for
  /// the latter.
  func playStart(hasSkippedLines: Bool) {
    outputs.playback.cues.whenLoaded { [unowned(unsafe) self] in
      if hasSkippedLines { return play(.configuration) }
      switch outputs.player.machine.state.kind {
      case .idle, .ready, .paused, .crossfadePaused, .finished, .failed: play(.ready)
      case .preparing, .playing, .buffering, .seeking, .preparingCrossfade, .crossfading, .fadingOut: break
      }
    }
  }

  /// Takes the files that replace cues, as the settings name them.
  func adopt() {
    guard outputs.openedPlayer != nil else { return }
    let cues = outputs.playback.cues
    cues.onNote = { [unowned(unsafe) self] in log.write(.warning, $0) }
    let settings = configuration.settings
    cues.adopt { settings.cuesEnabled || $0 == .alarm ? settings.cueFile($0.name) : nil }
  }

  /// Plays the sound of an alarm, also where cues are off: as loud as the alarm has become.
  func playAlarm() {
    outputs.player.playCue(outputs.playback.cues.sound(.alarm), gain: volume.soundGain())
  }

  /// Plays a tone: to be heard even where cues are off, as loud as music, or as cues.
  func testTone() -> Reply {
    if let missing = outputs.playback.missing { return .failed("there is no sound output: \(missing)") }
    let player = outputs.player
    let percent = min(
      max(player.volume.percent, Float(configuration.settings.cuesVolume)), Float(volume.most))
    player.playCue(.builtIn(.testTone), gain: volume.gain(percent))
    return .ok("440 Hz on the left, then on the right")
  }
}
