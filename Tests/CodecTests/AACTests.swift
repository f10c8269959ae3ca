// AAC in each container: exact lengths and joins, coding tools signaled implicitly, and files that must be
// refused. Test threads.

import Foundation
import SwiftletCodecAAC
import Testing

@Suite struct AACTests {
  static let plugin = Plugin.named("AAC")

  /// The packets of the stereo fixture and their decoded samples.
  static let packets = AACPackets(adts: Fixtures.named("music.aac").bytes)
  static let decoded = Fixtures.named("music.aac").reference

  /// Decoded samples of a range of frames.
  private func whole(_ range: Range<Int>) throws -> [Float] {
    Array(
      try Self.plugin.open(Fixtures.named("music.aac").bytes).decodeAll()[
        (2 * range.lowerBound)..<(2 * range.upperBound)])
  }

  /// Part of the stream as a separate file, with the two packets of preroll needed for exact decoding.
  private func piece(_ range: Range<Int>) -> MP4File {
    let first = max(0, range.lowerBound / 1024 - 2)
    let last = min(Self.packets.packets.count, (range.upperBound + 1023) / 1024)
    var file = MP4File(Self.packets)
    file.packets = Array(Self.packets.packets[first..<last])
    file.edit = (start: range.lowerBound - first * 1024, length: range.count)
    return file
  }

  /// Two halves, cut by edit lists at any frame, equal the whole, sample for sample.
  @Test(arguments: [50_000, 51_200, 51_201, 1, 1023, 70_123])
  func halvesJoinToTheWhole(_ cut: Int) throws {
    let end = 90_000
    var joined: [Float] = []
    for range in [0..<cut, cut..<end] {
      let stream = try Self.plugin.open(piece(range).bytes)
      #expect(stream.totalFrames == Int64(range.count))
      joined += try stream.decodeAll()
    }
    #expect(joined == (try whole(0..<end)))
  }

  @Test(arguments: [1, 7, 1000], [true, false])
  func theShapeOfTheFileDoesNotMatter(_ chunk: Int, _ isTableFirst: Bool) throws {
    var file = piece(3000..<80_000)
    file.chunk = chunk
    file.isTableFirst = isTableFirst
    file.usesWideOffsets = chunk == 1
    let stream = try Self.plugin.open(file.bytes)
    let expected = try whole(3000..<80_000)
    #expect(try stream.decodeAll() == expected)
    for target in [0, 1, 76_999, 40_000, 1024, 33] {
      try stream.seek(to: Int64(target))
      #expect(try stream.decodeAll().elementsEqual(expected[(2 * target)...]), "seek to \(target)")
    }
  }

  /// A movie time scale of milliseconds cannot express an exact length; the durations of the packets can.
  @Test func aCoarseEditListDoesNotCutFrames() throws {
    var file = MP4File(Self.packets)
    file.movieScale = 1000
    file.lastFrames = 300
    let frames = (file.packets.count - 1) * 1024 + 300 - 1024
    file.edit = (start: 1024, length: frames * 1000 / 44100)
    #expect(try Self.plugin.open(file.bytes).totalFrames == Int64(frames))
  }

  @Test func iTunesSaysWhatIsSilence() throws {
    var file = MP4File(Self.packets)
    let frames = file.packets.count * 1024
    let words = [0, 2112, 500, frames - 2612].map {
      String(format: $0 == frames - 2612 ? "%016X" : "%08X", $0)
    }
    file.tags = [
      ("iTunSMPB", " " + words.joined(separator: " ") + " 00000000 00000000"),
      ("replaygain_track_gain", "-7.03 dB"), ("REPLAYGAIN_TRACK_PEAK", "0.988"),
    ]
    let stream = try Self.plugin.open(file.bytes)
    #expect(stream.totalFrames == Int64(frames - 2612))
    #expect(try stream.decodeAll() == (try whole(2112..<(frames - 500))))
    #expect(stream.info.track_gain_db == -7.03)
    #expect(stream.info.track_peak == 0.988)
    // A length that does not match the stream is ignored.
    file.packets.removeLast(20)
    #expect(try Self.plugin.open(file.bytes).totalFrames == Int64(frames - 20 * 1024))
  }

