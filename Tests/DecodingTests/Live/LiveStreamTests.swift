// When a live source counts as started and stopped, which frames are dropped, and how its bytes are
// interpreted. Test threads.

import AudioRing
import Foundation
import PlaybackModel
import Testing

@testable import Decoding

@Suite struct LiveStreamTests {
  /// A stream at 8000 Hz, mono, 16 bits, with a delay of a quarter of a second.
  private final class Bench {
    let ring = PlainRing(rate: 8000)
    let converter = CountingConverter(from: 8000, to: 8000)
    var stream: LiveStream
    var news: [LiveNews] = []
    var now = 1.0

    init() {
      stream = LiveStream(
        LiveFormat("8000:16:1")!, rate: 8000, delay: 250, threshold: 0.001, ring: ring.writer,
        base: ring.base,
        converter)
    }

    /// Feeds blocks of 10 ms with a constant sample; nil feeds nothing.
    func run(_ seconds: Double, _ sample: Int16?) throws {
      for _ in 0..<Int((seconds * 100).rounded()) {
        now += 0.01
        let time = UInt64(now * 1e9)
        if let sample {
          let samples = [Int16](repeating: sample, count: 80)
          try samples.withUnsafeBytes { try stream.take($0, at: time) }
        } else {
          stream.pass(time)
        }
        news += stream.takeNews()
      }
    }

    var dropped: Int64 { ring.reader.liveFigures.values.dropped }
  }

  @Test func soundBeginsWithEnoughAndStopsAfterAPause() throws {
    let bench = Bench()
    try bench.run(5, 0)
    #expect(bench.news.isEmpty && bench.ring.reader.writtenIndex == 0 && bench.stream.deadline == nil)
    try bench.run(0.24, 4000)
    #expect(bench.news.isEmpty)
    try bench.run(0.02, 4000)
    #expect(bench.news == [.ready(index: 0)])
    // Ten seconds of digital silence or two seconds without bytes end the sound; shorter pauses do not.
    try bench.run(9, 0)
    try bench.run(0.1, 4000)
    try bench.run(1.9, nil)
    try bench.run(0.1, 4000)
    #expect(bench.news.count == 1)
    bench.ring.reader.retain(from: bench.ring.reader.writtenIndex)
    try bench.run(2.1, nil)
    #expect(bench.news.dropFirst() == [.silent(index: bench.ring.reader.writtenIndex)])
    let end = bench.ring.reader.writtenIndex
    try bench.run(0.3, 4000)
    #expect(bench.news.last == .ready(index: end) && bench.converter.restarts == 2)
  }

  @Test func tenSecondsOfSilenceAreAnEnd() throws {
    let bench = Bench()
    try bench.run(1, 4000)
    for _ in 0..<11 {
      bench.ring.reader.retain(from: bench.ring.reader.writtenIndex)
      try bench.run(1, 10)
    }
    #expect(bench.news.count == 2 && bench.stream.deadline == nil)
  }

  @Test func whatNobodyWantsIsCountedAndNotKept() throws {
    let bench = Bench()
    try bench.run(1, 4000)
    bench.stream.dismiss()
    let end = bench.ring.reader.writtenIndex
    try bench.run(3, 4000)
    #expect(bench.ring.reader.writtenIndex == end && bench.dropped == 3 * 8000)
    #expect(bench.news == [.ready(index: 0)])
    // When listening starts, playback begins with the frames that arrive next.
    try bench.stream.listen()
    try bench.run(0.3, 4000)
    #expect(bench.news == [.ready(index: 0), .ready(index: end)])
    bench.stream.dismiss()
    try bench.run(2.5, nil)
    #expect(bench.news.count == 2)
    try bench.run(0.3, 4000)
    #expect(bench.news.count == 3)
  }

  @Test func aReaderThatStandsStillCostsFramesAtTheDoorAndNoMore() throws {
    let bench = Bench()
    try bench.run(10, 4000)
    let capacity = bench.ring.layout.capacity
    #expect(bench.ring.reader.writtenIndex == UInt64(capacity))
    #expect(bench.dropped == Int64(10 * 8000 - capacity))
  }

  /// After a sender was blocked and sends everything at once, late frames are dropped down to the configured
  /// delay.
  @Test func whatIsFarTooLateIsLeftOut() throws {
    let bench = Bench()
    var heard = 0.0
    func play(_ seconds: Double, blocks: Int = 1) throws {
      for _ in 0..<Int(seconds * 100) {
        for _ in 0..<blocks { try bench.run(0.01, 4000) }
        bench.now -= Double(blocks - 1) * 0.01
        heard += 80
        bench.ring.reader.heardPlace.note(index: UInt64(heard), at: UInt64(bench.now * 1e9))
        bench.ring.reader.retain(from: UInt64(max(0, heard - 1200)))
      }
    }
    try bench.run(0.26, 4000)
    try play(10)
    #expect(bench.dropped == 0)
    try play(0.7, blocks: 3)
    try play(3)
    #expect(bench.dropped > 0)
    let delay = Double(bench.ring.reader.writtenIndex) - heard
    #expect(delay > 1900 && delay < 2100, "\(delay / 8) ms")
  }

  // MARK: Bytes

  @Test func samplesOfEveryKindMeanTheSame() throws {
    let half: [(String, [UInt8])] = [
      ("44100:16:2", [0x00, 0x40, 0x00, 0xC0]),
      ("44100:24:2", [0x00, 0x00, 0x40, 0x00, 0x00, 0xC0]),
      ("44100:32:2", [0x00, 0x00, 0x00, 0x40, 0x00, 0x00, 0x00, 0xC0]),
      ("44100:float:2", [0x00, 0x00, 0x00, 0x3F, 0x00, 0x00, 0x00, 0xBF]),
    ]
    for (text, bytes) in half {
      let format = try #require(LiveFormat(text))
      #expect(format.text == text && format.frameBytes == bytes.count)
      // In chunks of any size.
      for size in 1...bytes.count {
        var samples = LiveSamples(format)
        var frames: [Float] = []
        let all = bytes + bytes + bytes
        for first in stride(from: 0, to: all.count, by: size) {
          Array(all[first..<min(first + size, all.count)]).withUnsafeBytes { samples.take($0, into: &frames) }
        }
        #expect(frames == [0.5, -0.5, 0.5, -0.5, 0.5, -0.5], "\(text) in pieces of \(size)")
      }
    }
    var mono = LiveSamples(try #require(LiveFormat("8000:16:1")))
    var frames: [Float] = []
    [UInt8]([0x00, 0x40]).withUnsafeBytes { mono.take($0, into: &frames) }
    #expect(frames == [0.5, 0.5])
  }

  @Test func whatIsNoNumberIsSilence() throws {
    var samples = LiveSamples(try #require(LiveFormat("44100:float:1")))
    var frames: [Float] = []
    for value in [Float.nan, .infinity, 1e30, -1e30] {
      withUnsafeBytes(of: value.bitPattern.littleEndian) { samples.take($0, into: &frames) }
    }
    #expect(frames == [0, 0, 0, 0, 4, 4, -4, -4])
  }

  @Test(arguments: [
    "", "44100", "44100:16", "44100:16:3", "44100:8:2", "7999:16:2", "192001:16:2", "44100:16:2:1", "-1:16:2",
  ])
  func otherFormatsAreNone(text: String) { #expect(LiveFormat(text) == nil) }
}
