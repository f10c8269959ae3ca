// Declarations of the announcement commands. Pure; any thread.

import PlaybackModel

extension CommandTable {
  static let announcements: [CommandDeclaration] = [
    CommandDeclaration(
      "announce", announcement, .sound, "Plays a file or stream over the music.",
      "The music gets quieter meanwhile: by 12 dB, by the decibels after 'duck', or with 'duck pause' it pauses and resumes on "
        + "its frame. Without 'volume' it is as loud as the music, and at least -36 dB; volume.maximum and night.maximum apply to "
        + "it. It sounds on a paused box, too, which stays paused. Up to eight are in line; each sounds for five minutes at "
        + "most. While the sound card is gone, announcements are dropped.",
      examples: [
        "announce doorbell.wav", "announce timer.ogg volume 60 duck 20",
        "announce https://example.org/news.mp3 duck pause",
      ]
    ) { .announce(path: $0.path, volume: $0.volume, $0.duck) },
    CommandDeclaration(
      "announce stop", .stopAnnouncements, .sound,
      "Ends the announcement that sounds, and forgets those that wait."),
  ]

  /// The parsed arguments of `announce`.
  private struct Request {
    let path: String
    var volume: Int?
    var duck = AnnouncementDuck.usual
  }

  private static let option = Argument(
    "volume PERCENT", "volume or duck",
    [.words([Choice("volume", "percent"), Choice("duck", "decibels, or pause")])]
  ) { word in
    let word = Spelling.small(word)
    return word == "volume" || word == "duck" ? word : nil
  }

  private static let volume = Argument<Int>("PERCENT", "a volume from 0 to 100") { word in
    SettingKind.integer(word, unit: "%").flatMap { 0...100 ~= $0 ? $0 : nil }
  }

  private static let duck = Argument<AnnouncementDuck>(
    "duck DB|pause", "decibels from 0 to 60, or pause", [.words([Choice("pause", "the music pauses")])]
  ) { word in
    if Spelling.small(word) == "pause" { return .pause }
    return SettingKind.integer(word, unit: "dB").flatMap { 0...60 ~= abs($0) ? .decibels(abs($0)) : nil }
  }

  /// A path, and options in any order; the last option of a kind wins.
  private static let announcement: Argument<Request> = {
    let path = Arguments.path
    // The last shape is only for display: the word before it decides which values are valid.
    var last = ArgumentShape(name: "duck DB|pause", wanted: "decibels from 0 to 60, or pause", sources: [])
    last.isOptional = true
    return Argument(path.shapes + option.optional.shapes + [last]) {
      (cursor: inout WordCursor) throws(ConsoleError) -> Request in
      var request = Request(path: try path.read(&cursor))
      while !cursor.isAtEnd {
        if try option.read(&cursor) == "volume" {
          request.volume = try volume.read(&cursor)
        } else {
          request.duck = try duck.read(&cursor)
        }
      }
      return request
    }
  }()
}
