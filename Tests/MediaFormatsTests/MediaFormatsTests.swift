// Parsers of containers and tags: limits, truncated and damaged input. Test threads.

import Foundation
import Testing

@testable import MediaFormats

@Suite struct MediaFormatsTests {
  /// The start inputs of the fuzzer: one file of each format.
  static let files: [URL] = {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("Fuzz/Corpus/formats")
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return names.sorted().map { folder.appendingPathComponent($0) }
  }()

  @Test func everyFormatHasAFile() { #expect(Self.files.count >= 12) }

  /// Each file cut at every byte, and with each of its first bytes replaced, is parsed to an end.
  @Test(arguments: files) func damagedFilesAreParsed(file: URL) throws {
    let bytes = Array(try Data(contentsOf: file).prefix(4096))
    for end in bytes.indices { MediaFormatsFuzzing.parse(Array(bytes[..<end])) }
    for index in bytes.indices.prefix(600) {
      for value in [0, 1, 0x7F, 0x80, 0xFF] as [UInt8] {
        var damaged = bytes
        damaged[index] = value
        MediaFormatsFuzzing.parse(damaged)
      }
    }
  }

  private func page(_ packets: [UInt8], flags: UInt8 = 0, serial: UInt8 = 1, body: Int) -> [UInt8] {
    Array("OggS".utf8) + [0, flags] + [UInt8](repeating: 0, count: 8) + [serial, 0, 0, 0]
      + [UInt8](repeating: 0, count: 8) + [UInt8(packets.count)] + packets
      + [UInt8](repeating: serial, count: body)
  }

  @Test func packetsOfTheFirstStreamAreJoinedOverPages() {
    let bytes =
      page([255, 255], flags: 2, body: 510) + page([9], flags: 2, serial: 2, body: 9)
      + page([10, 0, 20], flags: 1, body: 30) + page([5], body: 3)
    var packets = OggPackets(in: MemorySource(bytes))
    #expect(packets.next(atMost: 520) == .packet([UInt8](repeating: 1, count: 520)))
    #expect(packets.next(atMost: 520) == .packet([]))
    #expect(packets.next(atMost: 520) == .packet([UInt8](repeating: 1, count: 20)))
    #expect(packets.next(atMost: 520) == .end, "the last packet is cut")
    var short = OggPackets(in: MemorySource(bytes))
    #expect(short.next(atMost: 519) == .tooLong)
  }

  @Test func partialPagesAreRecognised() throws {
    let bytes = page([3, 4], flags: 2, body: 7)
    let whole = try #require(OggPage(bytes))
    #expect(whole.isFirst && !whole.isContinued && whole.serial == 1 && whole.size == Int64(bytes.count))
    for end in 0..<whole.headerSize {
      #expect(OggPage(bytes[..<end]) == nil && OggPage.isPartial(bytes[..<end]), "\(end) bytes")
    }
    #expect(
      !OggPage.isPartial(Array("OggX".utf8)) && !OggPage.isPartial([UInt8](repeating: 0x4F, count: 300)))
  }

  @Test(
    arguments: [
      ([0, 0, 0, 8], 8, 8), ([0, 0, 0, 0], 8, nil), ([0, 0, 0, 20], 8, 20),
      ([0xFF, 0xFF, 0xFF, 0xFF], 8, 0xFFFF_FFFF),
      ([0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0], 16, 1 << 32),
    ] as [([UInt8], Int64, Int64?)])
  func sizesOfBoxesAreRead(size: [UInt8], header: Int64, expected: Int64?) {
    let bytes = size.prefix(4) + Array("free".utf8) + size.dropFirst(4)
    #expect(
      MP4BoxHeader.read(bytes[...])
        == .header(MP4BoxHeader(kind: UInt32(characters: "free"), headerSize: header, size: expected)))
    for end in 0..<bytes.count { #expect(MP4BoxHeader.read(bytes[..<end]) == .incomplete) }
  }

  @Test(
    arguments: [
      [0, 0, 0, 7], [0, 0, 0, 2], [0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 15],
      [0, 0, 0, 1, 0x40, 0, 0, 0, 0, 0, 0, 0],
    ] as [[UInt8]])
  func impossibleSizesOfBoxesAreDamage(size: [UInt8]) {
    #expect(MP4BoxHeader.read((size.prefix(4) + Array("free".utf8) + size.dropFirst(4))[...]) == .damaged)
  }

