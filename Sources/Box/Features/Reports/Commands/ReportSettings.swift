// Settings of the flight recorder, with their typed values. Pure; any thread.

extension SettingTable {
  static let report: [SettingDeclaration] = [
    SettingDeclaration(
      .reportPath, "report.path", .path, or: Choice("off", "nothing outlives a crash"),
      default: "/run/swiftlet/flight", applies: .atNextStart,
      "The file that lets 'report' show what happened before a crash. It must be in memory, like /run, because it is "
        + "written all the time.")
  ]
}

extension Settings {
  /// The flight recorder's file; nil: none.
  package var reportPath: String? { text(.reportPath) }
}
