// Damaged and hostile files: each plugin ends in bounded time, with bounded output and valid texts. Test
// threads.

import Foundation
import Testing

@Suite struct BadInputTests {
  /// A kind of damage, reproducible from its seed.
  enum Damage: String, CaseIterable {
    case truncated, bitFlipped, headerFlipped, holed, shuffled, duplicated, noiseBehindMagic, zeroed

    func apply(to bytes: [UInt8], _ random: inout Random) -> [UInt8] {
      var bytes = bytes
      let count = bytes.count
      func range(_ most: Int) -> Range<Int> {
        let start = Int.random(in: 0..<count, using: &random)
        return start..<min(count, start + Int.random(in: 1...most, using: &random))
      }
      switch self {
      case .truncated: return Array(bytes.prefix(Int.random(in: 0..<count, using: &random)))
      case .bitFlipped:
        for _ in 0..<Int.random(in: 1...60, using: &random) {
          bytes[Int.random(in: 0..<count, using: &random)] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        }
      case .headerFlipped:
        for _ in 0..<Int.random(in: 1...8, using: &random) {
          bytes[Int.random(in: 4..<min(count, 300), using: &random)] = UInt8.random(
            in: 0...255, using: &random)
        }
      case .holed: bytes.removeSubrange(range(20000))
      case .shuffled:
        let (first, second) = (range(4000), range(4000))
        let length = min(first.count, second.count)
        for offset in 0..<length { bytes.swapAt(first.lowerBound + offset, second.lowerBound + offset) }
      case .duplicated: bytes.insert(contentsOf: bytes[range(20000)], at: range(1).lowerBound)
      case .noiseBehindMagic:
        for index in min(count, 64)..<count { bytes[index] = UInt8.random(in: 0...255, using: &random) }
      case .zeroed: for index in range(20000) { bytes[index] = 0 }
      }
      return bytes
    }
  }

  /// The first stereo file of each kind.
  static let subjects: [String] = {
    var endings: Set<String> = []
    return Fixtures.all.filter { fixture in
      fixture.channels == 2 && endings.insert(String(fixture.name.split(separator: ".").last!)).inserted
    }.map(\.name)
  }()

  /// 8 kinds of damage and 12 seeds for each.
  @Test(arguments: subjects, Damage.allCases)
  func damageIsSurvived(_ name: String, _ damage: Damage) {
    let fixture = Fixtures.named(name)
    for seed in 0..<12 as Range<UInt64> {
      var random = Random(seed)
      let bytes = damage.apply(to: fixture.bytes, &random)
      attempt(Plugin.named(fixture.codec), bytes, "\(name), \(damage.rawValue), seed \(seed)")
    }
  }

  @Test(arguments: Plugin.all)
  func emptyForeignAndRandomFilesAreSurvived(_ plugin: Plugin) {
    var random = Random(7)
    attempt(plugin, [], "empty")
    for length in [1, 4, 12, 44, 1000, 50000] {
      attempt(plugin, (0..<length).map { _ in UInt8.random(in: 0...255, using: &random) }, "random \(length)")
      attempt(plugin, [UInt8](repeating: 0, count: length), "zeros \(length)")
      attempt(plugin, [UInt8](repeating: 0xFF, count: length), "ones \(length)")
    }
    for name in Self.subjects { attempt(plugin, Fixtures.named(name).bytes, name) }
  }

  /// A lost FLAC frame is replaced by silence, so later frames keep their positions.
  @Test func damagedFLACKeepsTime() throws {
    let fixture = Fixtures.named("music.flac")
    var bytes = fixture.bytes
    let middle = bytes.count / 2
    for index in middle..<(middle + 50) { bytes[index] ^= 0x55 }
    let samples = try Plugin.named("FLAC").open(bytes).decodeAll()
    #expect(samples.count == fixture.reference.count)
    #expect(samples.suffix(20000).elementsEqual(fixture.reference.suffix(20000)))
    #expect(samples.prefix(20000).elementsEqual(fixture.reference.prefix(20000)))
    #expect(samples != fixture.reference)
  }

  @Test(arguments: ["music.ogg", "music-48k.opus"])
  func lostOggPagesKeepTime(_ name: String) throws {
    let fixture = Fixtures.named(name)
    var bytes = fixture.bytes
    for index in (bytes.count * 2 / 3)..<(bytes.count * 2 / 3 + 50) { bytes[index] ^= 0x55 }
    let samples = try Plugin.named(fixture.codec).open(bytes).decodeAll()
    #expect(samples.count == fixture.reference.count)
    let tail = zip(samples.suffix(4000), fixture.reference.suffix(4000))
    #expect(tail.allSatisfy { abs($0 - $1) <= 2 * Fixtures.oneStep })
  }

