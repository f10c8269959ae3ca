// A worker's records of a station: the mapping of bytes to frames, headers and titles; and when its fetcher
// counts as behind live. Test threads.

import AudioRing
import RealTimeSupport
import Testing

@testable import Decoding
@testable import Streaming

@Suite(.realTime) struct StationTimelineTests {
  /// A station with 16 bytes per frame, and 32 from byte 160,000 on.
  private func timeline() -> StationTimeline {
    var timeline = StationTimeline(window: 1 << 20)
    for position in stride(from: Int64(0), through: 10_000, by: 1000) {
      timeline.note(offset: position * 16, position: position)
    }
    for position in stride(from: Int64(11_000), through: 20_000, by: 1000) {
      timeline.note(offset: 160_000 + (position - 10_000) * 32, position: position)
    }
    return timeline
  }

  @Test func bytesAndFramesAreEachOthers() {
    let timeline = timeline()
    for (position, offset) in [(0, 0), (500, 8000), (9999, 159_984), (10_500, 176_000), (20_000, 480_000)]
      as [(Int64, Int64)]
    {
      #expect(
        timeline.offset(of: position) == offset && timeline.position(of: offset) == position, "\(position)")
    }
    // Beyond the known range the average pace applies: 24 bytes.
    #expect(timeline.offset(of: 21_000) == 504_000 && timeline.position(of: 504_000) == 21_000)
  }

  @Test func whatIsGoneIsForgotten() {
    var timeline = timeline()
    timeline.forget(before: 200_000)
    #expect(timeline.position(of: 208_000) == 11_500)
    // The remaining entries have 32 bytes per frame.
    #expect(timeline.pace == 32_000_000)
    timeline.forget(before: 1 << 40)
    #expect(timeline.pace != nil)
  }

  @Test func nothingIsKnownOfNothing() {
    var timeline = StationTimeline(window: 1 << 20)
    #expect(timeline.pace == nil && timeline.offset(of: 5) == nil && timeline.point == nil)
    timeline.note(offset: 100, position: 0)
    #expect(timeline.position(of: 5) == nil)
  }

  /// Replayed positions are already recorded.
  @Test func aWayBackChangesNothing() {
    var timeline = timeline()
    timeline.note(offset: 80_000, position: 5100)
    #expect(timeline.position(of: 80_000) == 5000)
  }

  @Test func itIsBounded() {
    var timeline = StationTimeline(window: 64 << 10)
    for position in 0..<Int64(10_000) { timeline.note(offset: position * 2048, position: position) }
    #expect(timeline.position(of: 9_999 * 2048) == 9999)
  }

  @Test func aPlaceThatCannotBeIsNoPlace() {
    let memory = UnsafeMutableRawPointer.allocate(byteCount: 4096, alignment: 64)
    memory.initializeMemory(as: UInt8.self, repeating: 0, count: 4096)
    defer { memory.deallocate() }
    let place = StationPlace(base: memory)
    #expect(place.point == nil)
    let good = StationPlace.Point(offset: 32_000, position: 2000, pace: 16_000_000)
    place.note(good)
    #expect(place.point == good && good.position(of: 48_000) == 3000 && good.position(of: 0) == 0)
    for (offset, position, pace) in [(-1, 0, 1), (0, -1, 1), (0, 0, 0), (0, 1 << 50, 1), (1 << 60, 0, 1)]
      as [(Int64, Int64, Int64)]
    {
      place.note(StationPlace.Point(offset: offset, position: position, pace: pace))
      #expect(place.point == nil)
    }
    // The slowest pace, at the largest offset.
    #expect(StationPlace.Point(offset: 0, position: 0, pace: 1).position(of: 1 << 50) >= 0)
  }
}

@Suite(.realTime) struct StreamHeaderTests {
  private func page(_ position: UInt8, body: Int) -> [UInt8] {
    Array("OggS".utf8) + [0, 0, position, 0, 0, 0, 0, 0, 0, 0] + Array(repeating: 9, count: 12) + [
      1, UInt8(body),
    ]
      + Array(repeating: 7, count: body)
  }

  private func extent(_ bytes: [UInt8]) -> StreamHeaders.Extent {
    bytes.withUnsafeBytes { StreamHeaders.extent(of: $0) }
  }

