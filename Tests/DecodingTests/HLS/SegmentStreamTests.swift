// HLS playlists against a misbehaving server: every sample, or a failure that names what and where. Segments
// are pieces of a WAV file, so the samples are exact. Real workers; test threads.

import ChildSupport
import CLinux
import Decoding
import Foundation
import Platform
import PlaybackModel
import Streaming
import RealTimeSupport
import Testing

@Suite(.realTime) struct SegmentStreamTests {
  /// A rig whose WAV file also exists in pieces: `0.seg`, `1.seg`, ...
  struct Rig {
    let base: StreamTests.Rig
    let count: Int

    /// - Parameter again: The piece that repeats the file's header, so that decoding can start there.
    init(
      seconds: Double = 4, count: Int = 6, again: Int? = nil, wrapping wrap: (Data) -> Data = { $0 }
    ) throws {
      base = try StreamTests.Rig(seconds: seconds)
      self.count = count
      let sound = try Data(contentsOf: base.bench.directory.appending(path: "a.wav"))
      let size = sound.count / count + 1
      for number in 0..<count {
        let piece = sound[(number * size)..<min((number + 1) * size, sound.count)]
        let head = number == again ? sound.prefix(44) : Data()
        _ = try base.bench.write(wrap(head + piece), as: "\(number).seg")
      }
    }

    /// Writes a playlist of some of the pieces, each served with the given server behavior.
    func write(
      _ name: String, manner: (Int) -> String = { _ in "plain" }, before: (Int) -> String = { _ in "" },
      end: String = "#EXT-X-ENDLIST\n"
    ) throws {
      let lines = (0..<count).map { before($0) + "#EXTINF:0.7,\n../\(manner($0))/\($0).seg\n" }
      try write(name, "#EXT-X-TARGETDURATION:1\n" + lines.joined() + end)
    }

    func write(_ name: String, _ text: String) throws {
      _ = try base.bench.write(Data(("#EXTM3U\n" + text).utf8), as: name)
    }

    func heard(_ manner: String, _ name: String) throws -> [Float] {
      var listener = try base.listener(manner, name)
      try listener.readToEnd()
      #expect(listener.failure == nil)
      return listener.samples
    }

    /// Checks that every sample is received.
    func expectAll(_ manner: String, _ name: String) throws {
      let isAll = try heard(manner, name) == base.samples
      #expect(isAll)
    }

    func failure(_ manner: String, _ name: String) throws -> WorkerFailure {
      var listener = try base.listener(manner, name)
      return try listener.waitForFailure()
    }

    /// The requested paths, without the byte ranges.
    var requests: [String] { base.server.requests.map { String($0.split(separator: " ")[0]) } }
  }

  /// All samples arrive despite failing connections; besides the playlist, each piece is requested once, in
  /// order.
  @Test(arguments: ["plain", "linear", "moved", "stall", "chop"])
  func segmentsAreOneSound(manner: String) throws {
    let rig = try Rig()
    try rig.write("s.m3u8") { $0 == 3 ? manner : "plain" }
    try rig.expectAll("list", "s.m3u8")
    guard manner == "linear" else { return }
    #expect(rig.requests == ["/list/s.m3u8"] + (0..<6).map { "/\($0 == 3 ? "linear" : "plain")/\($0).seg" })
  }

  @Test func aTransportStreamIsTakenApart() throws {
    var packets = TransportPackets()
    let rig = try Rig(wrapping: { Data(packets.bytes(Array($0))) })
    try rig.write("s.m3u8")
    try rig.expectAll("plain", "s.m3u8")
  }

  @Test(arguments: ["plain", "linear"])
  func segmentsMayBePartsOfOneFile(manner: String) throws {
    let rig = try Rig()
    let size = try Data(contentsOf: rig.base.bench.directory.appending(path: "a.wav")).count
    let half = size / 2
    try rig.write(
      "s.m3u8",
      "#EXTINF:2,\n#EXT-X-BYTERANGE:\(half)@0\n/\(manner)/a.wav\n#EXTINF:2,\n#EXT-X-BYTERANGE:\(size - half)\n"
        + "/\(manner)/a.wav\n#EXT-X-ENDLIST\n")
    try rig.expectAll("list", "s.m3u8")
  }

