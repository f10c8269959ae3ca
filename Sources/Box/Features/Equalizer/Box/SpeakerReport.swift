// Formats the speaker correction (equalizer, high-pass, loudness) for `eq` and `status`. Pure functions; any thread.

import Console
import PlaybackModel
import Platform

/// Description of the speaker correction.
package struct SpeakerReport {
  private let settings: Settings
  private let correction: SpeakerCorrection
  private let rate: SampleRate

  /// Creates a description.
  ///
  /// - Parameters:
  ///   - settings: Settings with the correction.
  ///   - rate: Sample rate of the output.
  package init(_ settings: Settings, rate: SampleRate) {
    self.settings = settings
    self.rate = rate
    correction = settings.speakerCorrection
  }

  /// Reply to `eq`.
  package var answer: Answer {
    var fields = [Field("high-pass", settings.shown(.speakerHighPass))]
    for (setting, band) in zip(Setting.equalizer, correction.bands) {
      guard let band else { continue }
      let isIdle = band.filter(at: rate).isUnity
      fields.append(
        Field(setting.key, settings.typed(setting) + (isIdle ? " (does nothing at \(rate.hertz) Hz)" : "")))
    }
    fields.append(Field("loudness", settings.typed(.loudnessEnabled)))
    if correction.loudness != nil {
      fields.append(Field("loudness-reference", settings.shown(.loudnessReference)))
    }
    fields.append(Field("headroom-db", .decimal(correction.headroom(at: rate), decimals: 2)))
    fields.append(Field("rate", rate.hertz))
    return Answer(correction.isOff ? "the sound is not corrected for the speaker" : "", fields: fields)
  }

  /// One-line summary for `status`; nil if there is no correction.
  static func summary(of correction: SpeakerCorrection, rate: SampleRate) -> String? {
    guard !correction.isOff else { return nil }
    let bands = correction.bands.reduce(0) { $0 + ($1 == nil ? 0 : 1) }
    var parts: [String] = []
    if let highPass = correction.highPass {
      parts.append("high-pass at " + Decimal.format(highPass, decimals: 0) + " Hz")
    }
    if bands > 0 { parts.append(String(bands) + (bands == 1 ? " band" : " bands")) }
    if correction.loudness != nil { parts.append("loudness") }
    let headroom = correction.headroom(at: rate)
    let text = parts.joined(separator: ", ")
    return headroom < 0.005
      ? text : text + "; " + Decimal.format(headroom, decimals: 1) + " dB quieter for headroom"
  }
}
