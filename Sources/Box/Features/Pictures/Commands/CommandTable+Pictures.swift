// Declaration of the `picture` command. Pure; any thread.

extension CommandTable {
  static let pictures: [CommandDeclaration] = [
    CommandDeclaration(
      "picture", Arguments.path, place.optional, bytes.optional, .queue,
      "Shows what picture a track or a folder has.",
      "Looks into the track's file, and then for a file beside it called cover, folder, front, albumart or album; or in one of these "
        + "places only. With BYTES it answers these bytes of the picture as base64, \(PictureCommand.maxBytes) of them at most. "
        + "Pictures of up to 8 MiB are found, in FLAC, MP3, Ogg Vorbis and Opus, MP4, WavPack, WAV and AIFF.",
      examples: [
        "picture \"Kind of Blue/01 So What.flac\"", "picture \"Kind of Blue\" folder",
        "picture \"Kind of Blue/01 So What.flac\" any 0:8192",
      ]
    ) { .picture(PictureCommand(path: $0, place: $1 ?? .any, bytes: $2)) }
  ]

  private static let place = Arguments.oneOf([
    (Choice("any", "in the file, or else beside it"), PictureCommand.Place.any),
    (Choice("track", "in the file"), .track), (Choice("folder", "beside it"), .folder),
  ])

  private static let bytes = Argument<Range<Int>>("BYTES", "a range of bytes such as 0:8192") { word in
    let ends = word.utf8.split(separator: 0x3A, omittingEmptySubsequences: false)
    let numbers = ends.compactMap { end -> Int? in
      guard end.count <= 9, end.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) else { return nil }
      return Int(String(decoding: Array(end), as: UTF8.self))
    }
    return numbers.count == 2 && ends.count == 2 && numbers[0] <= numbers[1] ? numbers[0]..<numbers[1] : nil
  }
}
