// Titles, track numbers and gains from all tag formats. Test threads.

import CodecPlugin
import Foundation
import Testing

@Suite struct TagTests {
  @Test(arguments: ["music.flac", "music.ogg", "music-48k.opus", "music.mp3", "music.wv", "music.m4a"])
  func tagsAreRead(_ name: String) throws {
    let fixture = Fixtures.named(name)
    let stream = try Plugin.named(fixture.codec).open(fixture.bytes)
    #expect(stream.title == Fixtures.title)
    #expect(stream.artist == Fixtures.artist)
    #expect(stream.album == Fixtures.album)
    #expect(stream.info.track_number == 7 && stream.info.disc_number == 2)
    #expect(stream.genre == "Jazz" && stream.date == "1959-08-17")
    if fixture.codec == "Opus" {
      // -1024/256 dB and 256/256 dB relative to -23 LUFS.
      #expect(stream.info.track_gain_db == 1)
      #expect(stream.info.album_gain_db == 6)
    } else if fixture.codec != "AAC" {
      #expect(stream.info.track_gain_db == -7.03)
      #expect(stream.info.track_peak == 0.988)
    }
    if fixture.codec == "FLAC" {
      #expect(stream.albumArtist == "Various")
      #expect(stream.info.album_gain_db == 1.5)
      #expect(stream.info.album_peak == 1.1)
    }
  }

  @Test(arguments: ["music.wav", "music.aiff"])
  func absentTagsAreUnknown(_ name: String) throws {
    let stream = try Plugin.named("PCM").open(Fixtures.named(name).bytes)
    #expect(stream.artist.isEmpty)
    #expect(stream.info.track_number == 0)
    #expect(stream.info.track_gain_db == SWIFTLET_UNKNOWN_GAIN)
    #expect(stream.info.album_gain_db == SWIFTLET_UNKNOWN_GAIN)
    #expect(stream.info.track_peak == 0)
  }

  static let music = Music(rate: 8000, channels: 1, frames: 10)

  func wav(after: [UInt8]) throws -> Stream {
    let (data, _) = Storage.int16.encode(Self.music, bigEndian: false, unsigned8: true)
    var file = WAVFile(Self.music, .int16, data: data)
    file.after = after
    return try Plugin.named("PCM").open(file.bytes)
  }

  @Test func infoListIsRead() throws {
    let list =
      Array("INFO".utf8) + .riffChunk("INAM", Array("Odd\0".utf8)) + .riffChunk("IART", [0xC4, 0x62, 0])
      + .riffChunk("IPRD", Array("Alb".utf8)) + .riffChunk("ITRK", Array("3".utf8))
      + .riffChunk("IGNR", Array("Ska\0".utf8)) + .riffChunk("ICRD", Array("1979".utf8))
    let stream = try wav(after: .riffChunk("LIST", list))
    #expect(stream.title == "Odd")
    #expect(stream.artist == "Äb", "ISO 8859-1 where it is no UTF-8")
    #expect(stream.album == "Alb")
    #expect(stream.info.track_number == 3 && stream.genre == "Ska" && stream.date == "1979")
  }

  /// Frames contain a genre's name or its ID3v1 number.
  @Test(arguments: [
    ("Jazz", "Jazz"), ("17", "Rock"), ("(17)", "Rock"), ("(17)Rock", "Rock"), ("(147)x", "Synthpop"),
    ("148", "148"),
    ("(x)", "(x)"), ("80s", "80s"), ("1980", "1980"), ("()", "()"), ("(17", "(17"), ("RX", "Remix"),
    ("(CR)", "Cover"), ("((x)", "(x)"),
  ]) func numberedGenresHaveNames(written: String, name: String) throws {
    for (major, id, year) in [(2, "TCO", "TYE"), (3, "TCON", "TYER"), (4, "TCON", "TDRC")] {
      let tag = id3(
        major: UInt8(major), [(id, [0] + Array(written.utf8)), (year, [0] + Array("2003".utf8))])
      let stream = try wav(after: .riffChunk("id3 ", tag))
      #expect(stream.genre == name && stream.date == "2003")
    }
  }

