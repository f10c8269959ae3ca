// PCM and FLAC return each sample exactly. Test threads.

import Foundation
import Testing

@Suite struct ExactTests {
  static let shapes = [1, 2, 6].map { Music(rate: 44100, channels: $0, frames: 9001) }

  @Test(arguments: Storage.allCases, shapes)
  func wavIsExact(_ storage: Storage, _ music: Music) throws {
    let (data, expected) = storage.encode(music, bigEndian: false, unsigned8: true)
    for extensible in [false, true] {
      let file = WAVFile(music, storage, data: data, extensible: extensible)
      let stream = try Plugin.named("PCM").open(file.bytes)
      #expect(stream.info.rate == 44100)
      #expect(stream.channels == music.channels)
      #expect(stream.info.bits == UInt32(min(32, storage.bits)))
      #expect(stream.info.is_float == (storage.isFloat ? 1 : 0))
      #expect(stream.totalFrames == Int64(music.frames))
      #expect(try stream.decodeAll() == expected)
      #expect(try stream.decode(10).isEmpty)
    }
  }

  @Test(arguments: Storage.allCases, shapes)
  func aiffIsExact(_ storage: Storage, _ music: Music) throws {
    let compression: String? =
      switch storage {
      case .float32: "fl32"
      case .float64: "fl64"
      default: nil
      }
    let (data, expected) = storage.encode(music, bigEndian: true, unsigned8: false)
    let stream = try Plugin.named("PCM").open(
      aiffFile(music, storage, data: data, compression: compression))
    #expect(stream.info.rate == 44100)
    #expect(stream.totalFrames == Int64(music.frames))
    #expect(stream.title == "A tune")
    #expect(try stream.decodeAll() == expected)
  }

  @Test func littleEndianAIFFIsExact() throws {
    let music = Self.shapes[1]
    let (data, expected) = Storage.int16.encode(music, bigEndian: false, unsigned8: false)
    let stream = try Plugin.named("PCM").open(
      aiffFile(music, .int16, data: data, compression: "sowt"))
    #expect(try stream.decodeAll() == expected)
  }

  @Test(arguments: ["a-law", "mu-law"])
  func g711IsAsSoxHasIt(_ encoding: String) throws {
    let bench = try Bench()
    defer { bench.remove() }
    let music = Self.shapes[0]
    let (data, _) = Storage.int16.encode(music, bigEndian: false, unsigned8: true)
    try bench.write(WAVFile(music, .int16, data: data).bytes, "in.wav")
    try bench.run("sox", "-D", "in.wav", "-e", encoding, "out.wav")
    try bench.run("sox", "-D", "out.wav", "-e", "signed", "-b", "16", "back.raw")
    let expected = try bench.read("back.raw").int16Samples
    #expect(try Plugin.named("PCM").open(bench.read("out.wav")).decodeAll() == expected)
  }

  @Test(arguments: [Storage.int8, .int16, .int24], shapes)
  func flacIsExact(_ storage: Storage, _ music: Music) throws {
    let bench = try Bench()
    defer { bench.remove() }
    let (data, expected) = storage.encode(music, bigEndian: false, unsigned8: true)
    try bench.write(WAVFile(music, storage, data: data, extensible: music.channels > 2).bytes, "in.wav")
    for options in [["-o", "out.flac"], ["--ogg", "-o", "out.oga"]] {
      try bench.run("flac", ["-s", "in.wav"] + options)
      let stream = try Plugin.named("FLAC").open(bench.read(options.last ?? ""))
      #expect(stream.info.rate == 44100)
      #expect(stream.info.bits == UInt32(storage.bits))
      #expect(stream.totalFrames == Int64(music.frames))
      #expect(try stream.decodeAll() == expected)
      #expect(try stream.decode(10).isEmpty)
    }
  }
}
