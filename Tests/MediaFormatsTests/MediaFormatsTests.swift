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
        == .header(MP4BoxHeader(kind: MP4Box.kind("free"), headerSize: header, size: expected)))
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
}
