// Damage affects only the frames that it hits: the frames before and behind them are exact and keep their
// positions. Test threads.

import Foundation
import Testing

@Suite struct DamageTests {
  /// A FLAC file of short blocks, the offsets of its frames, and its samples.
  struct FLACFile {
    static let block = 1152
    let bytes: [UInt8]
    let starts: [Int]
    let samples: [Float]

    init() throws {
      let bench = try Bench()
      defer { bench.remove() }
      let music = Music(rate: 44100, channels: 2, frames: 40_000)
      let (data, samples) = Storage.int16.encode(music, bigEndian: false, unsigned8: true)
      try bench.write(WAVFile(music, .int16, data: data).bytes, "in.wav")
      try bench.run("flac", "-s", "-b", "\(Self.block)", "-o", "out.flac", "in.wav")
      let bytes = try bench.read("out.flac")
      self.bytes = bytes
      self.samples = samples
      var starts: [Int] = []
      for place in 42..<(bytes.count - 5)
      where bytes[place] == 0xFF && bytes[place + 1] == 0xF8 && Int(bytes[place + 4]) == starts.count
        && bytes[place + 3] & 0x0F == 8
      {
        starts.append(place)
      }
      try #require(starts.count == (40_000 + Self.block - 1) / Self.block)
      self.starts = starts
    }

    /// The samples with some frames silenced.
    func without(_ frames: Range<Int>) -> [Float] {
      var silenced = samples
      let lost = (2 * Self.block * frames.lowerBound)..<min(samples.count, 2 * Self.block * frames.upperBound)
      for index in lost { silenced[index] = 0 }
      return silenced
    }
  }

  static let flac: FLACFile = {
    do { return try FLACFile() } catch { fatalError("no FLAC file: \(error)") }
  }()

  enum Kind: String, CaseIterable {
    case header, body, end, lost, inserted, zeroed
  }

  /// For each frame.
  @Test(arguments: Kind.allCases) func aFLACFrameIsLostAlone(_ kind: Kind) throws {
    let file = Self.flac
    for (frame, start) in file.starts.enumerated() {
      let end = frame + 1 < file.starts.count ? file.starts[frame + 1] : file.bytes.count
      var bytes = file.bytes
      let middle = (start + end) / 2
      switch kind {
      case .header: bytes[start + 2] ^= 0x5A
      case .body: for index in middle..<min(end, middle + 40) { bytes[index] ^= 0x55 }
      case .end: bytes[end - 1] ^= 0x01
      case .lost: bytes.removeSubrange(middle..<(middle + 9))
      case .inserted: bytes.insert(contentsOf: [UInt8](repeating: 0xA5, count: 23), at: middle)
      case .zeroed: for index in start..<end { bytes[index] = 0 }
      }
      let samples = try Plugin.named("FLAC").open(bytes).decodeAll()
      let isRight = samples == file.without(frame..<(frame + 1))
      #expect(isRight, "frame \(frame): \(samples.count) of \(file.samples.count) samples")
    }
  }

  /// The file starts at or within any frame, without marker and header, like a recorded broadcast.
  @Test func flacBeginsWithAnyFrame() throws {
    let file = Self.flac
    for frame in [0, 1, 7, 20] {
      for before in [0, 5, 300] where frame > 0 || before == 0 {
        let bytes = Array(file.bytes[(file.starts[frame] - before)...])
        #expect(Plugin.named("FLAC").probe(bytes.prefix(4096)) >= 40, "frame \(frame), \(before)")
        let stream = try Plugin.named("FLAC").open(bytes)
        #expect(stream.info.rate == 44100 && stream.channels == 2)
        let samples = try stream.decodeAll()
        let rest = Array(file.samples.dropFirst(2 * FLACFile.block * frame))
        #expect(samples == rest, "frame \(frame), \(before): \(samples.count) of \(rest.count)")
        try stream.seek(to: 3000)
        let part = try stream.decode(100)
        #expect(part == Array(rest[6000..<6200]), "frame \(frame), \(before)")
      }
    }
  }

