// The effect of the options of `swiftlet play` on the recording. Test threads.

import ChildSupport
import Foundation
import RealTimeSupport
import Testing

@Suite(.realTime) struct OptionTests {
  /// One file per value, with 4000 frames of it on both channels.
  static func constants(_ bench: Workbench, _ values: [Int16]) throws -> [String] {
    try values.map { value in
      try bench.write(Sound([Int16](repeating: value, count: 8000)), as: "\(value).wav")
    }
  }

  /// The values of a recording of constants, one per 4000 frames.
  static func values(_ heard: Sound) -> [Int16] {
    stride(from: 4000, to: heard.count, by: 8000).map { heard.int16[$0] }
  }

  @Test func startAtSkipsTheBeginning() throws {
    let bench = try Workbench()
    let piece = Sound.noise(frames: 44_100, seed: 2)
    let file = try bench.write(piece, as: "a.wav")
    let heard = try bench.record(["--start-at", "0.5"], [file, file])
    #expect(heard.frames == 22_050 + 44_100)
    // Except for the ramp at its start.
    #expect(difference(heard.float.suffix(130_000), (piece.float + piece.float).suffix(130_000)) == nil)
  }

  /// Decimals beyond the resolution of the setting are accepted and rounded.
  @Test func aFadesLengthMayHaveAnyDecimals() throws {
    let bench = try Workbench()
    let file = try bench.write(Sound.piece(seconds: 3), as: "a.wav")
    let fine = try bench.record(["--crossfade", "1.23449999999"], [file, file])
    let rounded = try bench.record(["--crossfade", "1.234"], [file, file])
    #expect(fine.frames == rounded.frames && fine.frames < 6 * 44_100)
  }

  @Test func repeatBeginsAgainGaplessly() throws {
    let bench = try Workbench()
    let piece = Sound.piece(seconds: 0.3)
    let file = try bench.write(piece, as: "a.wav")
    let heard = try bench.record(["--repeat"], [file], script: "at 1 quit", format: "S16")
    try #require(heard.frames >= 44_100)
    let thrice = piece.int16 + piece.int16 + piece.int16
    #expect(difference(heard.int16.prefix(thrice.count), thrice) == nil)
    #expect(heard.int16[thrice.count + 100] == piece.int16[100])
  }

  @Test func shufflePlaysEveryTrackOnce() throws {
    let bench = try Workbench()
    let values: [Int16] = [1000, 2000, 3000, 4000, 5000, 6000, 7000, 8000]
    let heard = try bench.record(["--shuffle"], try Self.constants(bench, values), format: "S16")
    #expect(Self.values(heard).sorted() == values)
  }

  @Test func monoIsTheMeanOnBothChannels() throws {
    let bench = try Workbench()
    let file = try bench.write(Sound.constant(frames: 20_000, left: 0.5, right: -0.25), as: "a.wav")
    let heard = try bench.record(["--mono"], [file])
    #expect(heard.float.suffix(20_000).allSatisfy { abs($0 - 0.125) < 1e-6 })
  }

  @Test func volumeZeroIsSilenceAndAHundredIsExact() throws {
    let bench = try Workbench()
    let piece = Sound.piece(seconds: 0.3)
    let file = try bench.write(piece, as: "a.wav")
    let silent = try bench.record(["--volume", "0"], [file])
    #expect(silent.frames == piece.frames && silent.float.allSatisfy { $0 == 0 })
    let full = try bench.record(["--volume", "100"], [file], format: "S16")
    #expect(difference(full.int16, piece.int16) == nil)
  }

  @Test(arguments: [("off", 1.0), ("track", 0.5), ("album", 0.25)])
  func replayGainIsTheTags(mode: String, factor: Double) throws {
    let bench = try Workbench()
    let wav = try bench.write(Sound([Int16](repeating: 16_384, count: 8000)), as: "a.wav")
    try bench.tool(
      "flac", "-s", "-T", "REPLAYGAIN_TRACK_GAIN=-6.0206 dB", "-T", "REPLAYGAIN_ALBUM_GAIN=-12.0412 dB", wav,
      "-o", "a.flac")
    let heard = try bench.record(["--replaygain", mode], ["a.flac"])
    #expect(heard.float.allSatisfy { abs(Double($0) - 0.5 * factor) < 1e-4 })
  }

  @Test func theFirstTrackGivesTheRate() throws {
    let bench = try Workbench()
    let files = [
      try bench.write(Sound.piece(seconds: 0.2, rate: 48000), as: "a.wav"),
      try bench.write(Sound.piece(seconds: 0.2), as: "b.wav"),
    ]
    let heard = try bench.record([], files)
    #expect(heard.rate == 48000 && heard.frames == 2 * 9600)
    let other = try bench.record(["--rate", "96000"], files)
    #expect(other.rate == 96000 && other.frames == 2 * 19_200)
  }

  @Test func aPlaylistIsItsEntries() throws {
    let bench = try Workbench()
    _ = try Self.constants(bench, [1000, 2000, 3000])
    let text =
      "#EXTM3U\n#EXTINF:1,One\n3000.wav\n\n\(bench.path("1000.wav"))\nfile://\(bench.path("2000.wav"))\n"
    try bench.write(Data(text.utf8), as: "list.m3u")
    let heard = try bench.record([], ["list.m3u"], format: "S16")
    #expect(Self.values(heard) == [3000, 1000, 2000])
  }

