// Single-stream Opus files with a channel mapping table (RFC 7845, 5.1.1). Test threads.

import Testing

@Suite struct OpusMappingTests {
  /// The fixture with a header of mapping family 1 and an output gain in units of 1/256 dB.
  static func mapped(_ left: UInt8, _ right: UInt8, gain: Int16 = 0) -> [UInt8] {
    let file = Fixtures.named("music-48k.opus").bytes
    // The first page holds only the header: 27 bytes, a segment table of one entry, and 19 bytes of OpusHead.
    let head = Array(file[28..<44]) + .little(gain) + [1, 1, 1, left, right]
    var page = Array(file[..<26]) + [1, UInt8(head.count)] + head
    page.replaceSubrange(22..<26, with: [0, 0, 0, 0])
    page.replaceSubrange(22..<26, with: [UInt8].little(checksum(page)))
    return page + file[47...]
  }

  /// The page checksum of Ogg (RFC 3533, 6).
  static func checksum(_ page: [UInt8]) -> UInt32 {
    page.reduce(into: UInt32(0)) { sum, byte in
      sum ^= UInt32(byte) << 24
      for _ in 0..<8 { sum = sum & 0x8000_0000 != 0 ? sum << 1 ^ 0x04C1_1DB7 : sum << 1 }
    }
  }

  struct Mapping: CustomTestStringConvertible {
    let left: UInt8
    let right: UInt8
    /// The fixture's channel that each output channel plays; nil for silence.
    let heard: [Int?]

    var testDescription: String { "\(left), \(right)" }
  }

  @Test(arguments: [
    Mapping(left: 0, right: 1, heard: [0, 1]), Mapping(left: 1, right: 0, heard: [1, 0]),
    Mapping(left: 1, right: 1, heard: [1, 1]), Mapping(left: 0, right: 255, heard: [0, nil]),
  ])
  func channelsGoWhereTheHeaderSays(_ mapping: Mapping) throws {
    let original = try Plugin.named("Opus").open(Fixtures.named("music-48k.opus").bytes).decodeAll()
    let samples = try Plugin.named("Opus").open(Self.mapped(mapping.left, mapping.right)).decodeAll()
    try #require(samples.count == original.count)
    let expected = original.indices.map { place in
      mapping.heard[place % 2].map { original[place - place % 2 + $0] } ?? 0
    }
    let isSame = samples == expected
    #expect(isSame)
  }

  @Test func theHeadersGainIsApplied() throws {
    let original = try Plugin.named("Opus").open(Self.mapped(0, 1)).decodeAll()
    let stream = try Plugin.named("Opus").open(Self.mapped(0, 1, gain: -1541))
    // −6.02 dB: libopus rounds the gain to a nearby value.
    let samples = try stream.decodeAll()
    #expect(zip(samples, original).allSatisfy { abs($0 - $1 / 2) < 0.001 })
    try stream.seek(to: 50_000)
    #expect(zip(try stream.decode(500), original[100_000...]).allSatisfy { abs($0 - $1 / 2) < 0.001 })
  }
}
