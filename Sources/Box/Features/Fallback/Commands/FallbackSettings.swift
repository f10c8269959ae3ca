// Settings of the music that replaces a silent stream, with their typed values. Pure; any thread.

import PlaybackModel

extension SettingTable {
  static let fallback: [SettingDeclaration] = [
    SettingDeclaration(
      .streamFallback, "stream.fallback", .path, or: Choice("off", "silence until the station is back"),
      default: "off",
      "The file, folder or playlist that is played in a stream's place while that is silent. It fades in and, when the stream is "
        + "back, out again; the queue is not changed."),
    SettingDeclaration(
      .streamFallbackAfter, "stream.fallback.after", .decimal(1...600, decimals: 1, unit: "s"), default: "10",
      "For how long a stream is silent before stream.fallback is played."),
  ]
}

extension Settings {
  /// The path of the music that replaces a silent stream; nil: none.
  package var streamFallback: String? { text(.streamFallback) }
  /// The duration of silence before the fallback plays.
  package var streamFallbackAfter: Seconds { seconds(.streamFallbackAfter) }
}
