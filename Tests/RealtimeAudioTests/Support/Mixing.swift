// Short ways to order fades and to say what the mixer has reported. Test threads.
import AudioRing
import PlaybackModel
import RealtimeAudio

extension FadeEnds {
  /// Nobody knows where either track ends.
  static let unknown = FadeEnds(from: RingLayout.noEnd, to: RingLayout.noEnd)
}

extension MixerCommand {
  /// A fade that begins with the frame on which the command takes effect, as a person's skip orders it.
  static func fadeNow(from: Deck, to: Deck, _ fade: Fade, ends: FadeEnds = .unknown) -> MixerCommand {
    .join(.crossfade(from: from, to: to, at: 0, fade, ends: ends))
  }
}

extension MixerEvent {
  /// The event in a few words: `advanced(to: b)`; of a fade that begins, its length in frames.
  var words: String {
    if case .crossfadeBegan(let deck, let fade) = self {
      return "crossfadeBegan(to: \(deck), \(fade.length.count))"
    }
    return "\(self)".replacing("PlaybackModel.Deck.", with: "")
  }
}