  /// Relative addresses are resolved against the redirected playlist address, and the best quality is played.
  @Test func aQualityIsChosenBehindARedirection() throws {
    let rig = try Rig()
    try rig.write("s.m3u8")
    try rig.write(
      "master.m3u8",
      "#EXT-X-STREAM-INF:BANDWIDTH=64000\n../status/404/low\n#EXT-X-STREAM-INF:BANDWIDTH=128000\ns.m3u8\n")
    try rig.expectAll("movedlist", "master.m3u8")
    #expect(rig.requests.prefix(3) == ["/movedlist/master.m3u8", "/list/master.m3u8", "/list/s.m3u8"])
  }

  @Test func anotherQualityIsTriedWhereOneIsMissing() throws {
    let rig = try Rig()
    try rig.write("s.m3u8")
    try rig.write(
      "master.m3u8",
      "#EXT-X-STREAM-INF:BANDWIDTH=128000\n../status/404/high\n#EXT-X-STREAM-INF:BANDWIDTH=64000\ns.m3u8\n")
    try rig.expectAll("list", "master.m3u8")
  }

  /// A sliding window is followed to its end, without a gap.
  @Test func aStationIsFollowed() throws {
    let rig = try Rig()
    try rig.write("s.m3u8", end: "")
    try rig.expectAll("slide", "s.m3u8")
    #expect(rig.requests.filter { $0.hasPrefix("/slide") }.count >= 4, "\(rig.requests)")
  }

  /// A missing segment is skipped, and playback continues behind it.
  @Test func aStationGoesOnBehindWhatIsMissing() throws {
    let rig = try Rig(again: 4)
    try rig.write("s.m3u8", manner: { $0 == 3 ? "status/404" : "plain" }, end: "")
    var listener = try rig.base.listener("slide", "s.m3u8")
    try listener.readToEnd()
    #expect(listener.failure == nil)
    let size = rig.base.samples.count / 6
    #expect(abs(listener.samples.count - 5 * size) < 4000, "\(listener.samples.count)")
    let begin = listener.samples.starts(with: rig.base.samples.prefix(3 * size - 100))
    #expect(begin)
    let end = listener.samples.suffix(size).elementsEqual(rig.base.samples.suffix(size))
    #expect(end)
    #expect(Self.secondsLeftOut(listener.events) == 0.7)
  }

  private static func secondsLeftOut(_ events: [WorkerEvent]) -> Double {
    events.reduce(0) { if case .leftOut(let time, _) = $1 { $0 + Double(time) / 1e9 } else { $0 } }
  }

  /// Titles of segments are reported when their sound is played.
  @Test func titlesAreTheStations() throws {
    let rig = try Rig()
    let lines = (0..<6).map { "#EXTINF:0.7,Song \($0 / 3)\n../plain/\($0).seg\n" }
    try rig.write("s.m3u8", lines.joined())
    var listener = try rig.base.listener("slide", "s.m3u8")
    try listener.readToEnd()
    let titles = listener.events.compactMap { if case .titled(let title, _) = $0 { title } else { nil } }
    #expect(titles == ["Song 0", "Song 1"])
  }

