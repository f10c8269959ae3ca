// Settings of fades and ramps, with their typed values. Pure; any thread.

import PlaybackModel

extension SettingTable {
  static let fades: [SettingDeclaration] = [
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

extension Settings {
  /// The length of the fade between tracks; 0: gapless.
  package var fadeLength: Seconds { seconds(.fadeLength) }
  /// The shape of fades.
  package var fadeCurve: FadeCurve { choice(.fadeCurve).flatMap { FadeCurve(name: $0) } ?? .equalPower }
  /// The length of the fade when the user skips; 0: none.
  package var manualFadeLength: Seconds { seconds(.fadeManualLength) }
  /// Whether consecutive tracks of an album fade, too.
  package var fadesAlbums: Bool { choice(.fadeAlbums) == "fade" }
  /// A fade that is paused at or after this percentage ends quickly when resumed; 101: never.
  package var quickFinishThreshold: Int { integer(.fadeQuickFinish) ?? 101 }
  /// The ramp at pause and resume.
  package var pauseRamp: Seconds { seconds(.pauseRamp) }
  /// The fade-out at stop.
  package var stopFade: Seconds { seconds(.stopFade) }
}
