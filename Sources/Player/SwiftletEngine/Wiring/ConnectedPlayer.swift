// A player connected with an output: the one place where audio loop, decoders and player are put together. Control thread
// only.

import PlaybackModel
import Platform
import Player

/// What plays on one output; the two come and go together.
package final class ConnectedPlayer {
  /// The player.
  package let player: Player
  /// The audio loop on the output.
  package let audio: any AudioRunner
  /// Called after the loop's reports were taken.
  package var onReports: () -> Void = {}
  private var watch: DescriptorWatch?

  /// A player in `idle` on an audio loop. A recording's loop is not paced: its scheduler counts what was recorded.
  package init(
    _ audio: any AudioRunner, rate: SampleRate, decoders: any DecoderSource, scheduler: any Scheduler,
    isPaced: Bool = true, isStrict: Bool = false
  ) throws(SystemError) {
    self.audio = audio
    player = Player(
      scheduler: scheduler, link: audio.link, decoders: decoders, rate: rate, isOffline: !isPaced,
      isStrict: isStrict)
    watch = try DescriptorWatch(scheduler, readable: audio.reportSource.descriptor) {
      [unowned(unsafe) self] in
      audio.reportSource.clear()
      player.takeReports()
      onReports()
    }
  }

  // Whoever the player asks goes, too.
  deinit { detach() }

  /// Reports to and asks nobody any more.
  package func detach() {
    player.observer = nil
    player.onLimit = nil
    player.startPosition = { _ in nil }
    player.isStorageAway = { _ in false }
  }

  /// Ends the audio loop and the decoders.
  package func end() {
    detach()
    watch = nil
    audio.stop()
    player.end()
  }
}
