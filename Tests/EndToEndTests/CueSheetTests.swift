// Cue sheets: one file, several tracks, and exactly the frames of the file. Test threads.

import ChildSupport
import Foundation
import RealTimeSupport
import Testing

@Suite(.realTime) struct CueSheetTests {
  /// Start positions of the tracks in units of 1/75 s.
  private static let starts = [0, 101, 250, 331, 500]

  private static func sheet(_ file: String, quick: Bool = false) -> String {
    var text = "PERFORMER \"P\"\nTITLE \"Album\"\nFILE \"\(file)\" WAVE\n"
    for (n, start) in starts.enumerated() {
      text += "  TRACK \(n + 1) AUDIO\n    TITLE \"Part \(n + 1)\"\n"
      text += "    INDEX 01 00:\(start / 75):\(start % 75)\n"
    }
    return text
  }

  @Test(arguments: ["album.wav", "album.flac"], ["0", "1"])
  func theTracksOfASheetAreTheUncutFile(file: String, crossfade: String) throws {
    let bench = try Workbench()
    let piece = Sound.piece(seconds: 9)
    try bench.write(piece, as: "album.wav")
    if file == "album.flac" {
      try bench.tool("flac", "-s", "--delete-input-file", "album.wav", "-o", "album.flac")
    }
    // The sheet names the file as it was before its compression.
    try bench.write(Data(Self.sheet("album.wav").utf8), as: "album.cue")
    let events = bench.path("events")
    let heard = try bench.record(
      ["--crossfade", crossfade, "--events", events], ["album.cue"], format: "S16")
    #expect(difference(heard.int16, piece.int16) == nil)
    let log = try String(contentsOfFile: events, encoding: .utf8)
    for n in 1...5 { #expect(log.contains("Part \(n)"), "track \(n) has its turn") }
  }

  /// An embedded sheet, as a metadata block or in a comment.
  @Test(arguments: ["--cuesheet=", "--tag-from-file=CUESHEET="])
  func theTracksOfAFileWithASheetAreTheUncutFile(option: String) throws {
    let bench = try Workbench()
    let piece = Sound.piece(seconds: 9)
    try bench.write(piece, as: "album.wav")
    // flac rejects CD tracks shorter than 4 s, but only for a sheet in a CUESHEET block.
    try bench.write(Data(Self.sheet("album.wav").utf8), as: "in.cue")
    try bench.tool("flac", "-s", option + "in.cue", "album.wav", "-o", "album.flac")
    try bench.tool("rm", "in.cue", "album.wav")
    let events = bench.path("events")
    let heard = try bench.record(["--events", events], ["album.flac"], format: "S16")
    #expect(difference(heard.int16, piece.int16) == nil)
    let log = try String(contentsOfFile: events, encoding: .utf8)
    let begun = log.components(separatedBy: " playing ").count - 1
    // The block has no titles, so its tracks have the file's name and no events of their own.
    #expect(begun == (option.hasPrefix("--tag") ? 5 : 1), "\(begun) tracks")
  }

  /// A sheet of another file, or one that cannot be parsed, in the folder leaves the embedded sheet in effect.
  @Test(
    arguments: ["album.flac", "."],
    ["FILE \"gone.wav\" WAVE\nTRACK 01 AUDIO\nINDEX 01 00:00:00\n", "\u{0}nonsense"])
  func anUnrelatedSheetSwitchesNoEmbeddedOneOff(name: String, unrelated: String) throws {
    let bench = try Workbench()
    let folder = bench.directory.appendingPathComponent("music")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try bench.write(Sound.piece(seconds: 9), as: "album.wav")
    try bench.write(Data(Self.sheet("album.wav").utf8), as: "in.cue")
    try bench.tool("flac", "-s", "--tag-from-file=CUESHEET=in.cue", "album.wav", "-o", "music/album.flac")
    // A folder scan looks for sheets in large files only.
    for _ in 0..<3 { try bench.tool("metaflac", "--add-padding=16000000", "music/album.flac") }
    try bench.write(Data(unrelated.utf8), as: "music/other.cue")
    let events = bench.path("events")
    let outcome = try bench.play(
      ["--output", "x.wav", "--events", events, "--limit", "8"], [name == "." ? "music" : "music/" + name])
    #expect(!outcome.isCrash, "\(outcome)")
    let log = try String(contentsOfFile: events, encoding: .utf8)
    #expect(log.components(separatedBy: " playing ").count - 1 >= 4, "\(log)")
  }

  @Test(arguments: [22050, 44100, 48000, 96000]) func atEveryRate(rate: Int) throws {
    let bench = try Workbench()
    try bench.write(Sound.piece(seconds: 9, rate: rate), as: "album.wav")
    try bench.write(Data(Self.sheet("album.wav").utf8), as: "album.cue")
    for engine in ["44100", "48000"] {
      let whole = try bench.record(["--rate", engine], ["album.wav"])
      let parts = try bench.record(["--rate", engine], ["album.cue"])
      // A resampler that starts at another position rounds differently: below -130 dB.
      let tolerance: Float = engine == String(rate) ? 0 : 3e-7
      #expect(difference(parts.float, whole.float, tolerance: tolerance) == nil, "\(rate) Hz at \(engine) Hz")
    }
  }

  @Test func aSeekStaysWithinTheTrack() throws {
    let bench = try Workbench()
    let piece = Sound.piece(seconds: 9)
    try bench.write(piece, as: "album.wav")
    let sheet = """
      FILE "album.wav" WAVE
      TRACK 01 AUDIO
      INDEX 01 00:02:00
      TRACK 02 AUDIO
      INDEX 01 00:05:00
      """
    try bench.write(Data(sheet.utf8), as: "album.cue")
    let heard = try bench.record(["--start-at", "1"], ["album.cue"], format: "S16")
    let expected = Array(piece.int16[(3 * 44100 * 2)...])
    // It starts with a ramp, because it is in the middle of the music.
    let ramp = 44100
    #expect(heard.int16.count == expected.count)
    #expect(difference(heard.int16.dropFirst(ramp), expected.dropFirst(ramp)) == nil)
  }

  @Test func inAFolderTheSheetStandsForItsFile() throws {
    let bench = try Workbench()
    let piece = Sound.piece(seconds: 9)
    let other = Sound.piece(seconds: 1, seed: 2)
    let folder = bench.directory.appendingPathComponent("music")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try bench.write(piece, as: "music/Album.wav")
    try bench.write(other, as: "music/other.wav")
    try bench.write(Data(Self.sheet("album.wav").utf8), as: "music/album.cue")
    try bench.write(Data(Self.sheet("gone.wav").utf8), as: "music/gone.cue")
    let heard = try bench.record([], ["music"], format: "S16")
    #expect(difference(heard.int16, piece.int16 + other.int16) == nil)
  }

  @Test func aSheetOfAnotherFileIsToldSo() throws {
    let bench = try Workbench()
    try bench.write(Sound.piece(seconds: 1), as: "album.wav")
    let sheet = "FILE \"album.wav\" WAVE\nTRACK 01 AUDIO\nINDEX 01 10:00:00\n"
    try bench.write(Data(sheet.utf8), as: "album.cue")
    let outcome = try bench.play(["--output", "x.wav"], ["album.cue"])
    #expect(outcome.status == 2 && outcome.reports("album.wav", "cue sheet"), "\(outcome.errors)")
  }
}
