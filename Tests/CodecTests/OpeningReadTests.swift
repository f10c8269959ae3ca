// How much of a file on a server each codec reads before its first sound. Test threads.

import CodecPlugin
import Foundation
import Testing

@Suite struct OpeningReadTests {
  /// A file of a minute, and whether it states its length at its beginning.
  struct Kind: Sendable, CustomStringConvertible {
    let codec: String
    /// Reads in.wav and writes out.
    let command: String
    let statesLength: Bool

    var description: String { codec + ": " + command }
  }

  static let kinds = [
    Kind(codec: "MPEG", command: "lame --quiet -b 128 in.wav out", statesLength: true),
    Kind(codec: "MPEG", command: "lame --quiet -t --nores -b 128 in.wav out", statesLength: false),
    Kind(
      codec: "MPEG", command: "lame --quiet -b 128 --id3v1-only --tt Tune in.wav out", statesLength: true),
    // Concatenated files.
    Kind(
      codec: "MPEG", command: "lame --quiet -b 64 in.wav a.mp3 && cat a.mp3 a.mp3 > out", statesLength: false),
    Kind(
      codec: "AAC", command: "ffmpeg -v error -i in.wav -c:a aac -b:a 128k -f adts out", statesLength: false),
    Kind(
      codec: "AAC", command: "ffmpeg -v error -i in.wav -c:a aac -b:a 128k -movflags +faststart -f mp4 out",
      statesLength: true),
    Kind(
      codec: "AAC",
      command: "ffmpeg -v error -i in.wav -c:a aac -b:a 128k -movflags frag_keyframe+empty_moov -f mp4 out",
      statesLength: false),
    Kind(codec: "FLAC", command: "flac -s in.wav -o out", statesLength: true),
    Kind(codec: "FLAC", command: "flac -s --ogg in.wav -o out", statesLength: true),
    Kind(codec: "Vorbis", command: "oggenc -Q -q 5 in.wav -o out", statesLength: false),
    Kind(codec: "Opus", command: "opusenc --quiet --bitrate 128 in.wav out", statesLength: false),
    Kind(codec: "WavPack", command: "wavpack -q in.wav -o a.wv && mv a.wv out", statesLength: true),
    Kind(codec: "PCM", command: "cp in.wav out", statesLength: true),
    Kind(codec: "PCM", command: "sox in.wav -t aiff out", statesLength: true),
  ]

  /// Maximum number of bytes read when a file is opened.
  private static let limit = 256 << 10

  /// No codec reads the whole file, and none waits for bytes far behind the first frames.
  @Test(arguments: kinds) func aFileOnAServerIsOpenedByItsBeginning(kind: Kind) throws {
    let bench = try Bench()
    defer { bench.remove() }
    let bytes = try MeasureTests.encoded(kind.command, bench, seconds: 60)
    try #require(bytes.count > 2 * Self.limit, "the file is too short for this test: \(bytes.count)")
    let plugin = Plugin.named(kind.codec)
    let local = try plugin.open(bytes)
    let first = try local.decode(4096)

    let waiting = try plugin.open(bytes, farReads: SWIFTLET_FAR_READS_WAIT)
    let file = waiting.file
    #expect(
      file.furthest <= Self.limit && file.bytesRead <= 2 * Self.limit, "\(file.furthest) \(file.bytesRead)")
    #expect(waiting.totalFrames == (kind.statesLength ? local.totalFrames : nil))
    _ = waiting.measure(0)
    let heard = try waiting.decode(4096)
    #expect(isSame(heard, first), "\(heard.count) \(first.count)")
    #expect(file.furthest <= Self.limit, "\(file.furthest)")

    let requesting = try plugin.open(bytes, farReads: SWIFTLET_FAR_READS_REQUEST)
    #expect(requesting.file.bytesRead <= 2 * Self.limit, "\(requesting.file.bytesRead)")
    let requested = try requesting.decode(4096)
    #expect(isSame(requested, first), "\(requested.count) \(first.count)")
  }

  /// Whether two decoders' output is equal but for rounding. libmpg123 rounds differently after a scan.
  private func isSame(_ left: [Float], _ right: [Float]) -> Bool {
    left.count == right.count && zip(left, right).allSatisfy { abs($0 - $1) < 1e-6 }
  }

  /// A local file is opened as before, with its length.
  @Test(arguments: kinds) func aLocalFileHasItsLength(kind: Kind) throws {
    let bench = try Bench()
    defer { bench.remove() }
    let bytes = try MeasureTests.encoded(kind.command, bench, seconds: 10)
    let stream = try Plugin.named(kind.codec).open(bytes)
    #expect(stream.totalFrames != nil)
    let remote = try Plugin.named(kind.codec).open(bytes, farReads: SWIFTLET_FAR_READS_WAIT)
    let (all, heard) = (try stream.decodeAll(), try remote.decodeAll())
    // Padding between concatenated files may be trimmed differently.
    #expect(heard.count + 2 * 4096 >= all.count, "\(all.count) \(heard.count)")
  }
}