  /// An unplayable playlist fails with what, where and why, before any sound.
  @Test(arguments: [
    (
      "#EXT-X-KEY:METHOD=AES-128,URI=\"k\"\n#EXTINF:1,\n0.seg\n#EXT-X-ENDLIST\n",
      WorkerFailure.Kind.protected, "AES-128"
    ),
    ("#EXT-X-TARGETDURATION:1\n", .network, "names no segments"),
    ("#EXT-X-TARGETDURATION:0\n#EXT-X-ENDLIST\n", .network, "names no segments"),
    ("#EXTINF:1,\nfile:///etc/passwd\n#EXT-X-ENDLIST\n", .refused, "file:///etc/passwd"),
    (
      "#EXT-X-VERSION:3\n#EXTINF:1,\n../status/404/0.seg\n", .refused,
      "Segment 0 (HLS): The server has nothing of that name"
    ),
    ("#EXT-X-VERSION:3\n#EXTINF:1,\n../circle/0.seg\n", .refused, "redirects are not followed"),
    (
      "#EXT-X-VERSION:3\n#EXTINF:1,\n../silent/0.seg\n", .network,
      "Segment 0 (HLS): The server does not answer"
    ),
    ("#EXT-X-STREAM-INF:BANDWIDTH=1\nfile:///etc/passwd\n", .refused, "file:///etc/passwd"),
    ("#EXT-X-STREAM-INF:BANDWIDTH=1\ns.m3u8\n", .refused, "was one of them itself"),
    ("#EXT-X-VERSION:3\n", .refused, "neither"),
    ("#EXT-X-MAP:URI=\"../status/503/i\"\n#EXTINF:1,\n0.seg\n", .network, "What describes the segments"),
  ])
  func whatCannotBePlayedSaysWhy(text: String, kind: WorkerFailure.Kind, words: String) throws {
    let rig = try Rig(seconds: 0.5)
    try rig.write("s.m3u8", text)
    let failure = try rig.failure("list", "s.m3u8")
    #expect(failure.kind == kind && failure.sentence.contains(words), "\(failure)")
  }

  @Test func anEndlessPlaylistIsRefused() throws {
    let rig = try Rig(seconds: 0.5)
    let failure = try rig.failure("endlesshls", "s.m3u8")
    #expect(failure.kind == .refused && failure.sentence.contains("does not end within 2 MiB"), "\(failure)")
  }

  /// A station whose playlist does not change counts as lost and is retried.
  @Test func aStationThatStandsStillIsLost() throws {
    let rig = try Rig(seconds: 2)
    try rig.write("s.m3u8", end: "")
    var listener = try rig.base.listener("standstill", "s.m3u8")
    try listener.readToEnd()
    let failure = try #require(listener.failure)
    #expect(failure.kind == .network && failure.sentence.contains("names nothing new"), "\(failure)")
    let size = rig.base.samples.count / 6
    let isSame = listener.samples.elementsEqual(rig.base.samples.prefix(listener.samples.count))
    #expect(isSame)
    // The last incomplete frame of the codec is not played.
    #expect(abs(listener.samples.count - 3 * size) < 20_000)
    // At most one reload per half target duration.
    #expect(rig.requests.filter { $0.hasPrefix("/standstill") }.count < 16, "\(rig.requests)")
  }

  /// A player that has fallen behind the window jumps to it.
  @Test func aWindowThatHasMovedOnIsFollowed() throws {
    let rig = try Rig(count: 12, again: 9)
    try rig.write("s.m3u8", end: "")
    var listener = try rig.base.listener("leap", "s.m3u8")
    try listener.readToEnd()
    #expect(listener.failure == nil)
    let size = rig.base.samples.count / 12
    #expect(abs(listener.samples.count - 6 * size) < 4000, "\(listener.samples.count)")
    let end = listener.samples.suffix(size).elementsEqual(rig.base.samples.suffix(size))
    #expect(end)
  }

  /// An endless segment is played as it arrives, in bounded memory.
  @Test func aSegmentThatNeverEndsIsHeard() throws {
    let rig = try Rig(seconds: 2)
    try rig.write("s.m3u8", "#EXT-X-VERSION:3\n#EXTINF:1,\n../dripping/a.wav\n")
    var listener = try rig.base.listener("list", "s.m3u8")
    try listener.waitUntil(written: 90_000)
    listener.read()
    let isSame = listener.samples.elementsEqual(rig.base.samples.prefix(listener.samples.count))
    #expect(isSame)
  }

  /// A station list that resembles an HLS playlist is still treated as a list.
  @Test func aStationsListIsStillOne() throws {
    let rig = try Rig(seconds: 1)
    try rig.write("s.m3u8", "#EXTINF:-1,Radio\n\(rig.base.server.url("plain", "a.wav"))\n")
    try rig.expectAll("list", "s.m3u8")
    #expect(rig.requests == ["/list/s.m3u8", "/plain/a.wav"])
  }
}
