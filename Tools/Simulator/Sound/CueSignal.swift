// The box's own sounds and its announcements as the simulated files of a world hold them. Pure functions; any thread.

/// What a file of a cue holds. The left channel is silent, so that the music's own carries its gain as ever; on the right
/// is what belongs to one frame of one cue.
enum CueSignal {
  /// The cues that have a file, as settings name them. A cue's number is its place here.
  static let names = [
    "ready", "error-file", "error-network", "error-output", "error-storage", "error-internal", "volume-limit",
    "sleep-timer", "storage", "storage-wait", "not-saved",
  ]
  /// Where their files lie.
  static let folder = "/cues"
  /// Announcements, which lie beside the music; their numbers follow those of the cues. Each is announced by a line of its own.
  /// What is played loud lies quiet in its file: else the quietest music beside it would be less than what rounding leaves.
  static let announcements: [(name: String, options: String, length: Int, duck: Float, level: Float)] = [
    ("bell", "volume 12", 1500, cueDuck, 1), ("speech", "volume 100 duck 20", 4000, 0.1, 1 / 64),
    ("notice", "volume 12 duck pause", 2500, cueDuck, 1),
  ]
  /// Announcements that fail: one cannot be decoded, one never is.
  static let broken = ["garbled", "stuck"]
  /// The gain of music beside a cue: -12 dB.
  static let cueDuck: Float = 0.25118864

  /// What is typed to announce one of them.
  static func line(_ announcement: Int) -> String {
    "announce \(announcements[announcement].name) \(announcements[announcement].options)"
  }

  /// The number of the announcement that a line asks for; nil if it asks for none that is heard.
  static func number(line: String) -> Int? {
    announcements.indices.first { line == Self.line($0) }.map { names.count + $0 }
  }

  /// The number of the announcement in a file beside the music; nil if it is none that is heard.
  static func announcement(path: String) -> Int? {
    announcements.firstIndex { path == SimulatedDecoders.musicFolder + "/" + $0.name }.map {
      names.count + $0
    }
  }

  /// Whether a file beside the music is for an announcement.
  static func isAnnouncement(path: String) -> Bool {
    announcement(path: path) != nil || broken.contains { path == SimulatedDecoders.musicFolder + "/" + $0 }
  }

  /// What a sound is called.
  static func name(_ number: Int) -> String {
    number < names.count ? names[number] : announcements[number - names.count].name
  }

  /// The gain of music beside a sound.
  static func duck(_ number: Int) -> Float {
    number < names.count ? cueDuck : announcements[number - names.count].duck
  }

  /// The number of the cue in a file; nil if it is none.
  static func number(path: String) -> Int? {
    guard path.hasPrefix(folder + "/") else { return nil }
    return names.firstIndex { $0 == path.dropFirst(folder.count + 1) }
  }

  /// How many frames a cue has.
  static func length(_ cue: Int) -> Int {
    cue < names.count ? 600 + 50 * cue : announcements[cue - names.count].length
  }

  /// A frame's sample on the right.
  static func sample(_ cue: Int, _ frame: Int) -> Float {
    let level = cue < names.count ? 1 : announcements[cue - names.count].level
    return Signal.mark(Signal.Source(decoder: 1_000_000 + cue), frame) * level
  }
}
