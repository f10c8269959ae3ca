// Connects a player with an audio loop and its decoders, for the engine and the daemon. Control thread only.

import PlaybackModel
import Platform
import Player

/// A player together with the audio loop of one output. Both have the same lifetime.
package final class ConnectedPlayer {
  /// The player.
  package let player: Player
  /// The audio loop on the output.
  package let audio: any AudioRunner
  /// Called after reports of the audio loop have been processed.
  package var onReports: () -> Void = {}
  private var watch: DescriptorWatch?

  /// Creates a player in `idle` on an audio loop.
  ///
  /// - Parameters:
  ///   - audio: The audio loop.
  ///   - rate: The output's rate.
  ///   - decoders: Opens decoders for tracks.
  ///   - scheduler: Clock and timers. For a recording it counts rendered frames.
  ///   - isPaced: Whether the output has a clock; false for a recording.
  ///   - isStrict: Whether an internal inconsistency terminates the process; for tests.
  /// - Throws: `SystemError` if no descriptor is available.
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

  // The player's callbacks must not outlive their targets.
  deinit { detach() }

  /// Removes all callbacks from the player.
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
