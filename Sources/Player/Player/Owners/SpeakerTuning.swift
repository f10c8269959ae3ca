// What the mixer's filters for the speaker are to be, at this output's rate and the present volume. Control thread only.

import PlaybackModel
import RealtimeAudio

/// Sends the mixer the filters of a `SpeakerCorrection`.
final class SpeakerTuning {
  /// What is corrected.
  private(set) var correction = SpeakerCorrection()
  private let sender: CommandSender
  private let rate: SampleRate
  /// The filters but for the loudness: they do not depend on the volume.
  private var fixed: [Biquad] = []
  /// What the mixer has.
  private var sent: [Biquad] = Array(repeating: .unity, count: SpeakerCorrection.filterCount)

  init(_ sender: CommandSender, rate: SampleRate) {
    self.sender = sender
    self.rate = rate
  }

  /// Corrects otherwise; heard with the sender's next `flush`.
  func adopt(_ correction: SpeakerCorrection, volume: Volume) {
    guard correction != self.correction else { return }
    self.correction = correction
    fixed = correction.fixedFilters(at: rate)
    follow(volume)
  }

  /// Fits the loudness to a volume; heard with the sender's next `flush`.
  func follow(_ volume: Volume) {
    guard !fixed.isEmpty else { return }
    let wanted = fixed + correction.loudnessFilters(at: rate, volume: volume)
    for (i, biquad) in wanted.enumerated() where biquad != sent[i] {
      sent[i] = biquad
      sender.send(.setFilter(i, biquad))
    }
  }
}
