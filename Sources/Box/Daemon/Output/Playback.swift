// An output of the box with what plays on it. Control thread only.

import Decoding
import PlaybackModel
import Platform
import Player
import RealtimeAudio
import SwiftletEngine

/// What plays: made anew when the box gets another output.
final class Playback {
  private let connected: ConnectedPlayer
  /// What the box's own sounds are on this output.
  let cues: CueLibrary
  /// One line about the output, for `status`.
  let summary: String
  /// Set where there is no output: why.
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

  /// Reports to and asks nobody any more.
  func detach() { connected.detach() }

  /// Ends the audio thread, the decoders and the cues, which the audio thread reads.
  func end() {
    connected.end()
    cues.end()
  }
}
