// Measuring the length of files whose headers do not state it, and finding what follows a stream in its file.
// Test threads.

import Foundation
import Testing

@Suite struct MeasureTests {
  /// Encodes `seconds` of sound with a command that reads in.wav and writes out.
  static func encoded(
    _ command: String, _ bench: Bench, rate: Int = 48000, channels: Int = 2, seconds: Double = 2
  ) throws -> [UInt8] {
    let music = Music(rate: rate, channels: channels, frames: Int(Double(rate) * seconds))
    let (data, _) = Storage.int16.encode(music, bigEndian: false, unsigned8: true)
    try bench.write(WAVFile(music, .int16, data: data).bytes, "in.wav")
    try bench.run("sh", "-c", "rm -f out; " + command)
    return try bench.read("out")
  }

  /// Above 16 MiB no plugin scans the file when it opens it, but a constant bit rate gives the length at
  /// once.
  @Test(arguments: [(48000, 320), (44100, 320), (44100, 256)]) func mp3OfAConstantBitRateIsMeasuredAtOnce(
    _ rate: Int, _ kilobits: Int
  ) throws {
    let bench = try Bench()
    defer { bench.remove() }
    let piece = try Self.encoded(
      "lame --quiet -t --nores -b \(kilobits) --resample \(rate) in.wav out", bench, rate: rate, seconds: 12)
    // The padding pattern must be that of the following frames, so whole periods are used.
    let sizes = Self.frames(piece)
    let period = rate == 44100 ? 49 : 1
    let frames = sizes.count / period * period
    let unit = Array(piece.prefix(sizes.prefix(frames).reduce(0, +)))
    let count = (17 << 20) / unit.count + 1
    let bytes = Array(repeatElement(unit, count: count).joined())
    let stream = try Plugin.named("MPEG").open(bytes)
    #expect(stream.totalFrames == nil)
    let reads = stream.file.reads
    let extent = try #require(stream.measure(1 << 18))
    #expect(extent.isKnown && extent.next == 0)
    #expect(extent.frames == Int64(frames * count * 1152), "\(extent.frames)")
    #expect(stream.file.reads - reads < 40)
  }

  /// The frame with the Info tag has no sound, whatever follows the stream.
  @Test func theTaggedFrameIsNotCounted() throws {
    let bench = try Bench()
    defer { bench.remove() }
    let piece = try Self.encoded("lame --quiet --nores -b 320 in.wav out", bench, seconds: 12)
    let sizes = Self.frames(piece)
    let sound = Array(piece.dropFirst(sizes[0]).prefix(sizes.dropFirst().reduce(0, +)))
    let count = (17 << 20) / sound.count + 1
    let bytes = piece.prefix(sizes[0]) + Array(repeatElement(sound, count: count).joined())
    let stream = try Plugin.named("MPEG").open(Array(bytes))
    #expect(stream.totalFrames == nil)
    let extent = try #require(stream.measure(1 << 18))
    #expect(extent.isKnown && extent.next == 0)
    #expect(extent.frames == Int64((sizes.count - 1) * count * 1152), "\(extent.frames)")
  }

