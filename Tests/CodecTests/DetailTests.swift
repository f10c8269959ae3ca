// Multi-valued tags and chapters in each format that has them, and damaged ones. Test threads.

import CodecPlugin
import Foundation
import Testing

@Suite struct DetailTests {
  /// A tag format of a file.
  enum Form: String, CaseIterable, CustomTestStringConvertible {
    case flac, vorbis, opus, ape, wavPack, id3v22, id3v23, id3v24, id3InMP3, mp4, mp4Repeated, wavInfo, aiff

    var testDescription: String { rawValue }
  }

  /// A multi-valued tag: its number and its name in each format.
  enum Tag: UInt32, CaseIterable {
    case title, artist, album, albumArtist, genre, date

    func name(in form: Form) -> String {
      switch form {
      case .flac, .vorbis, .opus: ["TITLE", "ARTIST", "ALBUM", "ALBUMARTIST", "GENRE", "DATE"][Int(rawValue)]
      case .ape, .wavPack: ["Title", "Artist", "Album", "Album Artist", "Genre", "Year"][Int(rawValue)]
      case .id3v22: ["TT2", "TP1", "TAL", "TP2", "TCO", ""][Int(rawValue)]
      case .id3v23, .id3v24, .id3InMP3: ["TIT2", "TPE1", "TALB", "TPE2", "TCON", ""][Int(rawValue)]
      case .mp4, .mp4Repeated:
        ["\u{A9}nam", "\u{A9}ART", "\u{A9}alb", "aART", "\u{A9}gen", "\u{A9}day"][Int(rawValue)]
      case .wavInfo: ["INAM", "IART", "IPRD", "", "IGNR", "ICRD"][Int(rawValue)]
      case .aiff: ["NAME", "AUTH", "", "", "", ""][Int(rawValue)]
      }
    }

    /// ID3 has one date, spread over several frames, and AIFF a single name.
    func isSeveral(in form: Form) -> Bool { !name(in: form).isEmpty && !(form == .aiff && self == .title) }

    func first(_ stream: Stream) -> String {
      switch self {
      case .title: stream.title
      case .artist: stream.artist
      case .album: stream.album
      case .albumArtist: stream.albumArtist
      case .genre: stream.genre
      case .date: stream.date
      }
    }
  }

  static let texts = ["Öl", "AC/DC", "third; & last"]
  static let music = Music(rate: 48000, channels: 2, frames: 4800)

  private static func wav() -> [UInt8] {
    let (data, _) = Storage.int16.encode(music, bigEndian: false, unsigned8: true)
    return WAVFile(music, .int16, data: data).bytes
  }

  /// A file with tags, each with its values.
  static func file(_ form: Form, _ tags: [(Tag, [String])]) throws -> (codec: String, bytes: [UInt8]) {
    let bench = try Bench()
    defer { bench.remove() }
    try bench.write(wav(), "in.wav")
    let pairs = tags.flatMap { tag, values in values.map { "\(tag.name(in: form))=\($0)" } }
    switch form {
    case .flac, .vorbis, .opus: return try commented(form, pairs)
    case .ape:
      try bench.run("lame", "--quiet", "--noreplaygain", "in.wav", "out")
      return ("MPEG", try bench.read("out") + ape(tags.map { ($0.name(in: form), $1) }))
    case .wavPack:
      try bench.run("wavpack", "-q", "in.wav", "-o", "out.wv")
      return ("WavPack", try bench.read("out.wv") + ape(tags.map { ($0.name(in: form), $1) }))
    case .id3v22, .id3v23, .id3v24:
      let major: UInt8 = form == .id3v22 ? 2 : form == .id3v23 ? 3 : 4
      var file = WAVFile(music, .int16, data: [])
      file.after = .riffChunk("id3 ", id3(major, tags.map { ($0.name(in: form), $1) }))
      return ("PCM", file.bytes)
    case .id3InMP3:
      try bench.run("lame", "--quiet", "--noreplaygain", "in.wav", "out")
      // One frame per value.
      let frames = tags.flatMap { tag, values in values.map { (tag.name(in: form), [$0]) } }
      return ("MPEG", id3(4, frames) + (try bench.read("out")))
    case .mp4, .mp4Repeated:
      var file = MP4File(AACTests.packets)
      file.items = tags.flatMap { tag, values -> [(kind: [UInt8], values: [[UInt8]])] in
        let kind = tag.name(in: form).unicodeScalars.map { UInt8($0.value) }
        let values = values.map { Array($0.utf8) }
        return form == .mp4 ? [(kind, values)] : values.map { (kind, [$0]) }
      }
      return ("AAC", file.bytes)
    case .wavInfo:
      let (data, _) = Storage.int16.encode(music, bigEndian: false, unsigned8: true)
      var file = WAVFile(music, .int16, data: data)
      file.after = .riffChunk(
        "LIST", Array("INFO".utf8) + texts(tags, form).flatMap { [UInt8].riffChunk($0.name, $0.text + [0]) })
      return ("PCM", file.bytes)
    case .aiff:
      let (data, _) = Storage.int16.encode(music, bigEndian: true, unsigned8: false)
      let chunks = texts(tags, form).flatMap { [UInt8].iffChunk($0.name, $0.text) }
      return ("PCM", aiffFile(music, .int16, data: data, compression: nil, texts: chunks))
    }
  }