  @Test func aPlaylistsMissingAndForeignEntriesAreReported() throws {
    let bench = try Workbench()
    _ = try Self.constants(bench, [1000])
    try bench.write(Data("gone.wav\nhttp://example.org/a.mp3\n1000.wav\n".utf8), as: "list.m3u")
    let outcome = try bench.play(["--output", "out.wav"], ["list.m3u"])
    #expect(outcome.status == 1 && !outcome.isCrash, "\(outcome)")
    #expect(outcome.reports("1 of 3 entries of list.m3u does not exist"), "\(outcome)")
    #expect(outcome.reports("http://example.org/a.mp3"))
  }

  @Test(arguments: ["1000.wav", "./1000.wav", "link.wav", "out.mp3"])
  func aRecordingReplacesNothingThatItIsMadeFrom(output: String) throws {
    let bench = try Workbench()
    _ = try Self.constants(bench, [1000])
    try FileManager.default.createSymbolicLink(
      atPath: bench.path("link.wav"), withDestinationPath: "1000.wav")
    let before = try Data(contentsOf: bench.directory.appendingPathComponent("1000.wav"))
    let outcome = try bench.play(["--output", output], ["1000.wav"])
    #expect(outcome.status == 64 && outcome.errors.contains("--output \(output)"), "\(outcome)")
    #expect(try Data(contentsOf: bench.directory.appendingPathComponent("1000.wav")) == before)
    #expect(!FileManager.default.fileExists(atPath: bench.path("out.mp3")))
  }

  @Test func aFileThatIsThereIsReplacedByForceOnly() throws {
    let bench = try Workbench()
    let file = try Self.constants(bench, [1000])[0]
    let bad = try bench.write(Data("no music".utf8), as: "bad.wav")
    let kept = Data("precious".utf8)
    for option in ["--output", "--events"] {
      try bench.write(kept, as: "keep.wav")
      let other = option == "--events" ? ["--output", "new.wav"] : []
      let refused = try bench.play(other + [option, "keep.wav"], [file])
      #expect(refused.status == 64 && refused.errors.contains("--force"), "\(refused)")
      #expect(try Data(contentsOf: bench.directory.appendingPathComponent("keep.wav")) == kept)
    }
    // A recording without frames does not replace a file either.
    #expect(try bench.play(["--force", "--output", "keep.wav"], [bad]).status == 2)
    #expect(try Data(contentsOf: bench.directory.appendingPathComponent("keep.wav")) == kept)
    #expect(try bench.play(["--force", "--output", "keep.wav"], [file]).status == 0)
    #expect(
      try Sound(wav: Data(contentsOf: bench.directory.appendingPathComponent("keep.wav"))).frames == 4000)
    #expect(!FileManager.default.fileExists(atPath: bench.path("keep.wav.part")))
  }

  @Test func aValueMayFollowAnEqualsSign() throws {
    let bench = try Workbench()
    let file = try Self.constants(bench, [1000])[0]
    let heard = try bench.record(["--volume=50"], [file], format: "S16")
    #expect(heard.int16 == (try bench.record(["--volume", "50"], [file], format: "S16")).int16)
    let outcome = try bench.play(["--mono=yes"], [file])
    #expect(outcome.status == 64 && outcome.errors.contains("--mono takes no value"), "\(outcome)")
  }

  @Test(arguments: [nil, "at 0.1 seek 0", "at 0.1 queue repeat all"])
  func aRecordingHasAnEnd(script: String?) throws {
    let bench = try Workbench()
    let file = try Self.constants(bench, [1000])[0]
    let repeats = script?.contains("repeat") != true
    let outcome = try bench.play(
      (repeats ? ["--repeat"] : []) + ["--output", "out.wav"], [file], script: script, seconds: 20)
    #expect(outcome.status == 64 && outcome.errors.contains("no end"), "\(outcome)")
    #expect(!FileManager.default.fileExists(atPath: bench.path("out.wav")))
  }

  @Test func aLinkThatLeadsBackIsFollowedOnce() throws {
    let bench = try Workbench()
    _ = try Self.constants(bench, [1000, 2000])
    let folder = bench.path("Album")
    try FileManager.default.createDirectory(atPath: folder + "/more", withIntermediateDirectories: true)
    for name in ["1000.wav", "2000.wav"] {
      try FileManager.default.moveItem(atPath: bench.path(name), toPath: folder + "/" + name)
    }
    for link in ["a", "b", "c", "d", "more/e", "more/f"] {
      try FileManager.default.createSymbolicLink(atPath: folder + "/" + link, withDestinationPath: folder)
    }
    #expect(Self.values(try bench.record([], ["Album"], format: "S16")) == [1000, 2000])
  }

  @Test func namesInAnOldEncodingArePlayed() throws {
    let bench = try Workbench()
    let piece = try Self.constants(bench, [1000, 2000])
    let folder = bench.path("Album")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    // "früh", "spät" in Latin-1.
    for (file, name) in zip(piece, [[0x66, 0x72, 0xFC, 0x68], [0x73, 0x70, 0xE4, 0x74]] as [[UInt8]]) {
      let path = Array(folder.utf8) + [0x2F] + name + Array(".wav".utf8) + [0]
      #expect(path.withUnsafeBytes { rename(file, $0.baseAddress!.assumingMemoryBound(to: CChar.self)) } == 0)
    }
    #expect(Self.values(try bench.record([], ["Album"], format: "S16")) == [1000, 2000])
  }

  @Test func aDoubleDashEndsTheOptions() throws {
    let bench = try Workbench()
    try bench.write(Sound.piece(seconds: 0.1), as: "--mono")
    #expect(try bench.record([], ["--", "--mono"]).frames == 4410)
  }
}
