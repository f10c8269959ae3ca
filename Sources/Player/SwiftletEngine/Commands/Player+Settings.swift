// Applies the console's settings (fades, streams, ReplayGain, queue modes) to a player. Control thread.

import Console
import PlaybackModel
import Player

extension Player {
  /// Applies all settings that can change without a restart.
  package func adopt(_ settings: Settings) {
    adopt(PlayerSettings(settings, rate: machine.settings.rate))
    var streams = StreamConditions()
    streams.window = settings.streamSpool
    streams.start = settings.streamStart
    streams.timeout = settings.streamTimeout
    streams.proxy = settings.streamProxy ?? ""
    streams.allowsPrivateRedirects = settings.streamPrivateRedirects
    adopt(streams)
    fadesAlbums = settings.fadesAlbums
    replayGain.mode =
      switch settings.gainMode {
      case "track": .track
      case "album": .album
      default: .off
      }
    replayGain.preamp = Float(settings.gainPreamp)
    replayGain.preventsClipping = settings.gainPreventsClipping
    setMono(settings.isMono)
    setCorrection(settings.speakerCorrection)
    queue.repeatMode = settings.repeatMode
    queue.endOfQueue = settings.endOfQueue
    beforeFirst = settings.beforeFirst
    if queue.isShuffled != settings.isShuffled { queue.shuffle(settings.isShuffled) }
  }
}
