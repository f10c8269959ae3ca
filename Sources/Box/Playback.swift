// An output and the player on it, which come and go together. Control thread only.

import Decoding
import Outputs
import PlaybackModel
import Platform
import Player
import RealtimeAudio

/// What plays: made anew when the box gets another output.
final class Playback {
  let player: Player
  let host: AudioHost
  /// What the box's own sounds are on this output.
  let cues: CueLibrary
  /// One line about the output, for `status`.
  let summary: String
  /// Set where there is no output: why.
  let missing: String?
  private let events: EventLoop
  private let token: EventLoop.Token

  init(
    _ output: OpenOutput, roots: MediaRoots, events: EventLoop, isStrict: Bool
  ) throws(SystemError) {
    let host = try AudioHost(device: output.device)
    let rate = output.device.rate
    let player = Player(
      scheduler: events, link: host.link, decoders: WorkerDecoders(events, rate: rate, roots: roots),
      rate: rate,
      isUnpaced: false, isStrict: isStrict)
    token = try events.add(readable: host.reports.descriptor) {
      host.reports.clear()
      player.takeReports()
    }
    self.host = host
    cues = CueLibrary(rate: rate, events: events)
    self.player = player
    self.events = events
    summary = output.summary
    missing = output.missing
  }

  /// Ends the audio thread and the decoders.
  func end() {
    player.observer = nil
    events.remove(token)
    host.stop()
    cues.end()
    player.end()
  }
}

/// An output that was opened, or what stands in for it.
struct OpenOutput {
  let device: any PCMDevice
  let summary: String
  let missing: String?
}
