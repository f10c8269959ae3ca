// WAV files as recorders, streams and broken transfers leave them play as far as they have samples. Test
// threads.

import Foundation
import Testing

@Suite struct SloppyFileTests {
  static let music = Music(rate: 48000, channels: 2, frames: 501)
  static let stored = Storage.int16.encode(music, bigEndian: false, unsigned8: true)

  func play(_ change: (inout WAVFile) -> Void) throws -> (frames: Int64?, samples: [Float]) {
    var file = WAVFile(Self.music, .int16, data: Self.stored.bytes)
    change(&file)
    let stream = try Plugin.named("PCM").open(file.bytes)
    return (stream.totalFrames, try stream.decodeAll())
  }

  @Test(arguments: [0, .max, 0x7FFF_FFF0] as [UInt32])
  func anUnclosedDataChunkPlaysToTheEnd(_ size: UInt32) throws {
    for riffSize in [0, .max] as [UInt32] {
      let played = try play {
        $0.dataSize = size
        $0.riffSize = riffSize
      }
      #expect(played.frames == 501)
      #expect(played.samples == Self.stored.expected)
    }
  }

  @Test func anEmptyFileIsEmpty() throws {
    let played = try play {
      $0.data = []
      $0.after = .riffChunk("LIST", Array("INFO".utf8))
    }
    #expect(played.frames == 0)
    #expect(played.samples.isEmpty)
  }

  @Test func unknownChunksArePassedOver() throws {
    let played = try play {
      $0.before = .riffChunk("JUNK", [1, 2, 3]) + .riffChunk("bext", [UInt8](repeating: 9, count: 602))
      $0.after = .riffChunk("cue ", [0])
    }
    #expect(played.samples == Self.stored.expected)
  }

  @Test func aCutFileEndsAtItsLastWholeFrame() throws {
    let played = try play {
      $0.data.removeLast(6)
      $0.dataSize = UInt32(Self.stored.bytes.count)
    }
    #expect(played.frames == 499)
    #expect(played.samples == Self.stored.expected.dropLast(4))
  }

  @Test func longFormsArePlayed() throws {
    for id in ["RF64", "BW64"] {
      let played = try play {
        $0.id = id
        $0.riffSize = .max
        $0.dataSize = .max
        $0.before = .riffChunk(
          "ds64", .little(UInt64(0)) + .little(UInt64(500 * 4)) + .little(UInt64(500)) + .little(UInt32(0)))
      }
      #expect(played.frames == 500)
      #expect(played.samples == Self.stored.expected.dropLast(2))
    }
  }

  @Test func samplesInWiderContainersAreWhole() throws {
    // 24 bits in 32, as some interfaces record.
    let music = Self.music
    let values = music.integers(bits: 24)
    var file = WAVFile(music, .int32, data: values.flatMap { [UInt8].little($0 << 8) }, extensible: true)
    file.format[18] = 24
    let stream = try Plugin.named("PCM").open(file.bytes)
    #expect(stream.info.bits == 24)
    #expect(try stream.decodeAll() == values.map { Float($0) / 8_388_608 })
  }

  @Test func whatIsMissingIsNamed() {
    let header = Array("RIFF".utf8) + [4, 0, 0, 0] + Array("WAVE".utf8)
    for (bytes, word) in [(header, "fmt"), (Array("RIFF".utf8), "short")] {
      let error = #expect(throws: PluginError.self) { try Plugin.named("PCM").open(bytes) }
      #expect(error?.sentence.contains(word) == true)
    }
  }

  @Test func aReadErrorIsTold() throws {
    for fixture in Fixtures.all where !fixture.name.contains("-") {
      let plugin = Plugin.named(fixture.codec)
      for failingAt in [0, fixture.bytes.count / 2, fixture.bytes.count - 1] {
        let error = #expect(throws: PluginError.self) {
          try plugin.open(fixture.bytes, failingAt: failingAt).decodeAll()
        }
        #expect(error?.status == -4, "\(fixture) at \(failingAt)")
        #expect(error?.sentence.contains("byte") == true)
      }
    }
  }
}
