// Seeking in a station's past: the sound after a seek is that of the requested second, in every stream
// format. The test signal is a staircase: each second has its own pitch. Real workers; test threads.

import AudioRing
import CLinux
import ChildSupport
import Decoding
import Foundation
import Platform
import PlaybackModel
import Streaming
import RealTimeSupport
import Testing

@Suite(.realTime) struct TimeShiftTests {
  private final class Rig {
    let bench: Workbench
    let server: UnrulyServer

    init() throws {
      var plugins: [String: String] = [:]
      for name in ["MPEG", "AAC", "Vorbis", "Opus", "FLAC", "PCM"] {
        plugins[name] = ShippedCodecs.file(name)
      }
      bench = try Workbench(plugins: plugins)
      server = try UnrulyServer(serving: bench.directory)
    }

    /// Encodes a staircase: second `n` sounds at `300 + 30 * (first + n)` Hz.
    func stairs(_ name: String, seconds: Int, first: Int = 0, rate: Int = 44_100, title: String = "") throws {
      let ending = String(name.split(separator: ".")[1])
      let coding = [
        "wav": "pcm_s16le -f wav", "mp3": "libmp3lame -b:a 96k -f mp3", "aac": "aac -b:a 96k -f adts",
        "ogg": "libvorbis -q:a 3 -f ogg", "opus": "libopus -b:a 96k -f ogg", "oga": "flac -f ogg",
      ][ending]!
      let tags = title.isEmpty ? "-map_metadata -1" : "-metadata artist=Stairs -metadata title=\(title)"
      let sound = "aevalsrc='0.5*sin(2*PI*(300+30*(\(first)+floor(t)))*t)':d=\(seconds):s=\(rate)"
      let child = try Child(
        URL(filePath: "/bin/sh"),
        [
          "-c",
          "ffmpeg -v error -f lavfi -i \"\(sound)\" -ac 2 -fflags +bitexact \(tags) -c:a \(coding) \(name)",
        ],
        in: bench.directory)
      let outcome = child.wait(seconds: 60)
      try #require(outcome.status == 0, "\(outcome)")
    }

    /// Makes an HLS playlist of a staircase, with ten segments in thirty target durations, so that a station
    /// is joined at its beginning.
    func segments(_ name: String, kind: String, seconds: Int, each: Int, coding: String) throws {
      let sound = "aevalsrc='0.5*sin(2*PI*(300+30*floor(t))*t)':d=\(seconds):s=48000"
      let child = try Child(
        URL(filePath: "/bin/sh"),
        [
          "-c",
          "ffmpeg -v error -f lavfi -i \"\(sound)\" -ac 2 \(coding) -f hls -hls_time \(each) -hls_list_size 0 -hls_segment_type \(kind) "
            + "-hls_fmp4_init_filename \(name).mp4 all.m3u8 && sed -e '/ENDLIST/d' -e 's/DURATION:.*/DURATION:30/' "
            + "-e 's|^all|../plain/all|' -e 's|URI=\"|URI=\"../plain/|' all.m3u8 > \(name).m3u8",
        ],
        in: bench.directory)
      let outcome = child.wait(seconds: 60)
      try #require(outcome.status == 0, "\(outcome)")
    }

    func listener(_ manner: String, _ name: String, window: Int = 4 << 20) throws -> Listener {
      var request = WorkerRequest(path: server.url(manner, name), rate: SampleRate(48_000))
      request.executable = Workbench.executable
      request.plugins = bench.plugins
      request.stream?.plugins = Workbench.products.path
      request.stream?.window = window
      return Listener(try CodecWorker(request, now: MonotonicClock.now()))
    }
  }

  /// Reads some more seconds of sound.
  private func read(_ listener: inout Listener, seconds: Double) throws {
    let limit = MonotonicClock.now() + 30_000_000_000
    let wanted = listener.samples.count + Int(seconds * 96_000)
    while listener.samples.count < wanted {
      try #require(MonotonicClock.now() < limit && listener.failure == nil, "\(listener.events)")
      listener.read()
      listener.worker.wake()
      listener.step()
    }
  }

  /// Waits until the station's newest position is at `seconds`.
  private func waitUntil(_ listener: inout Listener, newest seconds: Double) throws {
    let limit = MonotonicClock.now() + 30_000_000_000
    while (listener.worker.stationWindow(now: MonotonicClock.now())?.newest.count ?? 0)
      < Int64(seconds * 48_000)
    {
      try #require(MonotonicClock.now() < limit && listener.failure == nil, "\(listener.events)")
      listener.step()
    }
  }

  /// Reads until playback is four seconds behind live.
  private func lag(_ listener: inout Listener) throws {
    let limit = MonotonicClock.now() + 30_000_000_000
    while (listener.worker.stationWindow(now: MonotonicClock.now())?.lag.count ?? 0) < 4 * 48_000 {
      try #require(MonotonicClock.now() < limit && listener.failure == nil, "\(listener.events)")
      listener.step()
    }
  }

