// Computes the speaker correction filters for the output's rate and the present volume, and sends changes to the
// mixer. Control thread only.

import PlaybackModel
import RealtimeAudio

/// Sends the filters of a `SpeakerCorrection` to the mixer.
final class SpeakerTuning {
  /// The present correction.
  private(set) var correction = SpeakerCorrection()
  private let sender: CommandSender
  private let rate: SampleRate
  /// The filters that do not depend on the volume, i.e. all except loudness.
  private var fixed: [Biquad] = []
  /// The filters last sent to the mixer.
  private var sent: [Biquad] = Array(repeating: .unity, count: SpeakerCorrection.filterCount)

  init(_ sender: CommandSender, rate: SampleRate) {
    self.sender = sender
    self.rate = rate
  }

  /// Adopts a correction. Audible with the sender's next `flush`.
  func adopt(_ correction: SpeakerCorrection, volume: Volume) {
    guard correction != self.correction else { return }
    self.correction = correction
    fixed = correction.fixedFilters(at: rate)
    follow(volume)
  }

  /// Adapts the loudness filters to a volume. Audible with the sender's next `flush`.
  func follow(_ volume: Volume) {
    guard !fixed.isEmpty else { return }
    let wanted = fixed + correction.loudnessFilters(at: rate, volume: volume)
    for (i, biquad) in wanted.enumerated() where biquad != sent[i] {
      sent[i] = biquad
      sender.send(.setFilter(i, biquad))
    }
  }
}
