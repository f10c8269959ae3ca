// When which of the box's own sounds is played. Control thread.

import Console
import PlaybackModel
import Player
import RealtimeAudio

extension Box {
  /// Plays a cue, if cues are wanted. The limits of the volume hold for cues, too.
  func play(_ name: CueName) {
    guard settings.cuesEnabled else { return }
    let volume = Volume(Float(min(settings.cuesVolume, mostVolume)))
    guard volume.percent > 0 else { return }
    player.playCue(playback.cues.sound(name), gain: volume.gain)
  }

  /// After power-on: what plays already says so itself.
  func playReadyCue() {
    playback.cues.whenLoaded { [unowned(unsafe) self] in
      switch player.machine.state.kind {
      case .idle, .ready, .paused, .crossfadePaused, .finished, .failed: play(.ready)
      case .preparing, .playing, .buffering, .seeking, .preparingCrossfade, .crossfading, .fadingOut: break
      }
    }
  }

  func player(_ player: Player, wantsCueFor error: PlaybackError) {
    if let name = CueName(name: error.cue) { play(name) }
  }

  /// Takes the files that replace cues, as the settings name them.
  func adoptCues() {
    playback.cues.onNote = { [unowned(unsafe) self] in log.write(.warning, $0) }
    playback.cues.adopt { [unowned(unsafe) self] name in
      settings.cuesEnabled ? settings.cueFile(name.name) : nil
    }
  }

  func test(_ subject: TestSubject) -> Reply {
    switch subject {
    case .tone:
      if let missing = playback.missing { return .failed("there is no sound output: \(missing)") }
      // To be heard even where cues are off: as loud as music, or as cues.
      let percent = min(max(player.volume.percent, Float(settings.cuesVolume)), Float(mostVolume))
      player.playCue(.builtIn(.testTone), gain: Volume(percent).gain)
      return .ok("440 Hz on the left, then on the right")
    case .leds: return testLights()
    case .buttons: return testButtons()
    }
  }
}
