// Settings that adapt the sound to a speaker: high-pass, equaliser, loudness. Pure; any thread.

import PlaybackModel

extension SettingTable {
  static let speaker: [SettingDeclaration] =
    [
      SettingDeclaration(
        .speakerHighPass, "speaker.high-pass", .integer(20...500, unit: "Hz"),
        or: Choice("off", "the speaker gets everything"), default: "off",
        "Keeps what is lower from the speaker, by 12 dB with each octave: for small speakers, which bass only strains."
      )
    ] + Setting.equalizer.enumerated().map { band($1, $0 + 1) } + [
      SettingDeclaration(
        .loudnessEnabled, "loudness.enabled", .onOff, default: "off",
        "Raises bass and treble at low volume, where ears miss them: by 0.3 and 0.06 dB for each dB below "
          + "loudness.reference, up to 12 and 2.4 dB."),
      SettingDeclaration(
        .loudnessReference, "loudness.reference", .integer(1...100, unit: "%"), default: "100",
        "The volume from which on loudness.enabled changes nothing."),
    ]

  private static func band(_ setting: Setting, _ number: Int) -> SettingDeclaration {
    SettingDeclaration(
      setting, "eq." + String(number), .band, or: Choice("off", "does nothing"), default: "off",
      "Band " + String(number) + " of the equaliser. 'eq " + String(number) + "' is the short form.")
  }
}

extension Setting {
  /// The equaliser's bands, in order.
  package static let equalizer: [Setting] = [.eq1, .eq2, .eq3, .eq4, .eq5, .eq6, .eq7, .eq8, .eq9, .eq10]
}

extension Settings {
  /// Equaliser, high-pass and loudness for the speaker.
  package var speakerCorrection: SpeakerCorrection {
    SpeakerCorrection(
      bands: Setting.equalizer.map { if case .band(let band) = value($0) { band } else { nil } },
      highPass: integer(.speakerHighPass).map { Double($0) },
      loudness: isOn(.loudnessEnabled)
        ? LoudnessContour(reference: Volume(Float(whole(.loudnessReference))), curve: volumeCurve)
        : nil)
  }
}
