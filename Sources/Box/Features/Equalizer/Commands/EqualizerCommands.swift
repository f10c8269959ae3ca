// Declarations of the commands of the equaliser. Pure; any thread.

extension CommandTable {
  static let equalizer: [CommandDeclaration] = [
    CommandDeclaration(
      "eq", Arguments.equalizerBand, .sound, "Shows the equaliser, or sets one of its ten bands.",
      "The same as 'set eq.BAND'. Shapes are peak, low-shelf, high-shelf, high-pass, low-pass and notch. The frequency is from "
        + "10Hz to 20kHz; peaks and shelves have a gain from -24dB to +12dB; Q0.1 to Q20 is how narrow a band is, 0.707 by "
        + "default. Everything gets quieter by as much as the highest boost, so that nothing is too loud; 'eq' shows by how much. "
        + "'swiftlet eq --plot FILE.svg' draws the response.",
      examples: ["eq", "eq 1 peak 80Hz +3dB Q0.7", "eq 2 high-shelf 8kHz -2dB", "eq 1", "eq 1 off"]
    ) { $0 },
    CommandDeclaration("eq clear", .clearEqualizer, .sound, "Turns all bands of the equaliser off."),
    CommandDeclaration(
      "loudness", Arguments.onOff.optional, .sound, "Raises bass and treble at low volume, or not.",
      "The same as 'set loudness.enabled'. Without a word it toggles it.",
      examples: ["loudness on", "loudness"]
    ) { $0.map { .set(.loudnessEnabled, .isOn($0)) } ?? .cycle(.loudnessEnabled) },
  ]
}
