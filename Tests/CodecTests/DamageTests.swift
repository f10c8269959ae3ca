// Damage costs the frames that it hits, and no others: what lies before and behind them is exact, in its place.

import Foundation
import Testing

@Suite struct DamageTests {
  /// A FLAC file of short blocks, where its frames begin, and what it sounds like.
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

    /// The samples with silence in the place of some frames.
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

  /// Each frame in turn.
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

  /// From some frame on, with neither mark nor header, as a recording of a broadcast begins; within a frame, too.
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

  /// A header may state smaller blocks than the stream has: what is decoded counts.
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

  /// How far damage reaches in other codecs, in frames: a block, a page with what overlaps, a frame with the bit reservoir.
  static let reaches: [(command: String, ending: String, codec: String, reach: Int)] = [
    ("wavpack -q --blocksize=4096 in.wav -o out.wv", "wv", "WavPack", 2 * 4096),
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
      // Within the sound: tables of MP4 lie at its end.
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