  @Test func withoutAWordAllIsHeard() throws {
    let file = MP4File(Self.packets)
    #expect(try Self.plugin.open(file.bytes).decodeAll() == (try whole(0..<(file.packets.count * 1024))))
  }

  @Test(arguments: ["drms", "enca"]) func protectedFilesSaySo(_ entry: String) {
    var file = MP4File(Self.packets)
    file.entry = entry
    let error = #expect(throws: PluginError.self) { try Self.plugin.open(file.bytes) }
    #expect(error?.status == -3)
    #expect(error?.sentence.contains("protected") == true)
  }

  @Test(arguments: [
    ("alac", ["-c:a", "alac"], "alac"),
    ("mp3", ["-c:a", "libmp3lame", "-f", "mp4"], "MPEG-4 object 107"),
  ])
  func whatIsNotPlayedIsNamed(_ name: String, _ options: [String], _ word: String) throws {
    let bench = try Bench()
    defer { bench.remove() }
    try bench.write(Fixtures.named("music.wav").bytes, "in.wav")
    try bench.run("ffmpeg", ["-v", "error", "-i", "in.wav"] + options + ["out.m4a"])
    let error = #expect(throws: PluginError.self) { try Self.plugin.open(bench.read("out.m4a")) }
    #expect(error?.status == -1)
    #expect(error?.sentence.contains(word) == true, "\(String(describing: error))")
  }