  /// Damage near the end of a file of constant bit rate does not end it.
  @Test(arguments: [2, 3, 5]) func damageNearTheEndOfAConstantBitRateEndsNothing(_ last: Int) throws {
    let bench = try Bench()
    defer { bench.remove() }
    let piece = try Self.encoded("lame --quiet -t --nores -b 320 in.wav out", bench, seconds: 12)
    let sizes = Self.frames(piece)
    let unit = Array(piece.prefix(sizes.reduce(0, +)))
    let count = (17 << 20) / unit.count + 1
    var bytes = Array(repeatElement(unit, count: count).joined())
    let place = bytes.count - sizes.suffix(last).reduce(0, +)
    for index in place..<(place + 4) { bytes[index] = 0 }
    let stream = try Plugin.named("MPEG").open(bytes)
    var extent = try #require(stream.measure(1 << 18))
    for _ in 0..<1000 where !extent.isKnown { extent = try #require(stream.measure(1 << 18)) }
    #expect(extent.isKnown && extent.next == 0)
    #expect(extent.frames == Int64((sizes.count * count - 1) * 1152), "\(extent.frames)")
  }

  /// Bytes that could start a free-format frame anywhere do not cost more reads than others.
  @Test(
    arguments: [[0xFF, 0xFB, 0x00, 0x00], [0xFF, 0xFF, 0x0C], [0x49, 0x44, 0x33, 4, 0, 0, 0x20, 0, 0, 0]]
      as [[UInt8]])
  func hostileBytesAreSearchedOnce(_ unit: [UInt8]) throws {
    let bench = try Bench()
    defer { bench.remove() }
    let piece = try Self.encoded("lame --quiet -t -V 0 in.wav out", bench)
    let noise = Array(repeatElement(unit, count: (1 << 20) / unit.count).joined())
    let bytes = Array(
      repeatElement(piece + noise, count: (17 << 20) / (piece.count + noise.count) + 1).joined())
    let stream = try Plugin.named("MPEG").open(bytes)
    let reads = stream.file.reads
    var steps = 0
    while steps < 1000, let extent = stream.measure(1 << 18), !extent.isKnown { steps += 1 }
    let used = stream.file.reads - reads
    #expect(steps < 1000 && used < 8000, "\(steps) steps, \(used) reads")
  }

  /// Otherwise headers are counted in pieces, which does not affect decoding in the meantime.
  @Test(arguments: [
    ("lame --quiet -t -V 0 in.wav out", "MPEG", 1152),
    ("ffmpeg -v error -i in.wav -c:a mp2 -b:a 384k -f mp2 out", "MPEG", 1152),
    ("ffmpeg -v error -i in.wav -c:a aac -aac_pns 0 -b:a 320k -f adts out", "AAC", 1024),
  ]) func longFilesAreMeasuredPieceByPiece(_ command: String, _ codec: String, _ samples: Int) throws {
    let bench = try Bench()
    defer { bench.remove() }
    let piece = try Self.encoded(command, bench, seconds: 10)
    let count = (17 << 20) / piece.count + 1
    // With a foreign byte between the pieces, no constant bit rate is assumed.
    let bytes = Array(repeatElement(piece + [0], count: count).joined())
    let short = try Plugin.named(codec).open(piece)
    let whole = try #require(short.measure(1 << 30))
    #expect(whole.isKnown && whole.frames % Int64(samples) == 0)
    let stream = try Plugin.named(codec).open(bytes)
    let quiet = try Plugin.named(codec).open(bytes)
    var steps = 0
    while steps < 1000, let extent = stream.measure(1 << 18), !extent.isKnown {
      steps += 1
      let (decoded, alone) = (try stream.decode(3000), try quiet.decode(3000))
      #expect(decoded == alone, "step \(steps)")
    }
    let extent = try #require(stream.measure(0))
    #expect(extent.isKnown && extent.next == 0 && (20...200).contains(steps), "\(steps)")
    #expect(abs(extent.frames - whole.frames * Int64(count)) <= Int64(samples * count), "\(extent.frames)")
  }

  /// FLAC encoded from a pipe states no length.
  @Test func flacOfUnknownLengthIsMeasuredByItsLastFrame() throws {
    let bench = try Bench()
    defer { bench.remove() }
    let bytes = try Self.encoded(
      "tail -c +45 in.wav | flac -s -c --endian=little --sign=signed --channels=2 --bps=16 --sample-rate=48000 - > out",
      bench,
      seconds: 7.123)
    let stream = try Plugin.named("FLAC").open(bytes)
    #expect(stream.totalFrames == nil)
    let reads = stream.file.reads
    let extent = try #require(stream.measure(1 << 18))
    #expect(extent.isKnown && extent.next == 0 && extent.frames == 341_904, "\(extent)")
    #expect(stream.file.reads - reads < 20)
    #expect(try stream.decodeAll().count == 2 * 341_904)
  }

  /// The size in bytes of each frame.
  static func frames(_ bytes: [UInt8]) -> [Int] {
    var sizes: [Int] = []
    var place = 0
    while place + 4 <= bytes.count, bytes[place] == 0xFF {
      let rate = [44100, 48000, 32000][Int(bytes[place + 2] >> 2 & 3)]
      let kilobits = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320][
        Int(bytes[place + 2] >> 4)]
      sizes.append(144 * kilobits * 1000 / rate + Int(bytes[place + 2] >> 1 & 1))
      place += sizes[sizes.count - 1]
    }
    return sizes
  }
}
