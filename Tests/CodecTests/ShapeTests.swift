// Streams other than plain stereo files: more channels, chained streams, cut and concatenated MP3. Test
// threads.

import Foundation
import Testing

@Suite struct ShapeTests {
  static let rate = 48000

  /// A file with one loud sine per channel, each at its own frequency: 200 Hz, 400 Hz and so on.
  static func sines(_ channels: Int) -> [UInt8] {
    let music = Music(rate: rate, channels: channels, frames: rate)
    var data: [UInt8] = []
    for frame in 0..<music.frames {
      for channel in 0..<channels {
        let phase = 2 * Double.pi * 200 * Double(channel + 1) * Double(frame) / Double(rate)
        data += .little(Int16(12000 * sin(phase)))
      }
    }
    var file = WAVFile(music, .int16, data: data, extensible: true)
    let masks: [UInt32] = [0x4, 0x3, 0x7, 0x33, 0x37, 0x3F, 0x70F, 0x63F]
    file.format.replaceSubrange(20..<24, with: [UInt8].little(masks[channels - 1]))
    return file.bytes
  }

  /// The level of `frequency` in a channel, from 0 to about 1.
  static func level(_ samples: [Float], channel: Int, of channels: Int, frequency: Double) -> Double {
    var (real, imaginary) = (0.0, 0.0)
    let frames = samples.count / channels
    for frame in 0..<frames {
      let phase = 2 * Double.pi * frequency * Double(frame) / Double(rate)
      real += Double(samples[frame * channels + channel]) * cos(phase)
      imaginary += Double(samples[frame * channels + channel]) * sin(phase)
    }
    return 2 * (real * real + imaginary * imaginary).squareRoot() / Double(frames)
  }

  /// Vorbis and Opus have their own channel orders; the ABI uses that of WAVE.
  @Test(arguments: ["Vorbis", "Opus"], [3, 5, 6, 7, 8])
  func channelsAreInWAVEOrder(_ codec: String, _ channels: Int) throws {
    let bench = try Bench()
    defer { bench.remove() }
    try bench.write(Self.sines(channels), "in.wav")
    if codec == "Vorbis" {
      try bench.run("oggenc", "-Q", "-q", "8", "-o", "out", "in.wav")
    } else {
      try bench.run("opusenc", "--quiet", "--bitrate", "\(96 * channels)", "in.wav", "out")
    }
    let stream = try Plugin.named(codec).open(bench.read("out"))
    #expect(stream.channels == channels)
    let samples = try stream.decodeAll()
    // With six or more channels the fourth is the LFE channel, in which encoders keep only low frequencies.
    for channel in 0..<channels where !(channels >= 6 && channel == 3) {
      let level = Self.level(
        samples, channel: channel, of: channels, frequency: 200 * Double(channel + 1))
      #expect(level > 0.25, "channel \(channel)")
    }
  }

  /// Encodes other music like `name`, with its own serial number.
  private func encode(_ bench: Bench, _ music: Music, _ tool: String, _ serial: Int) throws -> [UInt8] {
    let (data, _) = Storage.int16.encode(music, bigEndian: false, unsigned8: true)
    try bench.write(WAVFile(music, .int16, data: data).bytes, "link.wav")
    let output = tool == "oggenc" ? ["-Q", "-o", "link", "link.wav"] : ["--quiet", "link.wav", "link"]
    try bench.run(tool, ["--serial", "\(serial)"] + output)
    return try bench.read("link")
  }

  @Test(arguments: [("Vorbis", "oggenc"), ("Opus", "opusenc")])
  func aChainPlaysWhileItsShapeStays(_ codec: String, _ tool: String) throws {
    let bench = try Bench()
    defer { bench.remove() }
    let stereo = Music(rate: 48000, channels: 2, frames: 50_000)
    let mono = Music(rate: 48000, channels: 1, frames: 30_000)
    let links = [
      try encode(bench, stereo, tool, 1), try encode(bench, stereo, tool, 2),
      try encode(bench, mono, tool, 3),
    ]
    let stream = try Plugin.named(codec).open(links.flatMap { $0 })
    #expect(stream.totalFrames == 100_000)
    // The third link has another shape and needs a new decoder.
    let extent = try #require(stream.measure(0))
    #expect(
      extent.isKnown && extent.frames == 100_000 && extent.next == Int64(links[0].count + links[1].count))
    let samples = try stream.decodeAll()
    #expect(samples.count == 200_000)
    try stream.seek(to: 60_000)
    let portion = try stream.decode(500)
    #expect(zip(portion, samples[120_000...]).allSatisfy { abs($0 - $1) < 1e-6 })
  }

  /// A stated length must be correct: the frame count in a header is wrong after cutting or concatenating.
  @Test func mp3LengthIsTrueWhateverTheHeaderSays() throws {
    let first = Fixtures.named("music.mp3").bytes
    let second = Fixtures.named("music-mono.mp3").bytes
    for bytes in [
      Array(first.prefix(first.count * 2 / 3)), first + first, Array(first.dropFirst(3000)), second,
    ] {
      let stream = try Plugin.named("MPEG").open(bytes)
      let total = try #require(stream.totalFrames)
      #expect(try stream.decodeAll().count == Int(total) * stream.channels)
    }
  }

  @Test func mp3InWAVBelongsToMPEG() throws {
    let mp3 = Fixtures.named("music.mp3").bytes
    var format: [UInt8] = .little(UInt16(0x55)) + .little(UInt16(2)) + .little(UInt32(44100))
    format += .little(UInt32(16000)) + .little(UInt16(1)) + .little(UInt16(0))
    format += [12, 0, 1, 0, 2, 0, 0, 0, 0, 2, 1, 0, 0, 0]
    let body = Array("WAVE".utf8) + .riffChunk("fmt ", format) + .riffChunk("data", mp3)
    let bytes = Array("RIFF".utf8) + .little(UInt32(body.count)) + body
    #expect(Plugin.named("PCM").probe(bytes) < Plugin.named("MPEG").probe(bytes))
    let stream = try Plugin.named("MPEG").open(bytes)
    #expect(try stream.decodeAll().count >= 100_003 * 2)
  }
}