  /// A frame of ID3v2.3 may refer to several genres.
  @Test(arguments: [
    ("(4)(31)", ["Disco", "Trance"]), ("(51)(39)", ["Techno-Industrial", "Noise"]),
    ("(RX)(31)", ["Remix", "Trance"]), ("(4)(31)Own", ["Disco", "Trance", "Own"]),
    ("(4)(x)", ["Disco"]), ("(4)((x)", ["Disco"]), ("(999)(31)", ["(999)(31)"]),
    ("(4)(31)((x)", ["Disco", "Trance", "(x)"]),
  ]) func aFrameNamesSeveralGenres(written: String, names: [String]) throws {
    let tag = id3(major: 3, [("TCON", [0] + Array(written.utf8))])
    let stream = try wav(after: .riffChunk("id3 ", tag))
    #expect(stream.genre == names[0])
    #expect((stream.details().values[4] ?? []) == (names.count > 1 ? names : []))
  }

  /// Year, day and time are separate frames before ID3v2.4.
  @Test(arguments: [
    (["TYER1999", "TDAT2403"], "1999-03-24"), (["TDAT2403", "TYER1999"], "1999-03-24"),
    (["TYER1999", "TDAT2403", "TIME1230"], "1999-03-24T12:30"), (["TYER1999", "TIME1230"], "1999"),
    (["TYER1999", "TDAT9903"], "1999"), (["TYER1999", "TDAT2413"], "1999"),
    (["TYER1999", "TDAT243"], "1999"),
    (["TYER1999", "TDAT2403", "TIME2560"], "1999-03-24"), (["TYER99", "TDAT2403"], "99"),
    (["TYER" + String(repeating: "9", count: 40), "TDAT2403"], String(repeating: "9", count: 40)),
    (["TYER1999", "TDAT" + String(repeating: "9", count: 40)], "1999"),
    (["TDAT2403"], ""), (["TYER1999", "TYER2000", "TDAT0102", "TDAT0304"], "1999-02-01"),
  ])
  func datesOfEarlierVersionsAreWhole(frames: [String], date: String) throws {
    for (major, length) in [(2, 3), (3, 4)] as [(UInt8, Int)] {
      let tag = id3(
        major: major, frames.map { (String($0.prefix(length)), [0] + Array($0.dropFirst(4).utf8)) })
      #expect(try wav(after: .riffChunk("id3 ", tag)).date == date)
    }
  }

  /// An ID3v2 tag of text frames.
  func id3(major: UInt8, flags: UInt8 = 0, _ frames: [(String, [UInt8])]) -> [UInt8] {
    var body: [UInt8] = []
    for (name, content) in frames {
      let size = content.count
      body += Array(name.utf8)
      switch major {
      case 2: body += [0, UInt8(size >> 8), UInt8(size & 255)]
      case 3: body += .big(UInt32(size)) + [0, 0]
      default: body += [0, 0, UInt8(size >> 7), UInt8(size & 127), 0, 0]
      }
      body += content
    }
    body += [UInt8](repeating: 0, count: 20)
    let size = body.count
    return Array("ID3".utf8) + [major, 0, flags, 0, 0, UInt8(size >> 7), UInt8(size & 127)] + body
  }

  @Test(arguments: [2, 3, 4] as [UInt8])
  func id3InWAVIsRead(_ major: UInt8) throws {
    let names = major == 2 ? ["TT2", "TP1", "TXX", "PIC"] : ["TIT2", "TPE1", "TXXX", "APIC"]
    let utf16: [UInt8] = [1, 0xFF, 0xFE] + Array("Tüte 𝄞".utf16).flatMap { [UInt8].little($0) }
    let tag = id3(
      major: major,
      [
        (names[3], [UInt8](repeating: 0x55, count: 3000)),
        (names[0], utf16),
        (names[1], [0, 0xD6, 0x6C]),
        (names[2], [0] + Array("replaygain_album_gain\0-3.25 dB".utf8)),
      ])
    let stream = try wav(after: .riffChunk("id3 ", tag))
    #expect(stream.title == "Tüte 𝄞")
    #expect(stream.artist == "Öl")
    #expect(stream.info.album_gain_db == -3.25)
  }

  @Test func unsynchronisedID3IsRead() throws {
    // "ÿ" before a zero byte would look like a frame sync, so unsynchronisation inserts a zero between them.
    let tag = id3(major: 3, flags: 0x80, [("TIT2", [1, 0xFF, 0x00, 0xFE, 0x41, 0, 0xFF, 0x00, 0])])
    // The frame's size does not include the two inserted zeros.
    var bent = tag
    bent[17] -= 2
    let stream = try wav(after: .riffChunk("id3 ", bent))
    #expect(stream.title == "Aÿ")
  }