  /// Whichever audio page except the first one is lost, the file has the stated length.
  @Test(arguments: ["music.ogg", "music-48k.opus"])
  func anyLostOggPageKeepsTheStatedLength(_ name: String) throws {
    let fixture = Fixtures.named(name)
    let starts = (0..<(fixture.bytes.count - 4)).filter {
      fixture.bytes[$0...].starts(with: Array("OggS".utf8))
    }
    try #require(starts.count > 4)
    for (page, start) in starts.enumerated().dropFirst(3) {
      var bytes = fixture.bytes
      let end = page + 1 < starts.count ? starts[page + 1] : bytes.count
      for index in ((start + end) / 2)..<min(end, (start + end) / 2 + 30) { bytes[index] ^= 0x55 }
      let stream = try Plugin.named(fixture.codec).open(bytes)
      let total = try #require(stream.totalFrames)
      #expect(try stream.decodeAll().count == Int(total) * stream.channels, "page \(page)")
    }
  }

  /// A text chunk of an impossible size is read up to the limit. Where `Int` has 32 bits, the decoder trapped.
  @Test(arguments: [0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FF00] as [UInt32])
  func wideTextsAreCut(size: UInt32) throws {
    let music = Music(rate: 8000, channels: 1, frames: 10)
    let text = [UInt8](repeating: 0x61, count: 1100)
    let (data, _) = Storage.int16.encode(music, bigEndian: true, unsigned8: false)
    let sound = aiffFile(music, .int16, data: data, compression: nil, texts: [])
    let title = try Plugin.named("PCM").open(sound + Array("NAME".utf8) + .big(size) + text).title
    let artist = try Plugin.named("PCM").open(sound + Array("AUTH".utf8) + .big(size) + text).artist
    var wav = WAVFile(music, .int16, data: data)
    let list: [UInt8] = Array("INFOINAM".utf8) + .little(size) + text
    wav.after = .riffChunk("LIST", list, size: .max)
    for text in [title, artist, try Plugin.named("PCM").open(wav.bytes).title] {
      #expect(text.count > 100 && text.allSatisfy { $0 == "a" })
    }
  }

  /// A tiny rate would stretch seconds into hours.
  @Test(arguments: [1, 999, 1000, 768_000, 768_001]) func ratesThatNothingHasAreRefused(rate: Int) throws {
    func little(_ value: Int, _ bytes: Int) -> [UInt8] {
      (0..<bytes).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
    let data = [UInt8](repeating: 0, count: 4000)
    var wav = Array("RIFF".utf8) + little(36 + data.count, 4)
    wav += Array("WAVEfmt ".utf8) + little(16, 4) + little(1, 2) + little(2, 2) + little(rate, 4)
    wav +=
      little(rate * 4, 4) + little(4, 2) + little(16, 2) + Array("data".utf8) + little(data.count, 4) + data
    let plugin = Plugin.named("PCM")
    if (1000...768_000).contains(rate) {
      #expect(try plugin.open(wav).totalFrames == 1000)
    } else {
      #expect {
        try plugin.open(wav)
      } throws: {
        ($0 as? PluginError)?.sentence.contains("\(rate) Hz") == true
      }
    }
  }

  /// Opens, decodes and seeks; this must end soon, within limits, with an error text if it fails.
  private func attempt(_ plugin: Plugin, _ bytes: [UInt8], _ what: String) {
    let clock = ContinuousClock()
    let start = clock.now
    // No format here encodes more than this many frames in the test files.
    let limit = 3_000_000
    do {
      let stream = try plugin.open(bytes)
      #expect((1...8).contains(stream.channels) && (1000...768_000).contains(stream.info.rate), "\(what)")
      #expect(stream.totalFrames.map { $0 >= 0 } ?? true, "\(what)")
      let samples = try stream.decodeAll(portions: [4096], limit: limit)
      #expect(samples.count < limit * stream.channels, "\(plugin.name) never ends: \(what)")
      if let total = stream.totalFrames { #expect(samples.count <= Int(total) * stream.channels, "\(what)") }
      for target in [1000, 0, 1 << 40] as [Int64] {
        guard (try? stream.seek(to: target)) != nil else {
          #expect(!stream.lastError.isEmpty, "\(what)")
          continue
        }
        _ = try stream.decode(4096)
      }
    } catch let error as PluginError {
      #expect((-6 ... -1).contains(error.status) && error.sentence.hasSuffix("."), "\(what): \(error)")
    } catch {
      Issue.record(error)
    }
    #expect(clock.now - start < .seconds(5), "\(plugin.name) is slow: \(what)")
  }

  /// A stream may be entered in the middle of a frame, whose bytes may look like two headers of another rate.
  @Test func aStreamBeginsWithItsFirstGenuineFrame() throws {
    let bench = try Bench()
    defer { bench.remove() }
    let music = Music(rate: 48000, channels: 2, frames: 96000)
    let (data, _) = Storage.int16.encode(music, bigEndian: false, unsigned8: true)
    try bench.write(WAVFile(music, .int16, data: data).bytes, "in.wav")
    try bench.run("lame", "--quiet", "-t", "-b", "128", "--resample", "48", "in.wav", "out.mp3")
    // 128 kbit/s at 44.1 kHz: 417 bytes.
    let header: [UInt8] = [0xFF, 0xFB, 0x90, 0x00]
    let one = header + [UInt8](repeating: 0x55, count: 413)
    let stream = try Plugin.named("MPEG").open(
      one + header + [UInt8](repeating: 0x55, count: 100) + bench.read("out.mp3"), isStream: true)
    #expect(stream.info.rate == 48000)
    #expect(try stream.decodeAll().count > 180_000)
  }
}
