// Settings of the sound card, the volume and the fades. Pure; any thread.

import PlaybackModel

extension SettingTable {
  static let sound: [SettingDeclaration] = output + speaker + volume

  private static let output: [SettingDeclaration] = [
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

  private static let volume: [SettingDeclaration] = [
    SettingDeclaration(
      .volumeStart, "volume.start", .integer(0...100, unit: "%"),
      or: Choice("last", "as before power-off"), default: "last", applies: .atNextStart,
      "The volume after power-on, within the maximum and the night limit."),
    SettingDeclaration(
      .volumeMaximum, "volume.maximum", .integer(1...100, unit: "%"), default: "100",
      "The loudest volume; neither commands nor knobs exceed it."),
    SettingDeclaration(
      .volumeStep, "volume.step", .integer(1...20, unit: "%"), default: "5",
      "The step of 'volume up' and 'volume down'."),
    SettingDeclaration(
      .volumeCurve, "volume.curve",
      .choice([
        Choice("cubic", "50 % is -18 dB and 10 % is -60 dB, below which most speakers are silent"),
        Choice("even", "each percent is about half a decibel: 50 % is -25 dB, 10 % is -45 dB, 1 % is -50 dB"),
      ]), default: "cubic",
      "How loud a volume is. The configuration of a new box chooses even; a box from before keeps cubic, so that no stored volume "
        + "becomes louder."),

    SettingDeclaration(
      .nightFrom, "night.from", .timeOfDay, or: Choice("off", "no night limit"), default: "off",
      "When the night limit begins, in local time."),
    SettingDeclaration(
      .nightTo, "night.to", .timeOfDay, default: "07:00", "When the night limit ends."),
    SettingDeclaration(
      .nightMaximum, "night.maximum", .integer(0...100, unit: "%"), default: "30",
      "The loudest volume between night.from and night.to."),

    SettingDeclaration(
      .fadeLength, "fade.length", .decimal(0...15, decimals: 3, unit: "s"), default: "0",
      "The length of the fade from one track into the next. 0 joins them without a gap."),
    SettingDeclaration(
      .fadeCurve, "fade.curve",
      .choice([
        Choice("linear", "for material that is in phase"),
        Choice("equal-power", "constant loudness, for unrelated tracks"),
        Choice("s-curve", "begins and ends gently"),
        Choice("logarithmic", "both are loud in the middle"),
        Choice("exponential", "both are quiet in the middle"),
      ]), default: "equal-power", "The shape of fades between tracks."),
    SettingDeclaration(
      .fadeManualLength, "fade.manual-length", .decimal(0...15, decimals: 3, unit: "s"), default: "0",
      "The length of the fade when you skip to another track. 0 changes at once, without a click."),
    SettingDeclaration(
      .fadeAlbums, "fade.albums",
      .choice([
        Choice("gapless", "joined without a gap, as on the record"), Choice("fade", "faded like any other"),
      ]), default: "gapless", "How consecutive tracks of an album meet."),
    SettingDeclaration(
      .fadeQuickFinish, "fade.quick-finish", .integer(0...100, unit: "%"),
      or: Choice("never", "always continues as it was"), default: "50",
      "A fade paused at or after this point ends within a second when resumed; one paused earlier continues as it was."
    ),
    SettingDeclaration(
      .pauseRamp, "pause.ramp", .decimal(0...5, decimals: 3, unit: "s"), default: "0.2",
      "The length of the ramp at pause and play."),
    SettingDeclaration(
      .stopFade, "stop.fade", .decimal(0...15, decimals: 3, unit: "s"), default: "0.5",
      "The length of the fade-out at stop."),
  ]
}
