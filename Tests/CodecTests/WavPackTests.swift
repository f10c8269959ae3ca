// WavPack returns each sample exactly; lossy and damaged files are reported as such. Test threads.

import Foundation
import Testing

@Suite struct WavPackTests {
  private func encode(
    _ bench: Bench, _ music: Music, _ storage: Storage, _ options: [String] = []
  ) throws -> (file: [UInt8], expected: [Float]) {
    let (data, expected) = storage.encode(music, bigEndian: false, unsigned8: true)
    try bench.write(WAVFile(music, storage, data: data, extensible: music.channels > 2).bytes, "in.wav")
    try bench.run("wavpack", ["-q", "-y"] + options + ["in.wav", "-o", "out.wv"])
    return (try bench.read("out.wv"), expected)
  }

  @Test(arguments: [Storage.int8, .int16, .int24, .int32, .float32], ExactTests.shapes)
  func isExact(_ storage: Storage, _ music: Music) throws {
    let bench = try Bench()
    defer { bench.remove() }
    let (file, expected) = try encode(bench, music, storage)
    let stream = try Plugin.named("WavPack").open(file)
    #expect(stream.info.rate == 44100)
    #expect(stream.channels == music.channels)
    #expect(stream.info.bits == UInt32(storage.bits))
    #expect(stream.info.is_float == (storage.isFloat ? 1 : 0))
    #expect(stream.totalFrames == Int64(music.frames))
    #expect(try stream.decodeAll() == expected)
    #expect(try stream.decode(10).isEmpty)
    for target in [8999, 17, 4500] {
      try stream.seek(to: Int64(target))
      #expect(try stream.decodeAll().elementsEqual(expected[(target * music.channels)...]))
    }
  }

  /// The correction file is a separate file, which a sandboxed decoder cannot open.
  @Test func aHybridFilePlaysWithoutItsCorrection() throws {
    let bench = try Bench()
    defer { bench.remove() }
    let (file, exact) = try encode(bench, ExactTests.shapes[1], .int16, ["-b3", "-c"])
    try bench.run("wvunpack", "-q", "-i", "-r", "out.wv", "-o", "lossy.raw")
    let stream = try Plugin.named("WavPack").open(file)
    #expect(stream.format.contains("without its correction file"))
    let samples = try stream.decodeAll()
    #expect(samples == (try bench.read("lossy.raw").int16Samples))
    #expect(samples != exact)
    let correction = try bench.read("out.wvc")
    let error = #expect(throws: PluginError.self) { try Plugin.named("WavPack").open(correction) }
    #expect(error?.sentence.contains("correction file") == true, "\(String(describing: error))")
  }

  /// The length that a stream's header lacks is found in the file's last block.
  @Test func aFileWithoutALengthFindsIt() throws {
    let bench = try Bench()
    defer { bench.remove() }
    let (_, expected) = try encode(bench, ExactTests.shapes[1], .int16)
    try bench.run("sh", "-c", "wavpack -q -y -i - -o - <in.wav >piped.wv")
    let stream = try Plugin.named("WavPack").open(bench.read("piped.wv"))
    #expect(stream.totalFrames == Int64(ExactTests.shapes[1].frames))
    #expect(try stream.decodeAll() == expected)
  }

  @Test func damageKeepsTime() throws {
    let fixture = Fixtures.named("music.wv")
    var bytes = fixture.bytes
    for index in (bytes.count / 2)..<(bytes.count / 2 + 50) { bytes[index] ^= 0x55 }
    let samples = try Plugin.named("WavPack").open(bytes).decodeAll()
    #expect(samples.count == fixture.reference.count)
    #expect(samples.suffix(20000).elementsEqual(fixture.reference.suffix(20000)))
    #expect(samples.prefix(20000).elementsEqual(fixture.reference.prefix(20000)))
    #expect(samples != fixture.reference)
  }

  @Test func nothingButNoiseIsCorruptAndSaysWhere() {
    var bytes = Fixtures.named("music.wv").bytes
    var random = Random(3)
    for index in 32..<bytes.count { bytes[index] = UInt8.random(in: 0...255, using: &random) }
    let error = #expect(throws: PluginError.self) { try Plugin.named("WavPack").open(bytes).decodeAll() }
    #expect(error?.status == -2)
    #expect(error?.sentence.contains("byte") == true)
  }
}
