// The session of a client with a Snapcast server, well-behaved or hostile, without a network. Test threads.

import PlaybackModel
import Testing

@testable import SnapcastClient

@Suite struct SnapcastSessionTests {
  private static let start: UInt64 = 5_000_000_000
  private static let ahead: Int64 = 77_000_000_000
  private static let settings = #"{"bufferMs":1000,"latency":0,"muted":false,"volume":100}"#

  private func session() -> SnapcastSession {
    SnapcastSession(SnapcastIdentity(host: "box", id: "swiftlet-1"), SnapcastCodecs(), at: Self.start)
  }

  /// A session that has synchronized with its server's clock.
  private func knowing() throws -> SnapcastSession {
    var session = session()
    for _ in 0..<10 { try session.take(ServerBytes.time(at: Self.start, ahead: Self.ahead), at: Self.start) }
    return session
  }

  /// The decoded blocks with their samples.
  private func blocks(_ session: inout SnapcastSession) -> [(head: TimedBlock, samples: [Float])] {
    let bytes = session.takeSound()
    var found: [(TimedBlock, [Float])] = []
    bytes.withUnsafeBytes { bytes in
      var place = 0
      while place < bytes.count, let head = TimedBlock(UnsafeRawBufferPointer(rebasing: bytes[place...])) {
        place += TimedBlock.headBytes
        found.append(
          (
            head,
            (0..<2 * head.count).map {
              bytes.loadUnaligned(fromByteOffset: place + 4 * $0, as: Float.self)
            }
          ))
        place += head.bodyBytes
      }
      #expect(place == bytes.count)
    }
    return found
  }

  private func sentence(_ bytes: [UInt8]) throws -> String? {
    var session = try knowing()
    do throws(SnapcastFailure) {
      try session.take(bytes, at: Self.start)
      return nil
    } catch {
      return error.sentence
    }
  }

  @Test func itSaysHelloAndAsksForTheTime() throws {
    var session = session()
    let hello = session.takeOutgoing()
    #expect(hello[0] == 5 && hello.count == 26 + Int(hello[...].word32(22)))
    let text = String(decoding: hello[30...], as: UTF8.self)
    #expect(
      text.hasPrefix("{") && text.contains(#""ID":"swiftlet-1""#) && text.contains(#""HostName":"box""#))
    var (now, asked) = (Self.start, [UInt64]())
    while now < Self.start + 11_000_000_000 {
      now = max(now + 1, session.deadline)
      try session.take([], at: now)
      try session.pass(now)
      if session.takeOutgoing().first == 4 { asked.append(now) }
    }
    #expect(asked.count >= 58 && asked[49] - asked[0] < 1_100_000_000)
  }

  @Test func aServerThatSaysNothingIsGivenUp() throws {
    var session = session()
    #expect(throws: SnapcastFailure("its server does not answer any more")) {
      try session.pass(Self.start + 10_000_000_000)
    }
  }

