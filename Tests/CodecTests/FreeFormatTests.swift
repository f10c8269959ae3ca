// MPEG audio in free format, whose headers do not state the frame size, plays as in mpg123. Test threads.

import Foundation
import Testing

@Suite struct FreeFormatTests {
  /// A file in free format and its samples decoded by mpg123.
  static func make(_ kind: String, _ bench: Bench) throws -> (bytes: [UInt8], reference: [Float]) {
    let rate = kind.hasPrefix("layer II") && kind != "layer III" ? 24000 : 44100
    let music = Music(rate: rate, channels: 2, frames: 3 * rate)
    let (data, _) = Storage.int16.encode(music, bigEndian: false, unsigned8: true)
    try bench.write(WAVFile(music, .int16, data: data).bytes, "in.wav")
    switch kind {
    case "layer II":
      // Debian has no encoder for these, so the bit rate index is cleared in all headers. At this rate it
      // has no other effect.
      try bench.run("ffmpeg", "-v", "error", "-i", "in.wav", "-c:a", "mp2", "-b:a", "128k", "out.mp2")
      var bytes = try bench.read("out.mp2")
      let size = 144 * 128_000 / 24000
      for place in stride(from: 0, to: bytes.count, by: size) { bytes[place + 2] &= 0x0F }
      try bench.write(bytes, "out.mp3")
    default:
      try bench.run("lame", "--quiet", "--freeformat", "-b", kind, "in.wav", "out.mp3")
    }
    try bench.run("sh", "-c", "mpg123 -q -e f32 -s out.mp3 > out.raw")
    return (try bench.read("out.mp3"), try bench.read("out.raw").floatSamples)
  }

  @Test(arguments: ["64", "128", "317", "640", "layer II"], [false, true])
  func freeFormatPlays(_ kind: String, isStream: Bool) throws {
    let bench = try Bench()
    defer { bench.remove() }
    let (bytes, reference) = try Self.make(kind, bench)
    try #require(reference.count > 100_000)
    let plugin = Plugin.named("MPEG")
    #expect(plugin.probe(bytes.prefix(4096)) >= 50)
    #expect(Plugin.all.allSatisfy { $0.name == "MPEG" || $0.probe(bytes.prefix(4096)) < 50 })
    let stream = try plugin.open(bytes, isStream: isStream)
    let samples = try stream.decodeAll()
    if isStream {
      #expect(samples.count >= reference.count)
      return
    }
    #expect(stream.totalFrames == Int64(reference.count / 2))
    let off = zip(samples, reference).map { abs($0 - $1) }.max() ?? 9
    #expect(samples.count == reference.count && off < 1e-6, "\(samples.count) of \(reference.count), \(off)")
    try stream.seek(to: 50_000)
    let part = try stream.decode(1000)
    let behind = zip(part, reference.dropFirst(100_000)).map { abs($0 - $1) }.max() ?? 9
    #expect(behind < 1e-5)
  }

  /// libmpg123 would decode it with the wrong table.
  @Test func layerTwoInFreeFormatIsRefusedWhereItWouldBeNoise() throws {
    let bench = try Bench()
    defer { bench.remove() }
    let (bytes, _) = try Self.make("layer II", bench)
    var other = bytes
    // MPEG-1 at 32 kHz.
    for place in stride(from: 0, to: other.count, by: 144 * 128_000 / 24000) {
      other[place + 1] |= 8
      other[place + 2] = other[place + 2] & 0xF3 | 8
    }
    #expect {
      try Plugin.named("MPEG").open(other)
    } throws: {
      ($0 as? PluginError)?.sentence.contains("48000 Hz only") == true
    }
  }

  /// Damage in free format has the same effect as in other streams.
  @Test(arguments: ["128", "layer II"]) func freeFormatIsFollowedBehindDamage(_ kind: String) throws {
    let bench = try Bench()
    defer { bench.remove() }
    let (bytes, reference) = try Self.make(kind, bench)
    var damaged = bytes
    for index in (bytes.count / 2)..<(bytes.count / 2 + 30) { damaged[index] = 0 }
    let samples = try Plugin.named("MPEG").open(damaged).decodeAll()
    #expect(abs(samples.count - reference.count) <= 4 * 1152)
    let tail = zip(samples.suffix(60_000), reference.suffix(60_000)).map { abs($0 - $1) }.max() ?? 9
    #expect(tail < 1e-5)
  }
}