  /// Data in zlib format, without compression (RFC 1950, RFC 1951 section 3.2.4).
  static func zlib(_ bytes: [UInt8]) -> [UInt8] {
    let (low, high) = bytes.reduce((UInt32(1), UInt32(0))) { sums, byte in
      let low = (sums.0 + UInt32(byte)) % 65521
      return (low, (sums.1 + low) % 65521)
    }
    return [0x78, 1, 1] + .little(UInt16(bytes.count)) + .little(~UInt16(bytes.count)) + bytes
      + .big(high << 16 | low)
  }

  /// Frames whose content is compressed, grouped, or has its size before it.
  @Test(
    arguments: [
      (3, 0x00, false, []), (3, 0x80, true, [0, 0, 0, 6]), (3, 0x20, false, [7]),
      (3, 0xA0, true, [0, 0, 0, 6, 7]),
      (4, 0x00, false, []), (4, 0x01, false, [0, 0, 0, 6]), (4, 0x40, false, [7]),
      (4, 0x09, true, [0, 0, 0, 6]), (4, 0x49, true, [7, 0, 0, 0, 6]),
    ] as [(UInt8, UInt8, Bool, [UInt8])])
  func contentsOfFramesAreUnpacked(major: UInt8, format: UInt8, isCompressed: Bool, prefix: [UInt8]) throws {
    let text = [0] + Array("Title".utf8)
    let content = prefix + (isCompressed ? Self.zlib(text) : text)
    var frame = Array("TIT2".utf8) + [0, 0, 0, UInt8(content.count), 0, format] + content
    // Encrypted frames, and damaged compressed ones, are skipped.
    let encrypted = major == 4 ? 0x04 : 0x40 as UInt8
    frame += Array("TPE1".utf8) + [0, 0, 0, 6, 0, encrypted] + [0] + Array("Other".utf8)
    if isCompressed {
      frame += Array("TPE1".utf8) + [0, 0, 0, UInt8(content.count), 0, format] + prefix
      frame += Self.zlib(text).dropLast(2) + [1, 2]
    }
    frame += Array("TALB".utf8) + [0, 0, 0, 2, 0, 0, 0, 0x41]
    let tag =
      Array("ID3".utf8) + [major, 0, 0, 0, 0, UInt8(frame.count >> 7), UInt8(frame.count & 127)] + frame
    let stream = try wav(after: .riffChunk("id3 ", tag))
    #expect(stream.title == "Title" && stream.artist.isEmpty && stream.album == "A")
  }

  /// Old versions of iTunes wrote plain sizes into tags of version 2.4.
  @Test(arguments: [100, 127, 128, 200, 255, 256, 300, 1000, 1279]) func plainSizesOfFramesAreRead(size: Int)
    throws
  {
    func frame(_ name: String, _ content: [UInt8], plain: Bool) -> [UInt8] {
      let size = content.count
      let bytes = plain ? [UInt8(size >> 8), UInt8(size & 255)] : [UInt8(size >> 7), UInt8(size & 127)]
      return Array(name.utf8) + [0, 0] + bytes + [0, 0] + content
    }
    let picture = [0] + Array("image/png\0".utf8) + [UInt8](repeating: 0x55, count: size - 11)
    for isPlain in [true, false] {
      for padding in [0, 30] {
        let frames =
          frame("APIC", picture, plain: isPlain) + frame("TIT2", [0] + Array("Behind".utf8), plain: isPlain)
          + [UInt8](repeating: 0, count: padding)
        let tag =
          Array("ID3".utf8) + [4, 0, 0, 0, 0, UInt8(frames.count >> 7), UInt8(frames.count & 127)] + frames
        #expect(try wav(after: .riffChunk("id3 ", tag)).title == "Behind", "plain: \(isPlain)")
      }
    }
  }

  @Test(
    arguments: [("Öl", [0xC3, 0x96, 0x6C]), ("Öl", [0xD6, 0x6C]), ("Ã", [0xC3])] as [(String, [UInt8])])
  func utf8InAFrameOfLatin1IsRead(text: String, bytes: [UInt8]) throws {
    let tag = id3(major: 3, [("TIT2", [0] + bytes)])
    #expect(try wav(after: .riffChunk("id3 ", tag)).title == text)
  }

