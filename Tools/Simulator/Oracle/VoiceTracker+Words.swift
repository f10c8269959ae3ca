// Text of the tracker for reports. One thread.

extension VoiceTracker {
  /// The frames of all voices that have a mark.
  func identify(_ mark: Float) -> [(voice: Voice, frame: Int)] {
    voices.flatMap { voice in
      (0..<max(0, voice.end)).filter { abs(Signal.mark(voice.source, $0) - mark) < 1e-6 }.map { (voice, $0) }
    }
  }

  func short(_ gain: Double) -> String { "\((gain * 100_000).rounded() / 100_000)" }

  /// Describes a frame by its possible tracks and frame numbers.
  func describe(_ left: Float, _ right: Float) -> String {
    var text = "left \(left), right \(right)"
    if left > 0 {
      let fits = identify(right / left).prefix(4).map { "frame \($0.frame) of track \($0.voice.track)" }
      if !fits.isEmpty { text += ", alone like " + fits.joined(separator: " or ") }
    }
    let known = voices.filter { !$0.isGone }.map { "track \($0.track) at \($0.next) of \($0.end)" }
    return text + "; decoders: " + (known.isEmpty ? "none" : known.joined(separator: ", "))
  }
}
