// Joins: no frame added or lost, for each codec, rate and number of channels. Test threads.

import ChildSupport
import Foundation
import RealTimeSupport
import Testing

@Suite(.realTime) struct GaplessTests {
  /// Six tracks, cut at positions that are not frame boundaries of any codec.
  static let cuts = [77_777, 160_001, 240_123, 333_333, 444_445]

  enum Lossless: CaseIterable { case flac, wav, aiff, wavPack, mixed }

  @Test(arguments: Lossless.allCases) func losslessTracksAreTheUncutPiece(format: Lossless) throws {
    let bench = try Workbench()
    let piece = Sound.piece(seconds: 12)
    var files: [String] = []
    for (n, part) in piece.cut(at: Self.cuts).enumerated() {
      let wav = try bench.write(part, as: "\(n).wav")
      let kind: Lossless = format == .mixed ? [.flac, .wav, .aiff, .wavPack][n % 4] : format
      switch kind {
      case .flac:
        try bench.tool("flac", "-s", wav, "-o", "\(n).flac")
        files.append("\(n).flac")
      case .aiff:
        try bench.tool("sox", "-D", wav, "\(n).aiff")
        files.append("\(n).aiff")
      case .wavPack:
        try bench.tool("wavpack", "-q", wav, "-o", "\(n).wv")
        files.append("\(n).wv")
      case .wav, .mixed: files.append("\(n).wav")
      }
    }
    let heard = try bench.record([], files, format: "S16")
    #expect(heard.rate == 44100)
    #expect(difference(heard.int16, piece.int16) == nil)
  }

  enum Lossy: CaseIterable { case vorbis, opus, mp3, aac }

  @Test(arguments: Lossy.allCases) func lossyTracksAreTheirReferenceDecodes(format: Lossy) throws {
    let bench = try Workbench()
    let rate = format == .opus ? 48000 : 44100
    let piece = Sound.piece(seconds: 12, rate: rate)
    var files: [String] = []
    var reference: [Float] = []
    for (n, part) in piece.cut(at: Self.cuts).enumerated() {
      let wav = try bench.write(part, as: "\(n).wav")
      switch format {
      case .vorbis:
        try bench.tool("oggenc", "-Q", "-q", "4", wav, "-o", "\(n).ogg")
        try bench.tool("oggdec", "-Q", "\(n).ogg", "-o", "\(n).ref.wav")
        files.append("\(n).ogg")
      case .opus:
        try bench.tool("opusenc", "--quiet", "--bitrate", "128", wav, "\(n).opus")
        try bench.tool("opusdec", "--quiet", "--no-dither", "\(n).opus", "\(n).ref.wav")
        files.append("\(n).opus")
      case .mp3:
        try bench.tool("lame", "-S", "--noreplaygain", wav, "\(n).mp3")
        try bench.tool("mpg123", "-q", "-w", "\(n).ref.wav", "\(n).mp3")
        files.append("\(n).mp3")
      case .aac:
        // Without perceptual noise substitution, which differs between decoders.
        try bench.tool("ffmpeg", "-v", "error", "-i", wav, "-c:a", "aac", "-aac_pns", "0", "\(n).m4a")
        // The edit list is in milliseconds, so ffmpeg's decoder is cut explicitly.
        try bench.tool(
          "ffmpeg", "-v", "error", "-ignore_editlist", "1", "-i", "\(n).m4a",
          "-af", "atrim=start_sample=1024:end_sample=\(1024 + part.frames)", "-map_metadata", "-1",
          "-fflags", "+bitexact", "\(n).ref.wav")
        files.append("\(n).m4a")
      }
      let decoded = try Sound(wav: Data(contentsOf: URL(fileURLWithPath: bench.path("\(n).ref.wav"))))
      reference += decoded.int16.map { Float($0) / 32768 }
    }
    let heard = try bench.record([], files)
    #expect(heard.rate == rate)
    #expect(heard.frames == piece.frames)
    #expect(difference(heard.float, reference, tolerance: 1.001 / 32768) == nil)
  }

  struct Kind: Sendable, CustomTestStringConvertible {
    let rate: Int
    let channels: Int
    let frames: Int
    var testDescription: String { "\(rate) Hz, \(channels) channels" }
    /// Frames at 44.1 kHz.
    var expected: Int { (frames * 44100 + rate / 2) / rate }
  }

  static let kinds = [
    Kind(rate: 44100, channels: 2, frames: 50_001), Kind(rate: 44100, channels: 1, frames: 33_333),
    Kind(rate: 22050, channels: 2, frames: 20_011), Kind(rate: 48000, channels: 2, frames: 47_777),
    Kind(rate: 96000, channels: 1, frames: 70_003), Kind(rate: 44100, channels: 6, frames: 30_001),
    Kind(rate: 8000, channels: 1, frames: 7_919),
  ]

  @Test(arguments: kinds) func everyRateAndLayoutKeepsItsLength(kind: Kind) throws {
    let bench = try Workbench()
    let piece = Sound.piece(
      seconds: (Double(kind.frames) + 0.5) / Double(kind.rate), rate: kind.rate, channels: kind.channels)
    try #require(piece.frames == kind.frames)
    let heard = try bench.record(["--rate", "44100"], [try bench.write(piece, as: "a.wav")])
    #expect(heard.frames == kind.expected)
  }

  @Test func mixedRatesAndLayoutsJoin() throws {
    let bench = try Workbench()
    var files: [String] = []
    for (n, kind) in Self.kinds.enumerated() {
      let piece = Sound.piece(
        seconds: (Double(kind.frames) + 0.5) / Double(kind.rate), rate: kind.rate, channels: kind.channels)
      files.append(try bench.write(piece, as: "\(n).wav"))
    }
    let first = try Sound(wav: Data(contentsOf: URL(fileURLWithPath: files[0])))
    files.append(files[0])
    let heard = try bench.record([], files, format: "FLOAT")
    #expect(heard.rate == 44100)
    #expect(heard.frames == Self.kinds.map(\.expected).reduce(0, +) + first.frames)
    // The last track is at the sum of the other tracks' lengths, to the sample.
    let exact = first.int16.map { Float($0) / 32768 }
    #expect(difference(heard.float.suffix(exact.count), exact) == nil)
    #expect(difference(heard.float.prefix(exact.count), exact) == nil)
  }

  /// Tracks shorter than a render block and than the retained part of a ring: each next track is opened when
  /// the one before has started. With a script, rendering does not stop at silence, so a gap would be in the
  /// recording.
  @Test(arguments: [50, 700, 2_300, 5_000, 13_230, 20_000])
  func tracksMayBeShort(frames: Int) throws {
    let bench = try Workbench()
    let piece = Sound.piece(seconds: Double(frames) / 44_100)
    let file = try bench.write(piece, as: "a.wav")
    let time = Double(12 * frames) / 44_100
    let heard = try bench.record(["--repeat"], [file], script: "at \(time) quit", format: "S16")
    try #require(heard.frames >= 12 * piece.frames)
    let expected = (0..<12).flatMap { _ in piece.int16 }
    #expect(difference(heard.int16.prefix(expected.count), expected) == nil)
  }
}