  /// A header may state smaller blocks than the stream has; the actual size counts.
  @Test(arguments: [16, 512]) func flacOfAWrongBlockSize(_ size: Int) throws {
    let file = Self.flac
    var bytes = file.bytes
    for place in [8, 10] { bytes.replaceSubrange(place..<(place + 2), with: [UInt8].big(UInt16(size))) }
    let stream = try Plugin.named("FLAC").open(bytes)
    let samples = try stream.decodeAll()
    let isWhole = samples == file.samples
    #expect(
      isWhole,
      "\(samples.count) of \(file.samples.count) samples, \(zip(samples, file.samples).enumerated().first { $0.1.0 != $0.1.1 }?.0 ?? -1)"
    )
  }

  /// A WavPack file of short blocks, with the bytes and frames of each block, and its samples.
  struct WavPackFile {
    let bytes: [UInt8]
    let blocks: [(bytes: Range<Int>, frames: Range<Int>)]
    let samples: [Float]
    let channels: Int

    init(channels: Int, _ storage: Storage, _ options: [String], isOld: Bool = false) throws {
      let bench = try Bench()
      defer { bench.remove() }
      let music = Music(rate: 44100, channels: channels, frames: 20_000)
      let (data, _) = storage.encode(music, bigEndian: false, unsigned8: true)
      try bench.write(WAVFile(music, storage, data: data, extensible: channels > 2).bytes, "in.wav")
      try bench.run("wavpack", ["-q", "--blocksize=2048"] + options + ["in.wav", "-o", "out.wv"])
      let made = try bench.read("out.wv")
      bytes = isOld ? Self.withoutChecksums(made) : made
      self.channels = channels
      samples = try Plugin.named("WavPack").open(bytes).decodeAll()
      try #require(samples.count == 20_000 * channels)
      var (blocks, place): ([(bytes: Range<Int>, frames: Range<Int>)], Int) = ([], 0)
      let bytes = bytes
      func number(_ offset: Int) -> Int { (0..<4).reduce(0) { $0 | Int(bytes[offset + $1]) << (8 * $1) } }
      while place + 32 <= bytes.count, bytes[place..<(place + 4)].elementsEqual("wvpk".utf8) {
        let (end, first, count) = (place + 8 + number(place + 4), number(place + 16), number(place + 20))
        if count > 0 { blocks.append((place..<end, first..<(first + count))) }
        place = end
      }
      try #require(blocks.last?.frames.upperBound == 20_000 && Set(blocks.map(\.frames)).count >= 10)
      self.blocks = blocks
    }

    /// Blocks without their last six bytes, the checksum, and without its flag.
    private static func withoutChecksums(_ bytes: [UInt8]) -> [UInt8] {
      var (result, place): ([UInt8], Int) = ([], 0)
      while place + 32 <= bytes.count {
        let size = (0..<4).reduce(0) { $0 | Int(bytes[place + 4 + $1]) << (8 * $1) }
        var block = Array(bytes[place..<(place + 8 + size - 6)])
        block.replaceSubrange(4..<8, with: [UInt8].little(UInt32(size - 6)))
        block[27] &= ~0x10
        result += block
        place += 8 + size
      }
      return result
    }
  }

  /// More than two channels take several blocks, and hybrid files are lossy. Before WavPack 5, blocks had no
  /// checksum of their bytes.
  static let wavPackFiles: [(channels: Int, storage: Storage, options: [String], isOld: Bool)] = [
    (2, .int16, [], false), (1, .int24, [], false), (6, .int16, [], false), (2, .float32, [], false),
    (2, .int16, ["-b4"], false), (2, .int16, [], true),
  ]

  enum WavPackKind: CaseIterable {
    case magic, size, largerSize, maxSize, count, first, flags, body, end, lost, inserted, zeroed
  }

  /// For each block. Only the first one's header is needed to open the file.
  @Test(arguments: 0..<wavPackFiles.count, WavPackKind.allCases) func aWavPackBlockIsLostAlone(
    _ number: Int, _ kind: WavPackKind
  ) throws {
    let (channels, storage, options, isOld) = Self.wavPackFiles[number]
    // Without a checksum, damage to these header fields cannot be detected.
    if isOld, [.count, .first, .flags].contains(kind) { return }
    let file = try WavPackFile(channels: channels, storage, options, isOld: isOld)
    for (index, block) in file.blocks.enumerated() {
      let (start, stop) = (block.bytes.lowerBound, block.bytes.upperBound)
      let middle = (start + stop) / 2
      var bytes = file.bytes
      switch kind {
      case .magic: bytes[start + 2] ^= 0x5A
      case .size: bytes[start + 4] ^= 0x0E
      case .largerSize: bytes[start + 5] ^= 0x34
      case .maxSize: bytes[start + 6] ^= 0x07
      case .count: bytes[start + 21] ^= 0x12
      case .first: bytes[start + 17] ^= 0x21
      case .flags: bytes[start + 24] ^= 0x04
      case .body: for place in middle..<min(stop, middle + 40) { bytes[place] ^= 0x55 }
      case .end: bytes[stop - 1] ^= 0x01
      case .lost: bytes.removeSubrange(middle..<(middle + 9))
      case .inserted: bytes.insert(contentsOf: [UInt8](repeating: 0xA5, count: 23), at: middle)
      case .zeroed: for place in start..<stop { bytes[place] = 0 }
      }
      let isHead = index == 0 && [.magic, .zeroed].contains(kind)
      guard !isHead else {
        #expect(throws: PluginError.self) { try Plugin.named("WavPack").open(bytes) }
        continue
      }
      let samples = try Plugin.named("WavPack").open(bytes).decodeAll()
      // If the last block of a frame is missing, libwavpack takes the next block in its place.
      let goesOn = channels > 2 && [.magic, .zeroed].contains(kind)
      let end = goesOn ? min(20_000, block.frames.upperBound + 2048) : block.frames.upperBound
      let allowed = block.frames.lowerBound..<end
      // If the last block is lost, so is the end of the file.
      let least = end == 20_000 ? block.frames.lowerBound : 20_000
      let isLong = samples.count >= least * channels && samples.count <= 20_000 * channels
      let wrong = zip(samples, file.samples).enumerated().filter { $0.1.0 != $0.1.1 }.map { $0.0 / channels }
      let isAlone = wrong.allSatisfy { allowed.contains($0) }
      #expect(
        isLong && isAlone,
        "block \(index), frames \(block.frames): \(samples.count / channels) frames, wrong \(wrong.first ?? -1) to \(wrong.last ?? -1)"
      )
    }
  }

  /// The frames of a damaged first block are silent, and later ones keep their positions, also in seeks.
  @Test func aDamagedBeginningOfWavPackKeepsItsLength() throws {
    let file = try WavPackFile(channels: 2, .int16, [])
    let lost = file.blocks[2].frames.lowerBound
    var bytes = file.bytes
    for block in file.blocks[..<2] { bytes[block.bytes.lowerBound + 60] ^= 0x55 }
    let stream = try Plugin.named("WavPack").open(bytes)
    #expect(stream.totalFrames == 20_000)
    let expected = [Float](repeating: 0, count: 2 * lost) + file.samples[(2 * lost)...]
    let whole = try stream.decodeAll()
    #expect(whole == expected)
    for target in [0, 100, lost - 1, lost, lost + 1, 15_000] {
      try stream.seek(to: Int64(target))
      let part = try stream.decode(500)
      let isRight = part == Array(expected[(2 * target)...].prefix(part.count)) && !part.isEmpty
      #expect(isRight, "frame \(target)")
    }
  }

  /// The reach of damage in other codecs, in frames: a block, a page plus overlap, a frame plus bit
  /// reservoir.
  static let reaches: [(command: String, ending: String, codec: String, reach: Int)] = [
    ("wavpack -q --blocksize=4096 in.wav -o out.wv", "wv", "WavPack", 4096),
    ("oggenc -Q in.wav -o out.ogg", "ogg", "Vorbis", 45_000),
    ("opusenc --quiet --max-delay 100 in.wav out.opus", "opus", "Opus", 24_000),
    ("lame --quiet -b 128 in.wav out.mp3", "mp3", "MPEG", 12 * 1152),
    ("lame --quiet -b 128 --nores in.wav out.mp3", "mp3", "MPEG", 4 * 1152),
    ("ffmpeg -v error -i in.wav -c:a mp2 -b:a 192k out.mp2", "mp2", "MPEG", 4 * 1152),
    ("ffmpeg -v error -i in.wav -c:a aac -aac_pns 0 -f adts out.aac", "aac", "AAC", 4 * 1024),
    ("ffmpeg -v error -i in.wav -c:a aac -aac_pns 0 out.m4a", "m4a", "AAC", 4 * 1024),
  ]

  @Test(arguments: 0..<reaches.count) func damageReachesNoFurther(_ number: Int) throws {
    let (command, ending, codec, reach) = Self.reaches[number]
    let bench = try Bench()
    defer { bench.remove() }
    let music = Music(rate: 48000, channels: 2, frames: 192_000)
    let (data, _) = Storage.int16.encode(music, bigEndian: false, unsigned8: true)
    try bench.write(WAVFile(music, .int16, data: data).bytes, "in.wav")
    try bench.run("sh", "-c", command)
    let bytes = try bench.read("out.\(ending)")
    let clean = try Plugin.named(codec).open(bytes).decodeAll()
    for step in 8..<30 {
      // Within the sound: the tables of MP4 are at the end of the file.
      let place = bytes.count * step / 37
      var damaged = bytes
      for index in place..<(place + 12) { damaged[index] ^= 0x55 }
      let stream = try Plugin.named(codec).open(damaged)
      let samples = try stream.decodeAll()
      #expect(
        samples.count == clean.count, "byte \(place): \(samples.count / 2) of \(clean.count / 2) frames")
      let wrong = zip(samples, clean).enumerated().filter { abs($0.1.0 - $0.1.1) > 1e-4 }.map { $0.0 / 2 }
      let extent = (wrong.last ?? 0) - (wrong.first ?? 0)
      #expect(extent <= reach, "\(command), byte \(place): \(extent) frames from \(wrong.first ?? 0) on")
    }
  }
}