  /// Seeks. Returns the new position in seconds, and the staircase step that plays 0.4 s later.
  private func seek(_ listener: inout Listener, to second: Double) throws -> (position: Double, step: Double)
  {
    let index = (listener.index >> 20 + 1) << 20
    listener.retain(index)
    let seek = listener.worker.seek(
      to: Frames(Int64(second * 48_000)), index: index, now: MonotonicClock.now())
    let found = try listener.wait { event -> Int64? in
      if case .seeked(seek, let position, _) = event { position.count } else { nil }
    }
    (listener.samples, listener.index) = ([], index)
    try read(&listener, seconds: 0.7)
    return (Double(found) / 48_000, Self.step(listener.samples[(2 * 19_200)...]))
  }

  /// The staircase step of a quarter of a second of sound, from its zero crossings.
  private static func step(_ samples: ArraySlice<Float>) -> Double {
    let left = stride(from: samples.startIndex, to: samples.startIndex + 24_000, by: 2).map { samples[$0] }
    let rises = left.indices.dropFirst().filter { left[$0 - 1] < 0 && left[$0] >= 0 }
    guard let first = rises.first, let last = rises.last, last > first else { return -1 }
    return (Double(rises.count - 1) * 48_000 / Double(last - first) - 300) / 30
  }

  /// Checks a seek. The measured quarter of a second may contain parts of two steps.
  private func expect(_ found: (position: Double, step: Double), near second: Double, _ note: String) {
    // A seek in Ogg goes to a page, which may contain seconds.
    #expect(abs(found.position - second) < 2, "\(note) \(second): \(found)")
    #expect(abs(found.step - (found.position + 0.5).rounded(.down)) < 1.3, "\(note) \(second): \(found)")
  }

  @Test(arguments: ["wav", "mp3", "aac", "ogg", "opus", "oga"])
  func aSeekLeadsToTheSecond(format: String) throws {
    let rig = try Rig()
    try rig.stairs("a.\(format)", seconds: 24, rate: format == "wav" ? 16_000 : 44_100)
    var listener = try rig.listener("whole", "a.\(format)")
    _ = try listener.waitForReady()
    try read(&listener, seconds: 20)
    if let kilobits = ["wav": 512, "mp3": 96][format] {
      let told = try #require(listener.worker.stationKilobitsPerSecond)
      #expect(abs(told - kilobits) <= kilobits / 20, "\(format) \(told)")
    }
    for second in [2.0, 17, 8, 9, 0.5] {
      expect(try seek(&listener, to: second), near: second, format)
    }
    // Beyond the ends: the oldest kept position and the live edge.
    #expect(try seek(&listener, to: 0).position < 1)
    let newest =
      Double(try #require(listener.worker.stationWindow(now: MonotonicClock.now())).newest.count) / 48_000
    let present = try seek(&listener, to: 1000)
    #expect(present.position > newest - 4 && present.position < newest, "\(format) \(present) \(newest)")
  }

  /// The smallest window holds what a decoder reads before it has opened the stream, however fast the server
  /// is. A long file of a server without range requests is not read to its end first.
  @Test(arguments: ["wav", "mp3", "aac", "ogg", "opus", "oga"], ["whole", "linear"])
  func aSmallWindowKeepsTheBeginning(format: String, manner: String) throws {
    let rig = try Rig()
    try rig.stairs("a.\(format)", seconds: 40, rate: format == "wav" ? 16_000 : 44_100)
    var listener = try rig.listener(manner, "a.\(format)", window: 256 << 10)
    _ = try listener.waitForReady()
    try read(&listener, seconds: 20)
    #expect(abs(Self.step(listener.samples[(96_000 * 18 + 24_000)...]) - 18) < 0.5, "\(format) \(manner)")
  }

  /// Bytes that were not decoded are converted to time by the bit rate.
  @Test(arguments: ["mp3", "opus"]) func aSeekLeadsOverWhatWasNotHeard(format: String) throws {
    let rig = try Rig()
    try rig.stairs("a.\(format)", seconds: 30)
    var listener = try rig.listener("whole", "a.\(format)")
    _ = try listener.waitForReady()
    try read(&listener, seconds: 5)
    try waitUntil(&listener, newest: 26)
    for second in [20.0, 9, 24, 2] {
      let found = try seek(&listener, to: second)
      #expect(abs(found.position - second) < 1.5 && abs(found.step - second) < 4, "\(second): \(found)")
    }
  }

  /// A seek interrupts a wait for bytes.
  @Test(arguments: ["wav", "mp3", "aac", "ogg", "opus", "oga"])
  func aSeekLeavesTheWaitForBytes(format: String) throws {
    let rig = try Rig()
    try rig.stairs("a.\(format)", seconds: 8)
    var listener = try rig.listener("whole", "a.\(format)")
    _ = try listener.waitForReady()
    try read(&listener, seconds: 7)
    let limit = MonotonicClock.now() + 20_000_000_000
    while listener.worker.ring.reader.storageWaits.present(now: MonotonicClock.now()) == 0 {
      try #require(MonotonicClock.now() < limit)
      listener.read()
      listener.worker.wake()
      listener.step()
    }
    // Sooner than the ten seconds after which a silent server is contacted again.
    let begun = MonotonicClock.now()
    expect(try seek(&listener, to: 3), near: 3, format)
    #expect(MonotonicClock.now() - begun < 5_000_000_000)
  }

  /// The replacement of a crashed decoder plays the live edge; positions continue from the end of the sound,
  /// and seeks lead to decoded frames.
  @Test(arguments: ["wav", "mp3", "aac", "ogg", "opus", "oga"])
  func aSuccessorContinuesThePosition(format: String) throws {
    let rig = try Rig()
    try rig.stairs("a.\(format)", seconds: 24, rate: format == "wav" ? 16_000 : 44_100)
    var listener = try rig.listener("whole", "a.\(format)")
    _ = try listener.waitForReady()
    try read(&listener, seconds: 6)
    #expect(kill(listener.worker.processID, SIGKILL) == 0)
    _ = try listener.wait { if case .died = $0 { true } else { nil } }
    listener.read()
    listener.events = []
    let (index, position) = (listener.index, Frames(3600 * 48_000))
    listener.worker.restart(at: position, index: index, now: MonotonicClock.now())
    #expect(listener.worker.stationWindow(now: MonotonicClock.now()) == nil)
    let found = try listener.wait { event -> Frames? in
      if case .seeked(_, let place, index) = event { place } else { nil }
    }
    #expect(found == position, "\(format)")
    listener.samples = []
    try read(&listener, seconds: 12)
    // The server restarts the staircase at its bottom.
    #expect(abs(Self.step(listener.samples[(96_000 * 10 + 24_000)...]) - 10) < 0.5, "\(format)")
    let window = try #require(listener.worker.stationWindow(now: MonotonicClock.now()))
    #expect(
      abs(window.oldest.count - position.count) < 48_000 && window.newest > position + Frames(11 * 48_000),
      "\(format) \(window)")
    for second in [2.0, 8] {
      let found = try seek(&listener, to: 3600 + second)
      expect((found.position - 3600, found.step), near: second, format)
    }
  }