  /// A file with Vorbis comments, such as `TITLE=text`, in order.
  private static func commented(
    _ form: Form, _ comments: [String]
  ) throws -> (codec: String, bytes: [UInt8]) {
    let bench = try Bench()
    defer { bench.remove() }
    try bench.write(wav(), "in.wav")
    switch form {
    case .flac:
      try bench.run("flac", ["-s", "in.wav", "-o", "out"] + comments.flatMap { ["-T", $0] })
      return ("FLAC", try bench.read("out"))
    case .vorbis:
      try bench.run("oggenc", ["-Q", "in.wav", "-o", "out", "--utf8"] + comments.flatMap { ["-c", $0] })
      return ("Vorbis", try bench.read("out"))
    default:
      try bench.run("opusenc", ["--quiet"] + comments.flatMap { ["--comment", $0] } + ["in.wav", "out"])
      return ("Opus", try bench.read("out"))
    }
  }

  /// A year is a substitute for a date, in whichever order the comments are.
  @Test(
    arguments: [Form.flac, .vorbis, .opus],
    [
      (["YEAR=1959"], ["1959"]), (["YEAR=1959", "DATE=1959-08-17"], ["1959-08-17"]),
      (["DATE=1959-08-17", "YEAR=1960"], ["1959-08-17"]), (["YEAR=", "DATE=1959"], ["1959"]),
      (["YEAR=1958", "YEAR=1959", "DATE=1960", "YEAR=1961", "DATE=1962"], ["1960", "1962"]),
    ])
  func aDateIsPreferredToAYear(form: Form, comments: (texts: [String], dates: [String])) throws {
    let file = try Self.commented(form, comments.texts)
    let stream = try Plugin.named(file.codec).open(file.bytes)
    #expect(stream.date == comments.dates[0])
    #expect(stream.details().values == (comments.dates.count > 1 ? [Tag.date.rawValue: comments.dates] : [:]))
  }

  /// Names and texts of chunks, one per value: UTF-8 in WAV, ISO 8859-1 in AIFF.
  private static func texts(_ tags: [(Tag, [String])], _ form: Form) -> [(name: String, text: [UInt8])] {
    tags.flatMap { tag, values in
      values.map { value in
        let latin = value.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
        return (tag.name(in: form), form == .aiff ? latin : Array(value.utf8))
      }
    }
  }

  /// An ID3v2 tag of UTF-16 text frames, with values separated by NULs.
  static func id3(_ major: UInt8, _ frames: [(String, [String])], more: [UInt8] = []) -> [UInt8] {
    var body: [UInt8] = []
    for (name, values) in frames where !name.isEmpty {
      let text = values.map { Array($0.utf16) }.joined(separator: [0])
      body += frame(major, name, [1, 0xFF, 0xFE] + text.flatMap { [UInt8].little($0) })
    }
    body += more + [UInt8](repeating: 0, count: 20)
    return Array("ID3".utf8) + [major, 0, 0] + synchsafe(body.count) + body
  }

  static func synchsafe(_ number: Int) -> [UInt8] { [21, 14, 7, 0].map { UInt8(number >> $0 & 127) } }

  static func frame(_ major: UInt8, _ name: String, _ content: [UInt8]) -> [UInt8] {
    let size: [UInt8] =
      switch major {
      case 2: [UInt8(content.count >> 16), UInt8(content.count >> 8 & 255), UInt8(content.count & 255)]
      case 3: .big(UInt32(content.count)) + [0, 0]
      default: synchsafe(content.count) + [0, 0]
      }
    return Array(name.utf8) + size + content
  }

