// The box's own sounds as the simulated files of a world hold them. Pure functions; any thread.

/// What a file of a cue holds. The left channel is silent, so that the music's own carries its gain as ever; on the right
/// is what belongs to one frame of one cue.
enum CueSignal {
  /// The cues that have a file, as settings name them. A cue's number is its place here.
  static let names = [
    "ready", "error-file", "error-network", "error-output", "error-storage", "error-internal", "volume-limit",
    "sleep-timer", "storage", "storage-wait",
  ]
  /// Where their files lie.
  static let folder = "/cues"

  /// The number of the cue in a file; nil if it is none.
  static func number(path: String) -> Int? {
    guard path.hasPrefix(folder + "/") else { return nil }
    return names.firstIndex { $0 == path.dropFirst(folder.count + 1) }
  }

  /// How many frames a cue has.
  static func length(_ cue: Int) -> Int { 600 + 50 * cue }

  /// A frame's sample on the right.
  static func sample(_ cue: Int, _ frame: Int) -> Float {
    Signal.mark(Signal.Source(decoder: 1_000_000 + cue), frame)
  }
}