  /// A tag that states too small a size, and padding behind a tag.
  @Test(
    arguments: [(UInt8(0x55), 100), (0x55, 200_000), (0, 10_000), (0, 500_000)], ["music.mp3", "music.aac"])
  func framesAreFoundBehindTagsOfAWrongSize(filling: (byte: UInt8, count: Int), name: String) throws {
    let fixture = Fixtures.named(name)
    let plain = try Plugin.named(fixture.codec).open(fixture.bytes).decodeAll()
    let tag = id3(major: 3, [("TIT2", [0] + Array("Title".utf8))])
    let bytes = tag + [UInt8](repeating: filling.byte, count: filling.count) + fixture.bytes
    let stream = try Plugin.named(fixture.codec).open(bytes)
    #expect(stream.title == "Title")
    #expect(try stream.decodeAll().suffix(plain.count).elementsEqual(plain.suffix(plain.count)))
    // FLAC's plugin, which is asked too, says that the file is none of its own.
    let error = #expect(throws: PluginError.self) { try Plugin.named("FLAC").open(bytes) }
    #expect(error?.status == -1 && error?.sentence.contains("No FLAC stream follows the ID3 tag") == true)
  }

  @Test func relativeVolumeIsRead() throws {
    let value = Int16(-6 * 512 + 256)
    let tag = id3(major: 4, [("RVA2", Array("track\0".utf8) + [1] + .big(value) + [0])])
    #expect(try wav(after: .riffChunk("id3 ", tag)).info.track_gain_db == -5.5)
  }

  @Test func apeTagIsRead() throws {
    let items: [(String, String)] = [
      ("Title", "Ape"), ("REPLAYGAIN_TRACK_GAIN", "-4.50 dB"), ("Track", "9/10"),
    ]
    var body: [UInt8] = []
    for (key, value) in items {
      body += .little(UInt32(value.utf8.count)) + .little(UInt32(0)) + Array(key.utf8) + [0]
      body += Array(value.utf8)
    }
    let footer: [UInt8] =
      Array("APETAGEX".utf8) + .little(UInt32(2000)) + .little(UInt32(body.count + 32))
      + .little(UInt32(items.count)) + .little(UInt32(0)) + [UInt8](repeating: 0, count: 8)
    let bench = try Bench()
    defer { bench.remove() }
    let music = Music(rate: 44100, channels: 1, frames: 20000)
    let (data, _) = Storage.int16.encode(music, bigEndian: false, unsigned8: true)
    try bench.write(WAVFile(music, .int16, data: data).bytes, "in.wav")
    try bench.run("lame", "--quiet", "--noreplaygain", "in.wav", "out.mp3")
    let stream = try Plugin.named("MPEG").open(bench.read("out.mp3") + body + footer)
    #expect(stream.title == "Ape")
    #expect(stream.info.track_gain_db == -4.5)
    #expect(stream.info.track_number == 9)
    #expect(stream.totalFrames == 20000)
    #expect(try stream.decodeAll().count == 20000)
  }

  /// LAME measures the loudness and stores it in the first frame.
  @Test func lameGainIsRead() throws {
    let bench = try Bench()
    defer { bench.remove() }
    let music = Music(rate: 44100, channels: 2, frames: 44100)
    let (data, _) = Storage.int16.encode(music, bigEndian: false, unsigned8: true)
    try bench.write(WAVFile(music, .int16, data: data).bytes, "in.wav")
    try bench.run("lame", "--quiet", "in.wav", "out.mp3")
    let gain = try Plugin.named("MPEG").open(bench.read("out.mp3")).info.track_gain_db
    #expect(gain > -30 && gain < 10 && gain != 0)
  }

  @Test func textIsCutAtACharacterAndWithoutControls() throws {
    let long = String(repeating: "é", count: 200)
    var list = Array("INFO".utf8) + .riffChunk("INAM", Array(long.utf8))
    list += .riffChunk("IART", Array("a\u{1B}[2Jb\u{85}c".utf8))
    let stream = try wav(after: .riffChunk("LIST", list))
    #expect(stream.title == String(repeating: "é", count: 127))
    #expect(stream.artist == "a [2Jb c")
  }
}