  /// All ways in which ffmpeg writes fragments, as a file and as a stream without a length.
  @Test(arguments: [
    "frag_keyframe+empty_moov", "frag_keyframe+empty_moov+default_base_moof", "frag_every_frame+empty_moov",
    "empty_moov+separate_moof", "dash", "cmaf", "dash+global_sidx",
  ]) func fragmentedFilesPlayLikeWholeOnes(_ flags: String) throws {
    let bench = try Bench()
    defer { bench.remove() }
    try bench.write(Fixtures.named("music.wav").bytes, "in.wav")
    try bench.run("ffmpeg", ["-v", "error", "-i", "in.wav", "-c:a", "aac", "-aac_pns", "0", "whole.m4a"])
    try bench.run(
      "ffmpeg",
      [
        "-v", "error", "-i", "whole.m4a", "-c", "copy", "-movflags", flags, "-frag_duration", "300000",
        "f.mp4",
      ])
    let whole = try Self.plugin.open(bench.read("whole.m4a"))
    let (expected, frames) = (try whole.decodeAll(), try #require(whole.totalFrames))
    let fragmented = try bench.read("f.mp4")
    let file = try Self.plugin.open(fragmented)
    let stated = try #require(file.totalFrames)
    // ffmpeg writes no edit list into fragmented files, so the encoder's delay is heard.
    let delay = 1024
    // In some forms it states a shorter duration of the last packet.
    #expect((frames + Int64(delay) - 32...frames + Int64(delay)).contains(stated), "\(stated) of \(frames)")
    let samples = try file.decodeAll()
    #expect(samples.count == 2 * Int(stated))
    #expect(samples.dropFirst(2 * delay).elementsEqual(expected.prefix(samples.count - 2 * delay)))
    for target in [0, 1, stated / 2, stated - 1, 33] {
      try file.seek(to: target)
      #expect(try file.decodeAll().elementsEqual(samples[(2 * Int(target))...]), "seek to \(target)")
    }
    let stream = try Self.plugin.open(fragmented, isStream: true)
    #expect(try stream.decodeAll().dropFirst(2 * delay).prefix(expected.count).elementsEqual(expected))
  }

  /// Damage behind the track does not concern the sound.
  @Test func damageBehindTheTrackIsPassedOver() throws {
    var file = MP4File(Self.packets)
    file.isTableFirst = false
    let whole = try Self.plugin.open(file.bytes).decodeAll()
    var bytes = file.bytes
    let movie = try #require(bytes.indices.last { bytes[$0...].starts(with: "moov".utf8) }) - 4
    let size = bytes.count - movie + 8
    bytes += [0, 0, 0, 3] + Array("udta".utf8)
    bytes.replaceSubrange(movie..<movie + 4, with: [UInt8].big(UInt32(size)))
    #expect(try Self.plugin.open(bytes).decodeAll() == whole)
  }

  /// The number of frames of a long fragmented file is counted while it plays.
  @Test func longFragmentedFilesAreCounted() throws {
    var file = MP4File(Self.packets)
    file.fragment = 1
    file.packets = Array((0..<40).flatMap { _ in Self.packets.packets })
    let stream = try Self.plugin.open(file.bytes)
    #expect(stream.totalFrames == nil)
    let all = try stream.decodeAll()
    #expect(all.count == 2 * 1024 * file.packets.count)
    var extent = try #require(stream.measure(1 << 18))
    for _ in 0..<1000 where !extent.isKnown { extent = try #require(stream.measure(1 << 18)) }
    #expect(extent.isKnown && extent.frames == Int64(1024 * file.packets.count))
    for target in [0, 1024 * 3000 + 5, 17] {
      try stream.seek(to: Int64(target))
      #expect(try stream.decodeAll().elementsEqual(all[(2 * target)...]), "seek to \(target)")
    }
  }

  /// Whole files with the table first play as streams without a length; with the table last they cannot.
  @Test(arguments: [true, false]) func streamsOfWholeFilesNeedTheirTableFirst(_ isTableFirst: Bool) throws {
    var file = piece(3000..<80_000)
    file.isTableFirst = isTableFirst
    guard isTableFirst else {
      let error = #expect(throws: PluginError.self) { try Self.plugin.open(file.bytes, isStream: true) }
      #expect(
        error?.status == -1 && error?.sentence.contains("(moov) of this MP4 stream is at its end") == true)
      return
    }
    let stream = try Self.plugin.open(file.bytes, isStream: true)
    #expect(stream.totalFrames == 77_000)
    #expect(try stream.decodeAll() == (try whole(3000..<80_000)))
  }

  @Test func aLostPacketIsSilenceOfItsLength() throws {
    var file = MP4File(Self.packets)
    file.packets[40] = [UInt8](repeating: 0xFF, count: file.packets[40].count)
    let samples = try Self.plugin.open(file.bytes).decodeAll()
    let expected = try whole(0..<(file.packets.count * 1024))
    #expect(samples.count == expected.count)
    #expect(samples != expected)
    #expect(samples.prefix(2 * 40 * 1024 - 2 * 1024).elementsEqual(expected.prefix(2 * 40 * 1024 - 2 * 1024)))
    #expect(samples.suffix(2 * 40 * 1024).elementsEqual(expected.suffix(2 * 40 * 1024)))
  }

  @Test func aCutFilePlaysToWhereItEnds() throws {
    let file = MP4File(Self.packets)
    let bytes = Array(file.bytes.dropLast(file.packets.suffix(30).reduce(0) { $0 + $1.count } + 5))
    let stream = try Self.plugin.open(bytes)
    #expect(stream.totalFrames == nil)
    let frames = (file.packets.count - 31) * 1024
    #expect(try stream.decodeAll() == (try whole(0..<frames)))
    let headless = Array(Fixtures.named("music.m4a").bytes.prefix(20000))
    let error = #expect(throws: PluginError.self) { try Self.plugin.open(headless) }
    #expect(error?.status == -2 && error?.sentence.contains("moov") == true)
  }

  @Test func adtsIsFoundBehindTagsAndGarbage() throws {
    let fixture = Fixtures.named("music.aac")
    let expected = try whole(0..<fixture.frames)
    let tag: [UInt8] =
      Array("ID3".utf8) + [4, 0, 0, 0, 0, 0, 15] + Array("TIT2".utf8) + [0, 0, 0, 5, 0, 0, 3]
      + Array("Abcd".utf8)
    for front in [tag, tag + tag, [0, 1, 2, 0xFF, 0xF1, 3]] {
      let stream = try Self.plugin.open(front + fixture.bytes)
      #expect(stream.totalFrames == Int64(fixture.frames))
      #expect(stream.title == (front.starts(with: tag) ? "Abcd" : ""))
      #expect(try stream.decodeAll() == expected)
    }
    // Garbage in the middle: the decoder resynchronizes behind it.
    let middle = fixture.bytes.count / 2
    let torn =
      Array(fixture.bytes[..<middle]) + [UInt8](repeating: 0xFF, count: 5000)
      + Array(fixture.bytes[middle...])
    let stream = try Self.plugin.open(torn)
    let total = try #require(stream.totalFrames)
    let samples = try stream.decodeAll()
    #expect(samples.count == 2 * Int(total))
    #expect(samples.suffix(20000).elementsEqual(expected.suffix(20000)))
  }

  /// Stereo frames, damage, and mono frames: the stated number of packets is the number read. The damage is
  /// padding, a stereo frame with or without its last bytes, and padding. `AACFuzzing` ends the process if
  /// they differ.
  @Test(arguments: [0, 1, 6, 7, 8], [0, 1, 7, 200])
  func framesOfAnotherKindEndEachPassAtTheSameFrame(padding: Int, lost: Int) throws {
    let (stereo, mono) = (Fixtures.named("music.aac").bytes, Fixtures.named("music-mono.aac").bytes)
    let ends = Self.packets.packets.reduce(into: [0]) { $0.append($0.last! + 7 + $1.count) }
    let zeros = { (count: Int) in [UInt8](repeating: 0, count: count) }
    for trailing in [0, 1, 6, 7, 8] {
      let torn = stereo[ends[8]..<ends[9]].dropLast(lost)
      let bytes = stereo[..<ends[8]] + zeros(padding) + torn + zeros(trailing) + mono
      AACFuzzing.read(Array(bytes))
      let stream = try Self.plugin.open(Array(bytes))
      let total = try #require(stream.totalFrames)
      #expect(total == 8 * 1024 || total == 9 * 1024)
      #expect(try stream.decodeAll().count == 2 * Int(total), "\(trailing) bytes behind the frame")
    }
  }

  /// Longer than the table of individual packet positions.
  @Test func aLongStreamSeeksAsAShortOneDoes() throws {
    let fixture = Fixtures.named("music-mono.aac")
    let bytes = (0..<60).flatMap { _ in fixture.bytes }
    let stream = try Self.plugin.open(bytes)
    let frames = 60 * fixture.frames
    #expect(stream.totalFrames == Int64(frames))
    let linear = try stream.decodeAll()
    var random = Random(5)
    for target in [frames - 1, 0] + (0..<10).map({ _ in Int.random(in: 0..<frames, using: &random) }) {
      try stream.seek(to: Int64(target))
      #expect(
        try stream.decode(2000).elementsEqual(linear[target..<min(frames, target + 2000)].prefix(2000))
          || target + 2000 > frames)
    }
  }