  static func ape(_ items: [(String, [String])]) -> [UInt8] {
    let body = items.flatMap { key, values -> [UInt8] in
      let value = Array(values.joined(separator: "\0").utf8)
      return .little(UInt32(value.count)) + .little(UInt32(0)) + Array(key.utf8) + [0] + value
    }
    return body + Array("APETAGEX".utf8) + .little(UInt32(2000)) + .little(UInt32(body.count + 32))
      + .little(UInt32(items.count)) + .little(UInt32(0)) + [UInt8](repeating: 0, count: 8)
  }

  @Test(arguments: Form.allCases, Tag.allCases) func everyValueOfATagIsReported(
    form: Form, tag: Tag
  ) throws {
    guard tag.isSeveral(in: form) else { return }
    // Together with a single-valued tag, which is in the fixed field.
    let other: Tag = tag == .title ? .artist : .title
    let file = try Self.file(form, [(tag, Self.texts), (other, ["Alone"])])
    let stream = try Plugin.named(file.codec).open(file.bytes)
    #expect(tag.first(stream) == Self.texts[0] && other.first(stream) == "Alone")
    let details = stream.details()
    #expect(details.values == [tag.rawValue: Self.texts])
    #expect(details.chapters.isEmpty)
    // Reading the tags does not affect the samples.
    #expect(try stream.decodeAll().isEmpty == (form == .id3v22 || form == .id3v23 || form == .id3v24))
  }

  /// A tag's values come from the first tag block of the file that has any, in each order that a codec reads.
  @Test func valuesOfOtherTagsOfTheFileDoNotJoin() throws {
    let one = Self.id3(4, [("TPE1", ["A", "B"])])
    let other = Self.id3(3, [("TPE1", ["C", "D"]), ("TCON", ["17", "(8)Jazz", "Own"])])
    let file = try Self.file(.ape, [(.artist, ["E", "F"]), (.genre, ["G"]), (.album, ["H", "I"])])
    let details = try Plugin.named(file.codec).open(one + other + file.bytes).details()
    #expect(details.values == [1: ["A", "B"], 2: ["H", "I"], 4: ["Rock", "Jazz", "Own"]])
  }

  /// Of an ID3 tag and the file's native chunks, the first one counts.
  @Test(arguments: [Form.wavInfo, .aiff], [false, true]) func chunksAndID3DoNotJoin(
    form: Form, isID3First: Bool
  ) throws {
    let tag = Self.id3(4, [("TPE1", ["A", "B"])])
    let artists = ["C", "D"].map { Array($0.utf8) }
    let (data, _) = Storage.int16.encode(Self.music, bigEndian: form == .aiff, unsigned8: form == .wavInfo)
    let (chunks, id3): ([UInt8], [UInt8])
    if form == .wavInfo {
      chunks = .riffChunk("LIST", Array("INFO".utf8) + artists.flatMap { [UInt8].riffChunk("IART", $0) })
      id3 = .riffChunk("id3 ", tag)
    } else {
      chunks = artists.flatMap { [UInt8].iffChunk("AUTH", $0) }
      id3 = .iffChunk("ID3 ", tag)
    }
    let after = isID3First ? id3 + chunks : chunks + id3
    var bytes: [UInt8]
    if form == .wavInfo {
      var file = WAVFile(Self.music, .int16, data: data)
      file.after = after
      bytes = file.bytes
    } else {
      bytes = aiffFile(Self.music, .int16, data: data, compression: nil, texts: after)
    }
    let stream = try Plugin.named("PCM").open(bytes)
    #expect(stream.details().values == [1: isID3First ? ["A", "B"] : ["C", "D"]])
  }

  @Test(arguments: [Form.flac, .id3v24, .ape, .mp4, .wavInfo]) func valuesAreBounded(form: Form) throws {
    let many = (0..<100).map { "value \($0)" }
    let file = try Self.file(form, [(.artist, many), (.genre, ["", " ", "one", ""])])
    let stream = try Plugin.named(file.codec).open(file.bytes)
    #expect(stream.artist == "value 0" && stream.genre == "one")
    #expect(stream.details().values == [1: Array(many.prefix(Int(SWIFTLET_MAX_VALUES)))])
  }

  // MARK: Chapters

  static let chapters = [
    ReportedChapter(start: 0, end: nil, title: "Öpening"),
    ReportedChapter(start: 61_500, end: nil, title: "Two"),
    ReportedChapter(start: 3_723_004, end: nil, title: ""),
  ]

