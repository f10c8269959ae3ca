// Stations whose connection breaks at any byte: in every codec, playback continues with the next whole frame,
// without an error. The bytes are read from the spool, without network or clock. Test threads.

import Testing

@testable import Decoding
@testable import Streaming

@Suite struct DiscontinuityTests {
  /// Each step uses other bytes for the cut and the entry point; both cover all bytes of two frames.
  @Test(arguments: StationFormat.all) func aConnectionMayBreakAtAnyByte(of format: StationFormat) throws {
    let station = try Station.of(format)
    let (cuts, entrances) = (station.frames(2, at: 0.2), station.frames(2, at: 0.45))
    for step in 0..<max(cuts.count, entrances.count) {
      let cut = cuts.lowerBound + step % cuts.count
      // The factor is coprime to the count, so each byte is used.
      var entrance = entrances.lowerBound + (step * 7 + step / entrances.count) % entrances.count
      // PCM has no framing, so an odd offset would swap the bytes of each sample.
      if format.codec == "PCM" { entrance -= entrance % 2 }
      try station.check(
        [station.bytes[..<cut], station.bytes[entrance...]], before: cut, from: entrance, "\(cut) \(entrance)"
      )
    }
  }

  /// The headers that a server sends first are sent again on the next connection. The first connection breaks
  /// within or soon after them.
  @Test(arguments: StationFormat.all) func aConnectionMayBreakInHeaders(of format: StationFormat) throws {
    let station = try Station.of(format)
    for cut in stride(from: 1, to: station.frames(2, at: 0).upperBound, by: format.isSlow ? 7 : 1) {
      try station.check([station.bytes[..<cut], station.bytes[...]], before: cut, from: 0, "\(cut)")
    }
  }

  /// Several connections in a row that deliver few bytes.
  @Test(arguments: StationFormat.all) func connectionsMayBreakAgainAndAgain(of format: StationFormat) throws {
    let station = try Station.of(format)
    let entrance = station.frames(2, at: 0.45).lowerBound + 12
    for size in [1, 3, 17, 90, 400] {
      var pieces = [station.bytes[..<station.frames(2, at: 0.2).lowerBound]]
      for piece in 0..<6 { pieces.append(station.bytes[(2000 + piece * 501)...].prefix(size)) }
      try station.check(
        pieces + [station.bytes[entrance...]], before: pieces[0].count, from: entrance, "size \(size)")
    }
  }

  /// Bytes of a connection are missing or wrong, at all offsets of two frames.
  @Test(arguments: StationFormat.all.filter { $0.codec != "PCM" })
  func bytesOfAConnectionMayBeDamaged(of format: StationFormat) throws {
    // A damaged page may claim 64 KiB, which libogg then waits for.
    let isLong = ["ogg", "opus"].contains(format.ending)
    let station = try Station.of(format, seconds: isLong ? 24 : 2.4)
    let places = station.frames(2, at: isLong ? 0.02 : 0.2)
    for place in stride(from: places.lowerBound, to: places.upperBound, by: isLong ? 23 : 3) {
      let count = 1 + (place * 31) % 700
      var lost = station.bytes
      lost.removeSubrange(place..<(place + count))
      try station.check([lost[...]], before: place, from: place + count, "\(count) lost at \(place)")
      var wrong = station.bytes
      for index in place..<(place + count) { wrong[index] = UInt8(truncatingIfNeeded: index * 37) }
      try station.check([wrong[...]], before: place, from: place + count, "\(count) wrong at \(place)")
    }
  }

  /// Each connection has ICY titles in its bytes, and breaks within the sound, a title or a title's length
  /// byte.
  @Test(arguments: StationFormat.all.filter { $0.codec == "MPEG" || $0.ending == "aac" })
  func aConnectionMayBreakWithinATitle(of format: StationFormat) throws {
    let station = try Station.of(format)
    let begin = station.frames(2, at: 0.2).lowerBound
    let entrance = station.frames(2, at: 0.45).lowerBound + 13
    let interval = 150
    let first = Station.titled(station.bytes[...], interval: interval)
    let second = Station.titled(station.bytes[entrance...], interval: interval)
    // The cuts reach from the sound before a title to the sound behind it.
    let blocks = begin / interval
    let start = first.prefix(begin + 33 * blocks).count
    for cut in start..<(start + 2 * (interval + 33)) {
      let sound = Station.untitled(first[..<cut], interval: interval)
      #expect(station.bytes.starts(with: sound))
      try station.check(
        [sound[...], Station.untitled(second[...], interval: interval)[...]], before: sound.count,
        from: entrance, "\(cut)")
    }
  }

  /// If no sound follows a discontinuity, an error is reported soon.
  @Test(arguments: StationFormat.all.filter { $0.codec != "PCM" })
  func whatIsNoSoundIsGivenUp(of format: StationFormat) throws {
    let station = try Station.of(format)
    let page = Array(repeating: Array("<p>Please log in.</p>\r\n".utf8), count: 20_000).joined()
    let cut = station.frames(2, at: 0.2).lowerBound + 5
    #expect(throws: WorkerFailure.self) {
      try station.play([station.bytes[..<cut], Array(page)[...]])
    }
  }
}