  /// Low sample rates are kept: the rate is doubled only if SBR is in the stream.
  @Test(arguments: [(22050, 1), (24000, 2), (8000, 1)])
  func plainLowRatesStayLow(_ rate: Int, _ channels: Int) throws {
    let bench = try Bench()
    defer { bench.remove() }
    let music = Music(rate: rate, channels: channels, frames: 30_000)
    let (data, _) = Storage.int16.encode(music, bigEndian: false, unsigned8: true)
    try bench.write(WAVFile(music, .int16, data: data).bytes, "in.wav")
    for name in ["out.m4a", "out.aac"] {
      try bench.run("ffmpeg", "-v", "error", "-i", "in.wav", "-c:a", "aac", "-aac_pns", "0", name)
      let stream = try Self.plugin.open(bench.read(name))
      #expect(Int(stream.info.rate) == rate && stream.channels == channels, "\(name)")
      if name == "out.m4a" { #expect(stream.totalFrames == 30_000) }
      #expect(stream.format.hasPrefix("AAC"))
    }
  }

  @Test(arguments: [3, 5, 6, 8]) func channelsAreInWAVEOrder(_ channels: Int) throws {
    let bench = try Bench()
    defer { bench.remove() }
    try bench.write(ShapeTests.sines(channels), "in.wav")
    try bench.run(
      "ffmpeg", "-v", "error", "-i", "in.wav", "-c:a", "aac", "-b:a", "\(96 * channels)k", "out.m4a")
    let stream = try Self.plugin.open(bench.read("out.m4a"))
    #expect(stream.channels == channels)
    let samples = try stream.decodeAll()
    for channel in 0..<channels where !(channels >= 6 && channel == 3) {
      let level = ShapeTests.level(
        samples, channel: channel, of: channels, frequency: 200 * Double(channel + 1))
      #expect(level > 0.25, "channel \(channel)")
    }
  }
}
