// Signals and files of cues and announcements in simulated worlds. Pure functions; any thread.

/// Signals of cues and announcements. The left channel is silent, so that the left channel of the mix still carries
/// the music's gain; the right channel identifies the frame and the cue.
enum CueSignal {
  /// Cues that have a file, named as in the settings. A cue's number is its index here.
  static let names = [
    "ready", "error-file", "error-network", "error-output", "error-storage", "error-internal", "volume-limit",
    "sleep-timer", "storage", "storage-wait", "not-saved",
  ]
  /// Folder of the cues' files.
  static let folder = "/cues"
  /// Announcements, whose files are beside the music. Their numbers follow those of the cues. Each has its own
  /// command line (`line(_:)`). A loud announcement has a quiet signal: otherwise the quietest music beside it would
  /// be smaller than rounding errors.
  static let announcements: [(name: String, options: String, length: Int, duck: Float, level: Float)] = [
    ("bell", "volume 12", 1500, cueDuck, 1), ("speech", "volume 100 duck 20", 4000, 0.1, 1 / 64),
    ("notice", "volume 12 duck pause", 2500, cueDuck, 1),
  ]
  /// Announcements that fail: the first cannot be decoded, the second is never decoded.
  static let broken = ["garbled", "stuck"]
  /// Gain of music during a cue: -12 dB.
  static let cueDuck: Float = 0.25118864

  /// The console line that plays an announcement.
  static func line(_ announcement: Int) -> String {
    "announce \(announcements[announcement].name) \(announcements[announcement].options)"
  }

  /// The number of the audible announcement that a console line plays; nil if it plays none.
  static func number(line: String) -> Int? {
    announcements.indices.first { line == Self.line($0) }.map { names.count + $0 }
  }

  /// The number of the audible announcement in a file beside the music; nil if the file holds none.
  static func announcement(path: String) -> Int? {
    announcements.firstIndex { path == SimulatedDecoders.musicFolder + "/" + $0.name }.map {
      names.count + $0
    }
  }

  /// Whether a path belongs to an announcement, audible or not.
  static func isAnnouncement(path: String) -> Bool {
    announcement(path: path) != nil || broken.contains { path == SimulatedDecoders.musicFolder + "/" + $0 }
  }

  /// The name of a cue or announcement.
  static func name(_ number: Int) -> String {
    number < names.count ? names[number] : announcements[number - names.count].name
  }

  /// The gain of music during a cue or announcement.
  static func duck(_ number: Int) -> Float {
    number < names.count ? cueDuck : announcements[number - names.count].duck
  }

  /// The number of the cue in a file; nil if the path is not a cue's.
  static func number(path: String) -> Int? {
    guard path.hasPrefix(folder + "/") else { return nil }
    return names.firstIndex { $0 == path.dropFirst(folder.count + 1) }
  }

  /// The length of a cue or announcement in frames.
  static func length(_ cue: Int) -> Int {
    cue < names.count ? 600 + 50 * cue : announcements[cue - names.count].length
  }

  /// The sample of a frame on the right channel.
  static func sample(_ cue: Int, _ frame: Int) -> Float {
    let level = cue < names.count ? 1 : announcements[cue - names.count].level
    return Signal.mark(Signal.Source(decoder: 1_000_000 + cue), frame) * level
  }
}
