// Vorbis, Opus and MP3 have the frames of the original and the samples of the reference decoders. Test
// threads.

import Testing

@Suite struct LossyTests {
  @Test(arguments: Fixtures.all)
  func decodesAsTheReferenceDoes(_ fixture: Fixture) throws {
    let stream = try Plugin.named(fixture.codec).open(fixture.bytes)
    #expect(Int(stream.info.rate) == fixture.rate)
    #expect(stream.channels == fixture.channels)
    #expect(stream.totalFrames == Int64(fixture.frames))
    let samples = try stream.decodeAll()
    #expect(samples.count == fixture.frames * fixture.channels)
    #expect(fixture.reference.count == samples.count)
    let worst = zip(samples, fixture.reference).reduce(Float(0)) { max($0, abs($1.0 - $1.1)) }
    #expect(worst <= fixture.tolerance)
    #expect(try stream.decode(100).isEmpty, "the end stays the end")
  }

  /// The size of the requested portions does not affect the samples.
  @Test(arguments: Fixtures.all)
  func portionsDoNotMatter(_ fixture: Fixture) throws {
    let plugin = Plugin.named(fixture.codec)
    let whole = try plugin.open(fixture.bytes).decodeAll(portions: [65536])
    #expect(try plugin.open(fixture.bytes).decodeAll(portions: [1, 2, 3, 1151, 4609]) == whole)
  }

  @Test(arguments: Fixtures.all)
  func seekIsExact(_ fixture: Fixture) throws {
    let stream = try Plugin.named(fixture.codec).open(fixture.bytes)
    #expect(stream.info.can_seek == 1)
    let linear = try stream.decodeAll()
    let channels = fixture.channels
    let seed: UInt64 = 0xD1CE
    var random = Random(seed)
    var targets = (0..<20).map { _ in Int.random(in: 0..<fixture.frames, using: &random) }
    targets += [0, 1, fixture.frames - 1, fixture.frames]
    for target in targets {
      try stream.seek(to: Int64(target))
      let portion = try stream.decode(3000)
      let expected = linear[(target * channels)..<min((target + 3000) * channels, linear.count)]
      // A portion may be short, but not empty before the end.
      #expect(portion.isEmpty == expected.isEmpty, "seek to \(target), seed \(seed)")
      let worst = zip(portion, expected).reduce(Float(0)) { max($0, abs($1.0 - $1.1)) }
      #expect(worst <= fixture.seekTolerance, "seek to \(target), seed \(seed)")
    }
    try stream.seek(to: 0)
    #expect(try stream.decodeAll() == linear)
  }
}