  /// Comments of the Ogg chapter extension, some with the title before the time.
  static let comments = [
    "CHAPTER001=00:00:00.000", "CHAPTER001NAME=Öpening", "CHAPTER002NAME=Two", "chapter002=00:01:01.5",
    "CHAPTER003=01:02:03.004", "CHAPTER004NAME=without a time", "CHAPTER005=1:2", "CHAPTER006=00:99:00",
    "CHAPTERS=7", "CHAPTER00007=00:00:00", "CHAPTER008X=00:00:01",
  ]

  @Test(arguments: ["flac", "vorbis", "opus"]) func chaptersInCommentsAreReported(tool: String) throws {
    let bench = try Bench()
    defer { bench.remove() }
    try bench.write(Self.wav(), "in.wav")
    switch tool {
    case "flac": try bench.run("flac", ["-s", "in.wav", "-o", "out"] + Self.comments.flatMap { ["-T", $0] })
    case "vorbis":
      try bench.run(
        "oggenc", ["-Q", "in.wav", "-o", "out", "--utf8"] + Self.comments.flatMap { ["-c", $0] })
    default:
      try bench.run(
        "opusenc", ["--quiet"] + Self.comments.flatMap { ["--comment", $0] } + ["in.wav", "out"])
    }
    let codec = ["flac": "FLAC", "vorbis": "Vorbis", "opus": "Opus"][tool] ?? ""
    #expect(try Plugin.named(codec).open(bench.read("out")).details().chapters == Self.chapters)
  }

  /// A CHAP frame.
  static func chapter(
    _ major: UInt8, _ id: String, _ start: UInt32, _ end: UInt32, _ frames: [UInt8]
  ) -> [UInt8] {
    frame(
      major, "CHAP",
      Array(id.utf8) + [0] + .big(start) + .big(end) + .big(UInt32.max) + .big(UInt32.max) + frames)
  }

  /// An ID3v2 tag with chapters; some have other frames before the title, and one has byte offsets only.
  static func chapterTag(_ major: UInt8) -> [UInt8] {
    let title = frame(major, "TIT2", [3] + Array("Öpening".utf8))
    let link = frame(major, "WXXX", [0, 0x78, 0] + Array("http://x".utf8))
    return id3(
      major, [("TIT2", ["Whole"])],
      more: chapter(major, "a", 0, 61_500, link + title)
        + chapter(major, "none", .max, .max, title)
        + chapter(major, "b", 61_500, 61_500, frame(major, "TIT2", [0] + Array("Two".utf8)))
        + chapter(major, "c", 3_723_004, .max, []))
  }

  @Test(arguments: [3, 4] as [UInt8]) func chaptersInID3AreReported(major: UInt8) throws {
    var file = WAVFile(Self.music, .int16, data: [])
    file.after = .riffChunk("id3 ", Self.chapterTag(major))
    let stream = try Plugin.named("PCM").open(file.bytes)
    var expected = Self.chapters
    expected[0].end = 61_500
    #expect(stream.title == "Whole" && stream.details().chapters == expected)
  }

  /// A picture of any size may precede the title.
  @Test(arguments: [3, 4] as [UInt8], [4000, 4096, 5000, 300_000]) func aChapterWithAPictureHasItsTitle(
    major: UInt8, size: Int
  ) throws {
    let picture = Self.frame(major, "APIC", [UInt8](repeating: 0x41, count: size))
    let title = Self.frame(major, "TIT2", [3] + Array("Öpening".utf8))
    let link = Self.frame(major, "WXXX", [0, 0x78, 0] + Array("http://x".utf8))
    let tag = Self.id3(
      major, [("TIT2", ["Whole"])],
      more: Self.chapter(major, "a", 0, 61_500, picture + title + link)
        + Self.chapter(major, "b", 61_500, .max, title + picture)
        + Self.chapter(major, "c", 70_000, .max, picture)
        + Self.frame(major, "TPE1", [3] + Array("Ann".utf8)))
    var file = WAVFile(Self.music, .int16, data: [])
    file.after = .riffChunk("id3 ", tag)
    let stream = try Plugin.named("PCM").open(file.bytes)
    let found = stream.details().chapters
    #expect(found.map(\.start) == [0, 61_500, 70_000] && found.map(\.title) == ["Öpening", "Öpening", ""])
    #expect(stream.artist == "Ann", "what follows the chapters is read")
  }

