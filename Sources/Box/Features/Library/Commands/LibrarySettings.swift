// Settings of the music index, with their typed values. Pure; any thread.

extension SettingTable {
  static let index: [SettingDeclaration] = [
    SettingDeclaration(
      .libraryEnabled, "library.enabled", .onOff, default: "off",
      "Keeps an index of the music's tags beside the file of checkpoint.path, for 'find', 'search', 'list' and 'count', and for "
        + "clients of MPD. It is filled in the background, at idle priority.")
  ]
}

extension Settings {
  /// Whether the index of the music is enabled.
  package var isLibraryEnabled: Bool { isOn(.libraryEnabled) }
}