  /// In pieces of any length; the volume is handled like in snapclient.
  @Test(arguments: [1, 3, 26, 27, 100_000]) func piecesAreHeardWhenTheServerSays(size: Int) throws {
    var session = try knowing()
    let time = Int64(Self.start) + Self.ahead
    let payload: [UInt8] = [0x00, 0x40, 0x00, 0xC0, 0xFF, 0x7F, 0x00, 0x80]
    let bytes =
      ServerBytes.settings(
        #"{"bufferMs":800,"latency":30,"muted":false,"volume":100,"more":{"a":[1,"x\"}",null]}}"#)
      + ServerBytes.pcm(48_000, 16, 2) + ServerBytes.message(99, [1, 2, 3])
      + ServerBytes.chunk(at: time, payload)
    for first in stride(from: 0, to: bytes.count, by: size) {
      try session.take(bytes[first..<min(first + size, bytes.count)], at: Self.start)
    }
    let found = blocks(&session)
    #expect(found.count == 1)
    #expect(found[0].head.due == Self.start + 770_000_000 && found[0].head.rate == 48_000)
    #expect(found[0].samples == [0.5, -0.5, 32_767 / 32_768, -1])
  }

  @Test(
    arguments: [(100, false, 0.5), (0, false, 0.0), (100, true, 0.0), (50, false, 0.120_126)]
      as [(Int, Bool, Float)])
  func volumeIsAsSnapclientHasIt(volume: Int, isMuted: Bool, heard: Float) throws {
    var session = try knowing()
    try session.take(
      ServerBytes.settings("{\"volume\":\(volume),\"muted\":\(isMuted)}") + ServerBytes.pcm(44_100, 16, 1)
        + ServerBytes.chunk(at: Int64(Self.start) + Self.ahead, [0x00, 0x40]), at: Self.start)
    let samples = blocks(&session).flatMap { $0.samples }
    #expect(samples.count == 2 && samples.allSatisfy { abs($0 - heard) < 1e-5 }, "\(samples)")
  }

  @Test(arguments: [(24, [0, 0, 0x40, 0]), (32, [0, 0, 0, 0x40])] as [(UInt16, [UInt8])])
  func wideSamplesComeInFourBytes(bits: UInt16, sample: [UInt8]) throws {
    var session = try knowing()
    try session.take(
      ServerBytes.pcm(96_000, bits, 1)
        + ServerBytes.chunk(at: Int64(Self.start) + Self.ahead, sample + sample),
      at: Self.start)
    #expect(blocks(&session).flatMap { $0.samples } == [0.5, 0.5, 0.5, 0.5])
  }

  @Test func aLongPieceComesInBlocksOneBehindTheOther() throws {
    var session = try knowing()
    try session.take(
      ServerBytes.pcm(48_000, 16, 2)
        + ServerBytes.chunk(at: Int64(Self.start) + Self.ahead, [UInt8](repeating: 1, count: 4 * 20_000)),
      at: Self.start)
    let heads = blocks(&session).map { $0.head }
    #expect(heads.map { $0.count } == [8192, 8192, 3616])
    #expect(heads[1].due - heads[0].due == 170_666_666)
  }

  /// Audio received before the clock is known, too early or too late is dropped, because it would play at a
  /// wrong time.
  @Test(arguments: [-3_500_000_000, 40_000_000_000, 1_900_000_000_000_000_000] as [Int64])
  func whatCannotBeHeardInTimeIsLeftOut(offset: Int64) throws {
    var session = try knowing()
    try session.take(
      ServerBytes.settings(Self.settings) + ServerBytes.pcm(48_000, 16, 2)
        + ServerBytes.chunk(at: Int64(Self.start) + Self.ahead &+ offset, [1, 1, 1, 1]), at: Self.start)
    #expect(session.takeSound().isEmpty)
  }

  @Test func soundThatComesBeforeTheTimeIsKnownIsLeftOut() throws {
    var session = session()
    try session.take(
      ServerBytes.pcm(48_000, 16, 2) + ServerBytes.chunk(at: Int64(Self.start) + Self.ahead, [1, 1, 1, 1]),
      at: Self.start)
    #expect(session.takeSound().isEmpty)
  }

  private static let hostile: [([UInt8], String)] = [
    (ServerBytes.message(2, size: 1 << 30, []), "(type 2) of 1073741824 bytes"),
    (ServerBytes.message(3, size: 70_000, []), "(type 3) of 70000 bytes"),
    (ServerBytes.message(1, size: 70_000, []), "(type 1) of 70000 bytes"),
    (ServerBytes.message(77, size: 1 << 21, []), "(type 77)"),
    (ServerBytes.message(3, [1]), "its length is wrong"),
    (ServerBytes.message(3, [9, 0, 0, 0, 0x7B, 0x7D]), "its length is wrong"),
    (ServerBytes.settings(""), "no JSON object"), (ServerBytes.settings("[]"), "no JSON object"),
    (ServerBytes.settings("{\"volume\":1"), "no JSON object"),
    (ServerBytes.settings("{\"volume\":}"), "no JSON object"),
    (ServerBytes.settings("{} {}"), "no JSON object"),
    (ServerBytes.settings(String(repeating: "{\"a\":", count: 3000)), "no JSON object"),
    (ServerBytes.settings("{\"bufferMs\":99999999}"), "bufferMs is 99999999"),
    (ServerBytes.settings("{\"latency\":-20000}"), "latency is -20000"),
    (ServerBytes.message(4, [1, 2, 3]), "a Time without a time"),
    (ServerBytes.chunk(at: 0, [1, 2, 3, 4]), "before its Codec Header"),
    (ServerBytes.codec("ogg", [1]), "the codec 'ogg'"), (ServerBytes.codec("pcm", [1]), "Codec Header"),
    (ServerBytes.codec("opus", [1]), "Codec Header"),
    (ServerBytes.codec("opus", [UInt8](repeating: 0, count: 12)), "Codec Header"),
    (ServerBytes.codec("flac", [1, 2, 3]), "FLAC without a valid head"),
    (ServerBytes.codec("flac", []), "FLAC without a valid head"),
    (ServerBytes.codec(String(repeating: "x", count: 100), []), "Codec Header"),
    (ServerBytes.message(1, []), "Codec Header"), (ServerBytes.message(1, [200, 0, 0, 0]), "Codec Header"),
    (ServerBytes.pcm(48_000, 8, 2), "48000:8:2"), (ServerBytes.pcm(1, 16, 2), "1:16:2"),
    (ServerBytes.pcm(48_000, 16, 9), "48000:16:9"),
    (ServerBytes.pcm(48_000, 16, 2) + ServerBytes.message(2, [1, 2]), "a Wire Chunk"),
    (
      ServerBytes.pcm(48_000, 16, 2) + ServerBytes.message(2, [UInt8](repeating: 9, count: 16)),
      "a Wire Chunk"
    ),
  ]

  @Test(arguments: hostile)
  func aHostileServerIsGivenUpWithASentence(bytes: [UInt8], part: String) throws {
    let found = try sentence(bytes)
    #expect(found?.contains(part) == true, "\(found ?? "nothing")")
    // The result does not depend on how the bytes are split.
    var session = try knowing()
    #expect(throws: SnapcastFailure.self) {
      for byte in bytes { try session.take(CollectionOfOne(byte), at: Self.start) }
    }
  }