  /// The content of a `chpl` box.
  static func chapterList(version: UInt8) -> [UInt8] {
    var bytes: [UInt8] = [version, 0, 0, 0]
    if version > 0 { bytes += [0, 0, 0, 0] }
    bytes.append(UInt8(chapters.count))
    for chapter in chapters {
      bytes += [UInt8].big(UInt64(chapter.start) * 10_000)
      bytes.append(UInt8(chapter.title.utf8.count))
      bytes += Array(chapter.title.utf8)
    }
    return bytes
  }

  @Test(arguments: [0, 1] as [UInt8]) func chaptersInMP4AreReported(version: UInt8) throws {
    var file = MP4File(AACTests.packets)
    file.chapters = Self.chapterList(version: version)
    #expect(try Plugin.named("AAC").open(file.bytes).details().chapters == Self.chapters)
  }

  /// As written by an encoder.
  @Test func chaptersOfAnEncodersM4BAreReported() throws {
    let bench = try Bench()
    defer { bench.remove() }
    try bench.write(Self.wav(), "in.wav")
    let text =
      ";FFMETADATA1\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=0\nEND=50\ntitle=One\n"
      + "[CHAPTER]\nTIMEBASE=1/1000\nSTART=50\nEND=100\ntitle=Zwö\n"
    try bench.write(Array(text.utf8), "chapters.txt")
    for (name, codec, hasEnds) in [("out.m4b", "AAC", false), ("out.mp3", "MPEG", true)] {
      try bench.run(
        "ffmpeg", "-v", "error", "-i", "in.wav", "-i", "chapters.txt", "-map_metadata", "1", "-map_chapters",
        "1", name)
      let found = try Plugin.named(codec).open(bench.read(name)).details().chapters
      #expect(found.map(\.start) == [0, 50] && found.map(\.title) == ["One", "Zwö"], "\(name)")
      #expect(found.map(\.end) == (hasEnds ? [50, 100] : [nil, nil]), "\(name)")
    }
  }

  /// Tags that are truncated anywhere, or have any byte changed, yield fewer details or a refused file.
  @Test(arguments: ["id3v23", "id3v24", "chpl0", "chpl1"]) func damagedChaptersAreSurvived(
    kind: String
  ) throws {
    let whole =
      switch kind {
      case "id3v23": Self.chapterTag(3)
      case "id3v24": Self.chapterTag(4)
      case "chpl0": Self.chapterList(version: 0)
      default: Self.chapterList(version: 1)
      }
    func check(_ bytes: [UInt8]) {
      let stream: Stream?
      if kind.hasPrefix("id3") {
        var file = WAVFile(Self.music, .int16, data: [])
        file.after = .riffChunk("id3 ", bytes)
        stream = try? Plugin.named("PCM").open(file.bytes)
      } else {
        var file = MP4File(AACTests.packets)
        file.packets = Array(file.packets.prefix(4))
        file.chapters = bytes
        stream = try? Plugin.named("AAC").open(file.bytes)
      }
      guard let found = stream?.details().chapters else { return }
      let isBounded = found.count <= 255 && found.allSatisfy { $0.start >= 0 }
      #expect(isBounded)
    }
    for count in 0..<whole.count { check(Array(whole.prefix(count))) }
    for index in whole.indices {
      for value in [0, 1, 0x7F, 0x80, 0xFF, whole[index] ^ 0x10] as [UInt8] {
        var bent = whole
        bent[index] = value
        check(bent)
      }
    }
  }

  /// Truncated or invalid times of the Ogg chapter extension name no chapter.
  @Test func chapterTimesThatAreNoneNameNone() throws {
    let bench = try Bench()
    defer { bench.remove() }
    try bench.write(Self.wav(), "in.wav")
    let wrong = [
      "", "0", "00:", "00:00", "00:00:", "::", "00:00:60", "-1:00:00", "00000:00:00", "a", "00:00:0a",
      "00:00:00.", "00:00:00.x", "99:59:59.999",
    ]
    let comments = wrong.enumerated().map { "CHAPTER\(100 + $0)=\($1)" }
    try bench.run("flac", ["-s", "in.wav", "-o", "out"] + comments.flatMap { ["-T", $0] })
    let found = try Plugin.named("FLAC").open(bench.read("out")).details().chapters.map(\.start)
    #expect(found == [0, 0, 0, 359_999_999])
  }
}
