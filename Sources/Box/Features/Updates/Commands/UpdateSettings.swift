// Settings of the automatic updates, with their typed values. Pure; any thread.

extension SettingTable {
  static let updates: [SettingDeclaration] = [
    SettingDeclaration(
      .updatesAutomatic, "updates.automatic", .onOff, default: "off",
      "Installs a newer Swiftlet at night from the package source, while nothing plays and no alarm is due within an hour. A "
        + "version that does not work is replaced by the one before. 'status' says when an update is due, and the result of the last."
    ),
    SettingDeclaration(
      .updatesTime, "updates.time", .timeOfDay, default: "03:30",
      "When the two hours begin in which the box may be updated."),
  ]
}

extension Settings {
  /// Whether newer packages are installed at night.
  package var updatesAutomatically: Bool { isOn(.updatesAutomatic) }
  /// The beginning of the update window, in minutes since midnight.
  package var updateMinute: Int { minutes(.updatesTime) ?? 210 }
}