  /// Seeking to the live edge reconnects, because the old connection would continue with the past.
  @Test func thePresentIsJoinedAnew() throws {
    let rig = try Rig()
    // At the engine's rate, because a worker that is replaced for resampling restarts, and the beginning may
    // have left the window by then.
    try rig.stairs("a.mp3", seconds: 90, rate: 48_000)
    try rig.stairs("b.mp3", seconds: 10, first: 50, rate: 48_000)
    // The window is too small for the whole file, so the server is blocked.
    var listener = try rig.listener("anew", "a.mp3+b.mp3", window: 512 << 10)
    _ = try listener.waitForReady()
    try read(&listener, seconds: 2)
    try lag(&listener)
    let found = try seek(&listener, to: 1000)
    #expect((49...53).contains(found.step), "\(found)")
    #expect(rig.server.requests.count == 2)
  }

  /// Seeks into links of other rates, whose headers were read long ago; titles are reported again with their
  /// sound.
  @Test(arguments: ["ogg", "oga"]) func aSeekLeadsIntoAnotherLink(format: String) throws {
    let rig = try Rig()
    let rates = [44_100, 48_000, 22_050]
    for (number, rate) in rates.enumerated() {
      try rig.stairs("\(number).\(format)", seconds: 8, first: 8 * number, rate: rate, title: "No\(number)")
    }
    var listener = try rig.listener("chain", [0, 1, 2].map { "\($0).\(format)" }.joined(separator: "+"))
    _ = try listener.waitForReady()
    try read(&listener, seconds: 20)
    for (second, title) in [(4.0, "No0"), (19, "No2"), (12, "No1"), (3, "No0")] {
      listener.events = []
      let found = try seek(&listener, to: second)
      expect(found, near: second, format)
      #expect(Int((found.step + 0.5) / 8) == Int(title.dropFirst(2))!, "\(second): \(found)")
      let named = try listener.wait { if case .titled(let title, _) = $0 { title } else { nil } }
      #expect(named == "Stairs - " + title, "\(second): \(found)")
    }
  }

  /// Segments of either container form one sound with the usual seeks.
  @Test(arguments: ["mpegts", "fmp4"])
  func aSeekLeadsIntoASegment(kind: String) throws {
    let rig = try Rig()
    try rig.segments("s", kind: kind, seconds: 20, each: 2, coding: "-c:a aac -b:a 96k")
    var listener = try rig.listener("list", "s.m3u8")
    _ = try listener.waitForReady()
    try read(&listener, seconds: 12)
    for second in [3.0, 11, 6, 17] {
      expect(try seek(&listener, to: second), near: second, kind)
    }
  }

  /// Seeking to the live edge skips the segments before it.
  @Test func thePresentOfSegmentsIsGoneTo() throws {
    let rig = try Rig()
    try rig.segments("s", kind: "mpegts", seconds: 179, each: 30, coding: "-c:a libmp3lame -b:a 96k")
    var listener = try rig.listener("leap", "s.m3u8", window: 512 << 10)
    _ = try listener.waitForReady()
    try read(&listener, seconds: 2)
    try lag(&listener)
    let found = try seek(&listener, to: 1000)
    #expect((89...93).contains(found.step), "\(found)")
  }
}
