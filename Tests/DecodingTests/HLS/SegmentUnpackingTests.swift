// Unpacking of segments: the same frames for each container and chunk size, and an error for unsupported
// content. Test threads.

import MediaFormats
import Testing

@testable import Streaming

@Suite struct SegmentUnpackingTests {
  private static let sound = (0..<20_000).map { UInt8(truncatingIfNeeded: $0 &* 7 ^ $0 >> 5) }

  /// Unpacks segments in chunks of `size` bytes. Returns the unpacked bytes and the titles.
  private func unpack(_ segments: [[UInt8]], by size: Int = .max) throws(FetchFailure) -> ([UInt8], [String])
  {
    var unpacker = SegmentUnpacker()
    var titles: [String] = []
    for segment in segments {
      unpacker.begin(at: 0)
      var begin = 0
      while begin < segment.count {
        let end = begin + min(size, segment.count - begin)
        if let title = try unpacker.takeAll(Array(segment[begin..<end])) { titles.append(title) }
        begin = end
      }
      try unpacker.end()
    }
    return (unpacker.output, titles)
  }

  private func failure(_ segments: [[UInt8]]) -> FetchFailure? {
    do throws(FetchFailure) {
      _ = try unpack(segments)
      return nil
    } catch {
      return error
    }
  }

  private func frame(_ name: String, _ content: [UInt8]) -> [UInt8] {
    Array(name.utf8) + [0, 0, 0, UInt8(content.count), 0, 0] + content
  }

  private func tag(_ content: [UInt8]) -> [UInt8] {
    Array("ID3".utf8) + [4, 0, 0, 0, 0, UInt8(content.count >> 7), UInt8(content.count & 0x7F)] + content
  }

  @Test(arguments: [1, 9, 188, 1000, Int.max])
  func tagsAreTakenOff(size: Int) throws {
    let time = tag(
      frame("PRIV", Array("com.apple.streaming.transportStreamTimestamp\0".utf8) + [0, 0, 0, 0, 0, 0, 1, 0]))
    let named = tag(
      frame("TIT2", [3] + Array("Löwe".utf8)) + frame("TPE1", [1, 0xFF, 0xFE, 0x41, 0, 0xE9, 0]) + [0, 0])
    let (bytes, titles) = try unpack([time + named + Self.sound, time + Self.sound, Self.sound], by: size)
    #expect(bytes == Self.sound + Self.sound + Self.sound)
    #expect(titles == ["Aé - Löwe"])
  }

  /// A picture in an ID3 tag is skipped without being buffered.
  @Test func longTagsArePassedOver() throws {
    let picture: [UInt8] =
      Array("ID3".utf8) + [4, 0, 0, 0, 12, 0, 0] + Array(repeating: 0xFF, count: 12 << 14)
    let (bytes, titles) = try unpack([picture + Self.sound], by: 1000)
    #expect(bytes == Self.sound && titles.isEmpty)
  }

  @Test(arguments: [1, 100, 188, 1000, Int.max], [0x0F, 0x03] as [UInt8])
  func transportStreamsAreTakenApart(size: Int, kind: UInt8) throws {
    var packets = TransportPackets(kind: kind)
    let segments = [packets.bytes(Self.sound), packets.bytes(Self.sound)]
    #expect(try unpack(segments, by: size).0 == Self.sound + Self.sound)
  }