  /// More frames, items and boxes than the limits end the iteration.
  @Test func iterationIsBounded() throws {
    let frame: [UInt8] = Array("TIT2".utf8) + [0, 0, 0, 1, 0, 0, 0]
    let frames = [[UInt8]](repeating: frame, count: 10_000).flatMap { $0 }
    let size = [21, 14, 7, 0].map { UInt8(frames.count >> $0 & 0x7F) }
    let tag: [UInt8] = Array("ID3".utf8) + [3, 0, 0] + size + frames
    var read = ID3Frames(try #require(ID3Header(tag)), at: 0, in: MemorySource(tag))
    var count = 0
    while read.next() != nil { count += 1 }
    #expect(count == 4096)
    let box: [UInt8] = [0, 0, 0, 8] + Array("free".utf8)
    let boxes = [[UInt8]](repeating: box, count: 20_000).flatMap { $0 }
    var walk = MP4Boxes(in: MemorySource(boxes), from: 0, to: Int64(boxes.count))
    for _ in 0..<MP4Boxes<MemorySource>.maxBoxes {
      guard case .box = walk.next() else { break }
    }
    #expect(walk.next() == .tooMany(before: Int64(8 * MP4Boxes<MemorySource>.maxBoxes)))
  }

  private func big(_ number: Int) -> [UInt8] { (0..<4).map { UInt8(number >> (24 - 8 * $0) & 0xFF) } }

  private func box(_ kind: String, _ content: [[UInt8]]) -> [UInt8] {
    let bytes = content.flatMap { $0 }
    return big(bytes.count + 8) + Array(kind.utf8) + bytes
  }

  /// Track 1 of a movie, with a default packet size in bytes.
  private func track(size: Int = 0) -> MP4FragmentedTrack {
    let header = big(0) + big(0) + big(0) + big(1)
    let extends = box("trex", [big(0), big(1), big(1), big(1024), big(size), big(0)])
    return MP4FragmentedTrack(header: header[...], extends: extends[...])
  }

  /// The data of a second track follows that of the first, unless its flags say that offsets count from the box.
  @Test(arguments: [(0x10, 0, 3100), (0x10, 0x020000, 0), (0, 0, 0)])
  func laterTracksBeginWhereTheOneBeforeEnds(first: Int, second: Int, offset: Int64) throws {
    let video = box(
      "traf",
      [
        box("tfhd", [big(first), big(2)] + (first == 0x10 ? [big(1000)] : [])),
        box("trun", [big(1), big(3), big(100)]),
      ])
    let audio = box(
      "traf", [box("tfhd", [big(second), big(1)]), box("trun", [big(0x200), big(2), big(10), big(20)])])
    let fragment = try MP4Fragment((video + audio)[...], at: 0, of: track(), atMost: 100)
    #expect(fragment.packets.map { $0.offset } == [offset, offset + 10])
    #expect(fragment.packets.map { $0.size } == [10, 20])
  }

  /// Packets without a byte count, too.
  @Test func emptyPacketsAreBounded() {
    let run = box("trun", [big(0), big(60)])
    let fragment = box("traf", [box("tfhd", [big(0), big(1)]), run, run])
    #expect(throws: MP4Fragment.Damage.tooMany) {
      try MP4Fragment(fragment[...], at: 0, of: track(), atMost: 100)
    }
  }

  /// A zero byte within a frame's text is no padding.
  @Test func plainSizesAreToldFromZeroBytesInTexts() throws {
    func frame(_ name: String, _ content: [UInt8]) -> [UInt8] {
      Array(name.utf8) + big(content.count) + [0, 0] + content
    }
    // 0x0800 is 1024 as a synchsafe number. There, the text has the high byte of a character of UTF-16.
    let text: [UInt8] = [1] + Array("eng".utf8) + [0xFE, 0xFF] + (0..<2042).map { $0 % 2 == 0 ? 0 : 0x61 }
    let frames = frame("COMM", text) + frame("TIT2", [3, 0x61]) + [UInt8](repeating: 0, count: 20)
    let size = [21, 14, 7, 0].map { UInt8(frames.count >> $0 & 0x7F) }
    let tag: [UInt8] = Array("ID3".utf8) + [4, 0, 0] + size + frames
    var read = ID3Frames(try #require(ID3Header(tag)), at: 0, in: MemorySource(tag))
    #expect(read.next()?.id == UInt32(characters: "COMM"))
    #expect(read.next()?.id == UInt32(characters: "TIT2"))
  }

  /// ADTS has twelve rates; MP4 has one more.
  @Test(arguments: 0..<13) func headersOfEachRateAreReadAsWritten(rate: UInt8) {
    let encoder = ADTSEncoder(configuration: [2 << 3 | rate >> 1, rate << 7 | 2 << 3])
    #expect((encoder == nil) == (rate == 12))
    guard let header = encoder?.header(frame: 100) else { return }
    #expect(header.withUnsafeBufferPointer { ADTSHeader($0, at: 0)?.rateIndex } == Int(rate))
  }
}
