// The settings of the sound card, the volume and the fades. Pure; any thread.

import PlaybackModel

extension SettingTable {
  static let sound: [SettingDeclaration] = [
    SettingDeclaration(
      .outputDevice, "output.device", .text(longest: 200), default: "default", applies: .atNextStart,
      "The ALSA device to play on, as 'aplay -L' lists them; 'null' plays into nothing."),
    SettingDeclaration(
      .outputRate, "output.rate", .integer(8000...384_000, unit: "Hz"),
      or: Choice("auto", "the first track's own rate"), default: "auto", applies: .atNextStart,
      "Frames a second of the sound card. Tracks of another rate are resampled."),
    SettingDeclaration(
      .outputFormat, "output.format",
      .choice([Choice("S16"), Choice("S24"), Choice("S24_3"), Choice("S32"), Choice("FLOAT")]),
      or: Choice("auto", "the widest the card takes"), default: "auto", applies: .atNextStart,
      "The sample format of the sound card."),
    SettingDeclaration(
      .outputMode, "output.mode",
      .choice([
        Choice("auto", "deep where the card can rewind"),
        Choice("deep", "few wake-ups, half a second queued"),
        Choice("shallow", "short periods, nothing queued for long"),
      ]), default: "auto", applies: .atNextStart,
      "How far ahead sound is rendered. Commands are answered within 20 ms either way."),
    SettingDeclaration(
      .outputPeriod, "output.period", .integer(1...1000, unit: "ms"), or: Choice("auto", "the mode's own"),
      default: "auto", applies: .atNextStart, "The length of one period of the sound card."),
    SettingDeclaration(
      .outputBuffer, "output.buffer", .integer(5...2000, unit: "ms"), or: Choice("auto", "the mode's own"),
      default: "auto", applies: .atNextStart, "The length of the sound card's buffer."),
    SettingDeclaration(
      .outputMono, "output.mono", .onOff, default: "off", applies: .atNextStart,
      "Plays the sum of both channels on each: for boxes with one speaker."),

    SettingDeclaration(
      .volumeStart, "volume.start", .integer(0...100, unit: "%"),
      or: Choice("last", "as it was when the power went"), default: "last", applies: .atNextStart,
      "The volume after power-on. The maximum and the night limit apply to it, too."),
    SettingDeclaration(
      .volumeMaximum, "volume.maximum", .integer(1...100, unit: "%"), default: "100",
      "No command and no knob makes it louder than this."),
    SettingDeclaration(
      .volumeStep, "volume.step", .integer(1...20, unit: "%"), default: "5",
      "How much 'volume up' and 'volume down' change."),

    SettingDeclaration(
      .nightFrom, "night.from", .timeOfDay, or: Choice("off", "no night limit"), default: "off",
      "When the night limit of the volume begins, in local time."),
    SettingDeclaration(
      .nightTo, "night.to", .timeOfDay, default: "07:00", "When the night limit of the volume ends."),
    SettingDeclaration(
      .nightMaximum, "night.maximum", .integer(0...100, unit: "%"), default: "30",
      "The loudest volume between night.from and night.to."),

    SettingDeclaration(
      .fadeLength, "fade.length", .decimal(0...15, decimals: 3, unit: "s"), default: "0",
      "How long one track fades into the next at its end. 0 joins them without a gap."),
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
      "How long the fade takes when a person skips to another track. 0 changes at once, without a click."),
    SettingDeclaration(
      .fadeAlbums, "fade.albums",
      .choice([
        Choice("gapless", "joined without a gap, as on the record"), Choice("fade", "faded like any others"),
      ]), default: "gapless", "What becomes of tracks that follow each other on one album."),
    SettingDeclaration(
      .fadeQuickFinish, "fade.quick-finish", .integer(0...100, unit: "%"),
      or: Choice("never", "always goes on as it was"), default: "50",
      "A fade paused from this part on ends within a second when it is resumed; one paused earlier goes on."),
    SettingDeclaration(
      .pauseRamp, "pause.ramp", .decimal(0...5, decimals: 3, unit: "s"), default: "0.2",
      "How long the sound takes to fade out at pause and in at play."),
    SettingDeclaration(
      .stopFade, "stop.fade", .decimal(0...15, decimals: 3, unit: "s"), default: "0.5",
      "How long the sound takes to fade out at stop."),
  ]
}