  /// A lost packet costs its own payload up to the next start; a repeated one is ignored.
  @Test func aLostPacketCostsItsOwnPiece() throws {
    var packets = TransportPackets()
    packets.piece = 1000
    let tables = packets.tables
    let pieces = (0..<4).map { number in
      packets.elementary(Array(repeating: UInt8(number), count: 1000))
    }
    var cut = pieces
    cut[1].removeSubrange(376..<564)
    var (bytes, _) = try unpack([tables + cut.joined()])
    #expect(bytes.filter { $0 == 1 }.count < 376)
    for number in [0, 2, 3] as [UInt8] { #expect(bytes.filter { $0 == number }.count == 1000, "\(number)") }
    // A cut in the middle of a packet.
    cut = pieces
    cut[1].removeSubrange(400..<500)
    (bytes, _) = try unpack([tables + cut.joined()], by: 333)
    for number in [0, 2, 3] as [UInt8] { #expect(bytes.filter { $0 == number }.count == 1000, "\(number)") }
    #expect(bytes.filter { $0 == 1 }.count < 376)
    // A repeated packet.
    cut = pieces
    cut[2] = cut[2][..<188] + cut[2]
    #expect(try unpack([tables + cut.joined()]).0.count == 4000)
  }

  @Test func otherSoundSaysWhatItIs() {
    var packets = TransportPackets(kind: 0x81)
    let failure = failure([packets.bytes(Self.sound)])
    #expect(failure?.kind == .format && failure?.sentence.contains("0x1b, 0x81") == true, "\(failure as Any)")
    packets = TransportPackets(kind: 0xCF)
    #expect(self.failure([packets.bytes(Self.sound)])?.kind == .protection)
  }

  /// AAC frames without ADTS headers, as MP4 segments contain them.
  private static let frames = (1...40).map { size in
    (0..<(size * 5)).map { UInt8(truncatingIfNeeded: $0 + size) }
  }

  @Test(arguments: [1, 100, 1000, Int.max], [false, true])
  func piecesOfMP4AreTakenApart(size: Int, hasSizes: Bool) throws {
    // All frames have the same size if no table lists sizes.
    let frames = hasSizes ? Self.frames : Self.frames.map { _ in Self.frames[30] }
    let movie = MoviePieces(usualSize: frames[0].count, hasSizes: hasSizes)
    let segments = [movie.start(), movie.piece(Array(frames[..<25])), movie.piece(Array(frames[25...]))]
    let expected = frames.flatMap { frame in
      let size = frame.count + 7
      return [
        0xFF, 0xF1, 0x50, 0x80 | UInt8(size >> 11), UInt8(size >> 3 & 0xFF), UInt8(size & 7) << 5 | 0x1F,
        0xFC,
      ]
        + frame
    }
    #expect(try unpack(segments, by: size).0 == expected)
    // All segments in a single one.
    #expect(try unpack([segments.flatMap { $0 }], by: size).0 == expected)
  }

  @Test func damagedPiecesSayWhy() {
    let movie = MoviePieces(usualSize: 5, hasSizes: true)
    #expect(failure([movie.piece(Self.frames)])?.sentence.contains("EXT-X-MAP") == true)
    #expect(failure([movie.start(entry: "ec-3")])?.sentence.contains("ec-3") == true)
    #expect(failure([movie.start(entry: "enca")])?.kind == .protection)
    #expect(failure([movie.start(configuration: [0xF8, 0xE6, 0x10, 0])])?.kind == .format)
    #expect(
      failure([movie.start(), movie.piece([Array(repeating: 0, count: 9000)])])?.sentence.contains("9000")
        == true)
    #expect(
      failure([[0x7F, 0xFF, 0xFF, 0xFF] + Array("moof12345678".utf8)])?.sentence.contains("2147483647")
        == true)
    let many = MoviePieces(usualSize: 1, hasSizes: false, count: 1 << 17)
    #expect(failure([many.start(), many.piece([[1]])])?.sentence.contains("too many") == true)
  }

