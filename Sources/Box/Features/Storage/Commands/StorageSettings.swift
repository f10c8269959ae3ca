// Settings of removable storage, with their typed values. Pure; any thread.

extension SettingTable {
  static let storage: [SettingDeclaration] = [
    SettingDeclaration(
      .mediaRemovable, "media.removable", .path, or: Choice("off", "no removable storage"),
      default: "/media", "The folder below which sticks and cards are mounted."),
    SettingDeclaration(
      .mediaRemovableAction, "media.removable-action",
      .choice([
        Choice("offer", "plays a cue; 'play' on an empty queue plays it, 'media' lists it"),
        Choice("play", "replaces the queue and plays"),
        Choice("ignore", "does nothing"),
      ]), default: "offer", "What to do when a stick or card appears."),
  ]
}

extension Settings {
  /// The folder below which removable storage is mounted; nil: removable storage is ignored.
  package var removableFolder: String? { text(.mediaRemovable) }
  /// `offer`, `play` or `ignore`.
  package var removableAction: String { word(.mediaRemovableAction) }
}