  @Test func headersEndWhereTheSoundBegins() {
    let ogg = page(0, body: 30) + page(0, body: 200)
    let flac: [UInt8] = Array("fLaC".utf8) + [0, 0, 0, 2, 1, 1, 0x84, 0, 0, 1, 5]
    let wave: [UInt8] =
      Array("RIFF".utf8) + [0, 0, 0, 0] + Array("WAVEfmt ".utf8) + [16, 0, 0, 0, 1, 0, 2, 0]
      + Array(repeating: 0, count: 8)
      + [4, 0, 16, 0] + Array("data".utf8) + [0, 0, 0, 0]
    for (headers, sound) in [(ogg, page(5, body: 3)), (flac, [0xFF, 0xF8]), (wave, [1, 2, 3, 4])] {
      #expect(extent(headers + sound) == .bytes(headers.count))
      for count in 0..<headers.count { #expect(extent(Array(headers[..<count])) == .more, "\(count)") }
    }
    #expect(StreamHeaders.alignment(of: wave) == 4 && StreamHeaders.alignment(of: ogg) == 1)
    #expect(extent([0xFF, 0xFB, 0x90, 0]) == .unknown)
  }

  /// For any input the decision is made within the bounded buffer.
  @Test func itIsBounded() {
    for start in ["OggS", "fLaC", "RIFF"] {
      let bytes = Array(start.utf8) + Array(repeating: UInt8(0xFF), count: StreamHeaders.maxLength + 70_000)
      #expect(extent(bytes) != .more, "\(start)")
      #expect(StreamHeaders.alignment(of: bytes) >= 1)
    }
  }

  @Test func aLinksHeadersAreKept() {
    let first = page(0, body: 30) + page(0, body: 40)
    let stream = first + page(3, body: 50)
    for size in 1...stream.count {
      var headers = LinkHeaders()
      headers.begin(at: 1000)
      for begin in stride(from: 0, to: stream.count, by: size) {
        let piece = Array(stream[begin..<min(begin + size, stream.count)])
        piece.withUnsafeBytes { headers.take($0, at: 1000 + Int64(begin)) }
        // The bytes again, as the codec detection reads them.
        piece.withUnsafeBytes { headers.take($0, at: 1000 + Int64(begin)) }
      }
      let link = headers.link(at: 5000)
      #expect(link?.base == 1000 && link?.bytes == first && link?.extent == .bytes(first.count), "\(size)")
    }
  }

  @Test func linksAreForgottenWithTheirSound() {
    var headers = LinkHeaders()
    for base in [0, 100, 200, 300] as [Int64] { headers.begin(at: base) }
    #expect(
      headers.link(at: 150)?.base == 100 && headers.next(after: 100) == 200 && headers.next(after: 300) == nil
    )
    headers.forget(before: 250)
    #expect(headers.link(at: 150) == nil && headers.link(at: 250)?.base == 200)
    for base in 0..<Int64(1000) { headers.begin(at: 1000 + base) }
    #expect(headers.link(at: 1500)?.base != 1500 && headers.link(at: 1999)?.base == 1999)
  }
}

@Suite(.realTime) struct StationLagTests {
  private static let second: UInt64 = 1_000_000_000

  /// A server that was blocked counts as late until it has sent its backlog.
  @Test func aServerThatWaitedIsLateUntilItHasSentAll() {
    var lag = StationLag()
    var now = Self.second
    for end in 1...5 {
      now += 100_000_000
      lag.note(held: false, end: Int64(end) * 1000, at: now)
    }
    #expect(lag.begun == nil)
    let last = now
    lag.note(held: true, end: 5000, at: now + 1)
    #expect(lag.begun?.since == last && lag.begun?.end == 5000)
    now += 60 * Self.second
    #expect(lag.missing(at: now) == 60 * Self.second)
    // It sends its backlog without a pause.
    for end in 6...50 {
      now += 1_000_000
      lag.note(held: false, end: Int64(end) * 1000, at: now)
      #expect(lag.begun != nil)
    }
    now += 100_000_000
    lag.note(held: false, end: 51_000, at: now)
    #expect(lag.begun == nil)
  }

  @Test func aStationThatIsJoinedAnewIsNotLate() {
    var lag = StationLag()
    lag.note(held: false, end: 1000, at: Self.second)
    lag.note(held: true, end: 1000, at: 2 * Self.second)
    lag.rejoin()
    #expect(lag.begun == nil && lag.missing(at: 9 * Self.second) == 0)
    // A stream that has never sent anything cannot be late.
    lag.note(held: true, end: 1000, at: 3 * Self.second)
    #expect(lag.begun == nil)
  }
}

@Suite(.realTime) struct StreamTitleTests {
  @Test func titlesAreAskedForAgain() {
    var titles = StreamTitles()
    for number in 0..<3 { titles.add("\(number)", at: UInt64(number) * 100) }
    #expect(titles.take(0) == "0" && titles.take(100) == "1" && titles.take(100) == nil)
    #expect(titles.offsets == [200])
    titles.recall()
    #expect(titles.offsets == [0, 100, 200] && titles.awaits(100) && !titles.awaits(300))
    #expect(titles.take(100) == "1")
  }

  @Test func noMoreThanAWorkerKeepsAreAskedFor() {
    var titles = StreamTitles()
    for number in 0..<100 {
      titles.add("\(number)", at: UInt64(number))
      if number < 90 { _ = titles.take(UInt64(number)) }
    }
    titles.recall()
    #expect(titles.offsets == Array(68..<100))
  }
}

@Suite(.realTime) struct SeamRampTests {
  @Test func oneSoundFadesOutAndTheOtherIn() {
    var seam = SeamRamp()
    var samples = [Float](repeating: 0.5, count: 2000)
    samples.withUnsafeMutableBufferPointer { seam.note($0.baseAddress!, frames: 1000) }
    #expect(samples.allSatisfy { $0 == 0.5 })
    var tail = [Float](repeating: 9, count: 960)
    let count = tail.withUnsafeMutableBufferPointer {
      seam.fade(into: $0.baseAddress!, frames: 1000, rate: 48_000)
    }
    #expect(count == 480)
    // In two pieces, as at the end of a ring.
    samples.withUnsafeMutableBufferPointer { seam.note($0.baseAddress!, frames: 100) }
    samples.withUnsafeMutableBufferPointer { seam.note($0.baseAddress! + 200, frames: 900) }
    let all = Array(repeating: Float(0.5), count: 2) + tail + samples
    let steps = zip(all, all.dropFirst(2)).map { abs($0 - $1) }
    #expect((steps.max() ?? 1) < 0.5 * 1.6 / 480, "\(steps.max() ?? 1)")
    #expect(tail.last == 0 && samples[0] == 0 && samples[1998] == 0.5)
  }
}