  /// HE-AAC states its own rate and that of its AAC-LC core.
  @Test func settingsBecomeHeaders() {
    #expect(
      ADTSEncoder(configuration: [0x12, 0x10])?.header(frame: 0).prefix(4) == [0xFF, 0xF1, 0x50, 0x80])
    #expect(
      ADTSEncoder(configuration: [0x2B, 0x11, 0x88, 0x00])?.header(frame: 0)[2]
        == ADTSEncoder(configuration: [0x13, 0x10])?
        .header(frame: 0)[2])
    for bad in [[], [0x12], [0x17, 0x90], [0x12, 0x00], [0xFF, 0xFF]] as [[UInt8]] {
      #expect(ADTSEncoder(configuration: bad) == nil, "\(bad)")
    }
  }

  /// Damaged input in chunks of any size is never read past its end.
  @Test func anythingMayBeDamaged() {
    var packets = TransportPackets()
    let movie = MoviePieces(usualSize: 5, hasSizes: true)
    let good = [
      packets.bytes(Array(Self.sound.prefix(4000))), movie.start() + movie.piece(Self.frames),
      tag([1, 2, 3]) + Self.sound.prefix(99),
    ]
    var random = SystemRandomNumberGenerator()
    for segment in good {
      for _ in 0..<400 {
        var bad = segment
        for _ in 0..<Int.random(in: 1...8, using: &random) {
          bad[Int.random(in: 0..<bad.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
        }
        _ = try? unpack([bad, segment], by: Int.random(in: 1...3000, using: &random))
      }
      for count in stride(from: 0, to: segment.count, by: 13) {
        _ = try? unpack([Array(segment[..<count]), segment])
      }
    }
  }
}

extension SegmentUnpacker {
  mutating func takeAll(_ bytes: [UInt8]) throws(FetchFailure) -> String? {
    var title: String?
    var failure: FetchFailure?
    bytes.withUnsafeBytes { bytes in
      do throws(FetchFailure) { title = try take(bytes) } catch { failure = error }
    }
    if let failure { throw failure }
    return title
  }
}

/// MP4 segments built by hand.
struct MoviePieces {
  var usualSize: Int
  var hasSizes: Bool
  /// The frame count in the table, if it is wrong on purpose.
  var count: Int?

  private func big(_ value: Int) -> [UInt8] { [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) } }
  private func box(_ kind: String, _ content: [UInt8]) -> [UInt8] {
    big(content.count + 8) + Array(kind.utf8) + content
  }
  private func zeros(_ count: Int) -> [UInt8] { Array(repeating: 0, count: count) }

  /// The initialization segment: AAC-LC, 44100 Hz, stereo, on track 7.
  func start(entry: String = "mp4a", configuration: [UInt8] = [0x12, 0x10]) -> [UInt8] {
    let decoder =
      [4, UInt8(15 + configuration.count), 0x40, 0x15] + zeros(11) + [5, UInt8(configuration.count)]
      + configuration
    let descriptors = [3, UInt8(3 + decoder.count), 0, 1, 0] + decoder
    let sample = box(entry, zeros(28) + box("esds", zeros(4) + descriptors))
    let media = box(
      "mdia",
      box("hdlr", zeros(8) + Array("soun".utf8) + zeros(12))
        + box("minf", box("stbl", box("stsd", zeros(4) + big(1) + sample))))
    let track = box("trak", box("tkhd", zeros(12) + big(7) + zeros(64)) + media)
    let extends = box("mvex", box("trex", zeros(4) + big(7) + big(1) + big(1024) + big(usualSize) + big(0)))
    return box("ftyp", Array("cmfc".utf8) + zeros(4)) + box("moov", track + extends)
  }

  /// A segment with some frames, followed by those of another track.
  func piece(_ frames: [[UInt8]]) -> [UInt8] {
    func table(_ offset: Int) -> [UInt8] {
      let flags = hasSizes ? 0x201 : 1
      let run =
        big(flags) + big(count ?? frames.count) + big(offset)
        + (hasSizes ? frames.flatMap { big($0.count) } : [])
      let other = box(
        "traf", box("tfhd", big(0x20000) + big(3)) + box("trun", big(0x201) + big(1) + big(offset) + big(3)))
      return box(
        "moof",
        box("mfhd", zeros(8)) + other + box("traf", box("tfhd", big(0x20000) + big(7)) + box("trun", run)))
    }
    let junk: [UInt8] = [9, 9, 9]
    return box("styp", zeros(8)) + table(table(0).count + 8 + 3) + box("mdat", junk + frames.flatMap { $0 })
  }
}