  @Test func damageWithinASoundIsNoEnd() throws {
    var session = try knowing()
    var opus: [UInt8] = []
    opus.append(littleEndian: 0x4F50_5553, bytes: 4)
    opus.append(littleEndian: 48_000, bytes: 4)
    for word in [UInt16(16), 2] { opus.append(littleEndian: UInt64(word), bytes: 2) }
    try session.take(ServerBytes.codec("opus", opus), at: Self.start)
    for seed in UInt8(0)..<40 {
      let bytes = (0..<200).map { UInt8(truncatingIfNeeded: $0 * 31 + Int(seed) * 17) }
      try session.take(ServerBytes.chunk(at: Int64(Self.start) + Self.ahead, bytes), at: Self.start)
    }
    for block in blocks(&session) { #expect(block.samples.allSatisfy { $0.isFinite }) }
  }

  /// Random byte changes, like the fuzzer's.
  @Test func noiseIsNeverATrap() {
    var opus: [UInt8] = []
    for word in [UInt32(0x4F50_5553), 48_000] { opus.append(littleEndian: UInt64(word), bytes: 4) }
    for word in [UInt16(16), 2] { opus.append(littleEndian: UInt64(word), bytes: 2) }
    let flac =
      Array("fLaC".utf8) + [0x80, 0, 0, 34, 4, 0x80, 4, 0x80] + [0, 0, 0, 0, 0, 0]
      + [0x0B, 0xB8, 0x02, 0xF0, 0, 0, 0, 0] + [UInt8](repeating: 0, count: 16)
    let chunk = ServerBytes.chunk(at: 60_000_000_000, (0..<200).map { UInt8($0) })
    let seeds = [
      ServerBytes.pcm(48_000, 16, 2), ServerBytes.codec("opus", opus), ServerBytes.codec("flac", flac),
    ].map {
      ServerBytes.settings(Self.settings) + $0 + chunk + ServerBytes.time(at: 60_000_000_000, ahead: 0)
        + chunk
    }
    var random = ShuffleGenerator(seed: 3)
    for round in 0..<3000 {
      var bytes = seeds[round % seeds.count]
      for _ in 0..<Int.random(in: 0...6, using: &random) {
        bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      SnapcastFuzzing.server(bytes)
    }
  }
}
