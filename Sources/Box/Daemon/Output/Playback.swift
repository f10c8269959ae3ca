// An open output with its player and cue sounds. Control thread only.

import Decoding
import PlaybackModel
import Platform
import Player
import RealtimeAudio
import SwiftletEngine

/// Player, audio thread and cues on one output; recreated when the output changes.
final class Playback {
  private let connected: ConnectedPlayer
  /// Cue sounds at this output's sample rate.
  let cues: CueLibrary
  /// One-line summary of the output for `status`.
  let summary: String
  /// Why the output is missing; nil if it is present.
  let missing: String?

  init(
    _ output: OpenOutput, roots: @escaping () -> MediaRoots, on machine: any Machine, isStrict: Bool,
    note: @escaping (String) -> Void
  ) throws(SystemError) {
    let rate = output.device.rate
    connected = try ConnectedPlayer(
      machine.runAudio(on: output.device), rate: rate,
      decoders: machine.decoders(rate: rate, roots: roots, ring: nil, note: note),
      scheduler: machine.scheduler,
      isStrict: isStrict)
    cues = CueLibrary(rate: rate, on: machine)
    summary = output.summary
    missing = output.missing
    player.queue = PlayQueue(seed: machine.randomSeed)
  }

  var player: Player { connected.player }
  var audio: any AudioRunner { connected.audio }

  /// Disconnects the player's observer and callbacks.
  func detach() { connected.detach() }

  /// Ends the audio thread, the decoders and the cues. The audio thread reads the cues, so it ends first.
  func end() {
    connected.end()
    cues.end()
  }
}
