// Files too long to be scanned before playback: their frames are counted during decoding, and their parts are
// found. Real workers; test threads.

import AudioRing
import Decoding
import Foundation
import Platform
import PlaybackModel
import RealTimeSupport
import Testing

@Suite(.realTime) struct LongFileTests {
  private static let mp3 = PartFormat(ending: "mp3", command: "lame --quiet -t -V 0 IN OUT")
  private static let adts = PartFormat(
    ending: "aac", command: "ffmpeg -v error -i IN -c:a aac -aac_pns 0 -b:a 320k -f adts OUT")

  /// A file of more than 16 MiB at 48 kHz, followed by a part at 44.1 kHz.
  private func long(_ format: PartFormat, _ bench: PartsBench) throws -> (data: Data, pieces: Int, tail: Data)
  {
    let piece = try bench.part(format, 0, rate: 48_000, channels: 2, seconds: 20)
    let tail = try bench.part(format, 1, rate: 44_100, channels: 2, seconds: 3)
    let count = (17 << 20) / piece.count + 1
    var data = Data()
    for _ in 0..<count { data += piece }
    return (data + tail, count, tail)
  }

  @Test(arguments: [mp3, adts]) func aLongFileIsMeasuredWhileItPlays(_ format: PartFormat) throws {
    let bench = try PartsBench()
    let (data, pieces, tail) = try long(format, bench)
    var listener = try bench.listener(data, format, rate: 48_000)
    _ = try listener.waitForReady()
    let opened = try #require(listener.opened)
    #expect(opened.totalFrames == nil, "it is not read through before it plays")
    let total = try listener.wait { if case .measured(let total) = $0 { total } else { nil } }
    let expected = Double(pieces * 20 + 3) * 48_000
    // Encoders pad each piece with two or three frames of silence.
    #expect(
      Double(total.count) > expected && Double(total.count) < expected + Double(pieces + 1) * 4000, "\(total)"
    )
    // Seeks into the last part and back.
    let alone = try bench.sound(tail, format, rate: 48_000)
    let start = Int(total.count) - alone.count / 2
    let rest = try bench.seek(&listener, to: start)
    #expect(rest.count == alone.count)
    let off = zip(rest, alone).map { abs($0 - $1) }.max() ?? 9
    #expect(off < 1e-4, "\(off)")
    let index = listener.worker.ring.writeIndex + 1_000_000
    listener.retain(index)
    listener.events = []
    _ = listener.worker.seek(to: Frames(48_000 * 60), index: index, now: MonotonicClock.now())
    let landed = try listener.wait { if case .seeked(_, let position, _) = $0 { position } else { nil } }
    #expect(landed == Frames(48_000 * 60))
  }

  /// A seek beyond the counted part counts up to its target itself.
  @Test(arguments: [mp3, adts]) func aSeekDoesNotWaitForTheCount(_ format: PartFormat) throws {
    let bench = try PartsBench()
    let (data, pieces, _) = try long(format, bench)
    let target = Frames(Int64(pieces * 20 + 2) * 48_000)
    var listener = Listener(
      try bench.bench.worker(data, name: "long.\(format.ending)", rate: 48_000) { $0.start = target })
    #expect(try listener.waitForReady() == target)
  }
}
