// Helpers to command fades and to name the mixer's reports. Test threads.
import AudioRing
import PlaybackModel
import RealtimeAudio

extension FadeEnds {
  /// The ends of both tracks are unknown.
  static let unknown = FadeEnds(from: RingLayout.noEnd, to: RingLayout.noEnd)
}

extension MixerCommand {
  /// A fade that begins on the frame of the command, as for a user's skip.
  static func fadeNow(from: Deck, to: Deck, _ fade: Fade, ends: FadeEnds = .unknown) -> MixerCommand {
    .join(.crossfade(from: from, to: to, at: 0, fade, ends: ends))
  }
}

extension MixerEvent {
  /// A short name of the event: `advanced(to: b)`; for the start of a fade, with its length in frames.
  var words: String {
    if case .crossfadeBegan(let deck, let fade) = self {
      return "crossfadeBegan(to: \(deck), \(fade.length.count))"
    }
    return "\(self)".replacing("PlaybackModel.Deck.", with: "")
  }
}
