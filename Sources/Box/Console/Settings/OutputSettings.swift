// Settings of the sound card, with their typed values. Pure; any thread.

import PlaybackModel

extension SettingTable {
  static let output: [SettingDeclaration] = [
    SettingDeclaration(
      .outputDevice, "output.device", .output, default: "default", applies: .atNextOutput,
      "The ALSA device to play on: a name that 'aplay -L' lists; 'snapcast:ADDRESS' for a Snapcast server; or 'null' for no sound."
    ),
    SettingDeclaration(
      .outputRate, "output.rate", .integer(8000...384_000, unit: "Hz"),
      or: Choice("auto", "44.1 kHz, or the rate of the card that comes nearest"), default: "auto",
      applies: .atNextOutput,
      "The sample rate of the sound card. Tracks of another rate are resampled."),
    SettingDeclaration(
      .outputFormat, "output.format",
      .choice([Choice("S16"), Choice("S24"), Choice("S24_3"), Choice("S32"), Choice("FLOAT")]),
      or: Choice("auto", "the widest that the card supports"), default: "auto", applies: .atNextOutput,
      "The sample format of the sound card."),
    SettingDeclaration(
      .outputMode, "output.mode",
      .choice([
        Choice("auto", "deep where the card can rewind"),
        Choice("deep", "few wake-ups: queues 1.25 s, and takes it back to answer within 20 ms"),
        Choice("shallow", "queues 40 ms"),
      ]), default: "auto", applies: .atNextOutput,
      "How far ahead sound is rendered."),
    SettingDeclaration(
      .outputPeriod, "output.period", .integer(1...1000, unit: "ms"),
      or: Choice("auto", "what the mode needs"),
      default: "auto", applies: .atNextOutput, "The length of one period of the sound card."),
    SettingDeclaration(
      .outputBuffer, "output.buffer", .integer(5...2000, unit: "ms"),
      or: Choice("auto", "what the mode needs"),
      default: "auto", applies: .atNextOutput, "The length of the sound card's buffer."),
    SettingDeclaration(
      .outputMono, "output.mono", .onOff, default: "off",
      "Mixes both channels to mono: for boxes with one speaker."),
  ]
}

extension Settings {
  /// The output: an ALSA device, a Snapcast server or `null`.
  package var outputDevice: String { requiredText(.outputDevice) }
  /// The sample rate; nil: 44.1 kHz, or the nearest rate that the card supports.
  package var outputRate: SampleRate? { integer(.outputRate).map { SampleRate($0) } }
  /// The card's sample format; nil: the widest that it supports.
  package var outputFormat: String? { choice(.outputFormat) }
  /// `auto`, `deep` or `shallow`.
  package var outputMode: String { word(.outputMode) }
  /// The card's period; nil: chosen by the mode.
  package var outputPeriod: Seconds? { milliseconds(.outputPeriod) }
  /// The card's buffer; nil: chosen by the mode.
  package var outputBuffer: Seconds? { milliseconds(.outputBuffer) }
  /// Whether both channels are mixed to mono.
  package var isMono: Bool { isOn(.outputMono) }
}
