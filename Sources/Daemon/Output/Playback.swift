// An output and the player on it, which come and go together. Control thread only.

import Decoding
import PlaybackModel
import Platform
import Player
import RealtimeAudio

/// What plays: made anew when the box gets another output.
final class Playback {
  let player: Player
  let audio: any AudioRunner
  /// What the box's own sounds are on this output.
  let cues: CueLibrary
  /// One line about the output, for `status`.
  let summary: String
  /// Set where there is no output: why.
  let missing: String?
  private var watch: DescriptorWatch?

  init(
    _ output: OpenOutput, roots: @escaping () -> MediaRoots, on machine: any Machine, isStrict: Bool,
    note: @escaping (String) -> Void
  ) throws(SystemError) {
    let audio = try machine.runAudio(on: output.device)
    let rate = output.device.rate
    let player = Player(
      scheduler: machine.scheduler, link: audio.link,
      decoders: machine.decoders(rate: rate, roots: roots, ring: nil, note: note), rate: rate,
      isOffline: false,
      isStrict: isStrict)
    player.queue = PlayQueue(seed: machine.randomSeed)
    self.audio = audio
    cues = CueLibrary(rate: rate, on: machine)
    self.player = player
    summary = output.summary
    missing = output.missing
    watch = try DescriptorWatch(machine.scheduler, readable: audio.reportSource.descriptor) {
      [unowned(unsafe) self] in
      audio.reportSource.clear()
      self.player.takeReports()
    }
  }

  // Whoever it tells goes, too.
  deinit { detach() }

  /// Tells and asks nobody any more.
  func detach() {
    player.observer = nil
    player.startPosition = { _ in nil }
    player.isStorageAway = { _ in false }
  }

  /// Ends the audio thread and the decoders.
  func end() {
    detach()
    watch = nil
    audio.stop()
    cues.end()
    player.end()
  }
}
