// Settings of the sleep timer, with their typed values. Pure; any thread.

import PlaybackModel

extension SettingTable {
  static let sleep: [SettingDeclaration] = [
    SettingDeclaration(
      .sleepFade, "sleep.fade", .decimal(0...120, decimals: 3, unit: "s"), default: "20",
      "The length of the sleep timer's fade-out.")
  ]
}

extension Settings {
  /// The length of the sleep timer's fade-out.
  package var sleepFade: Seconds { seconds(.sleepFade) }
}
