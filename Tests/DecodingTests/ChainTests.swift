// Stations in chained Ogg: each track sounds like its file, follows without a gap, and is reported by name
// where it begins. Real workers; test threads.

import AudioRing
import ChildSupport
import Decoding
import Foundation
import Platform
import PlaybackModel
import Streaming
import RealTimeSupport
import Testing

@Suite(.realTime) struct ChainTests {
  private struct Named: Equatable {
    let title: String
    let index: UInt64
  }

  private final class Rig {
    let bench: Workbench
    let server: UnrulyServer

    init() throws {
      let names = ["Vorbis", "Opus", "FLAC"]
      bench = try Workbench(
        plugins: Dictionary(uniqueKeysWithValues: names.map { ($0, ShippedCodecs.file($0)) }))
      server = try UnrulyServer(serving: bench.directory)
    }

    /// Encodes a tone: `ogg` is Vorbis, `oga` FLAC. An empty title writes no tags.
    func tone(
      _ name: String, _ hertz: Int, title: String = "", seconds: Double = 1.5, rate: Int = 44_100,
      channels: Int = 2
    ) throws {
      let coding = ["ogg": "libvorbis -q:a 5", "opus": "libopus", "oga": "flac"][
        String(name.split(separator: ".")[1])]!
      let tags = title.isEmpty ? "-map_metadata -1" : "-metadata artist=Tones -metadata title=\(title)"
      let child = try Child(
        URL(filePath: "/bin/sh"),
        [
          "-c",
          "ffmpeg -v error -f lavfi -i sine=frequency=\(hertz):duration=\(seconds):sample_rate=\(rate) -ac \(channels) \(tags) "
            + "-c:a \(coding) -f ogg \(name)",
        ], in: bench.directory)
      let outcome = child.wait(seconds: 60)
      try #require(outcome.status == 0, "\(outcome)")
    }

    /// The samples of a file decoded by itself.
    func alone(_ name: String, rate: Int) throws -> [Float] {
      let data = try Data(contentsOf: bench.directory.appendingPathComponent(name))
      var listener = Listener(try bench.worker(data, name: "copy-" + name, rate: rate))
      try listener.readToEnd()
      try #require(listener.failure == nil)
      return listener.samples
    }

    func listener(_ manner: String, _ names: String, rate: Int) throws -> Listener {
      var request = WorkerRequest(path: server.url(manner, names), rate: SampleRate(rate))
      request.executable = Workbench.executable
      request.plugins = bench.plugins
      request.stream?.plugins = Workbench.products.path
      return Listener(try CodecWorker(request, now: MonotonicClock.now()))
    }
  }

  /// Reads until there are `samples` samples or the stream has failed.
  private func read(_ listener: inout Listener, samples: Int) throws {
    let limit = MonotonicClock.now() + 20_000_000_000
    while listener.samples.count < samples {
      if MonotonicClock.now() > limit { throw Listener.TimedOut() }
      listener.read()
      if listener.failure != nil, listener.worker.ring.writeIndex == listener.index { return }
      listener.worker.wake()
      listener.step()
    }
  }

  private func names(_ listener: Listener) -> [Named] {
    listener.events.compactMap { event in
      if case .titled(let title, let index) = event { Named(title: title, index: index) } else { nil }
    }
  }

  /// With the server sending everything at once or in small pieces of all sizes.
  @Test(arguments: ["ogg", "opus", "oga"], ["chain", "drip"])
  func tracksFollowWithoutAGap(format: String, manner: String) throws {
    let rate = format == "opus" ? 48_000 : 44_100
    let rig = try Rig()
    let files = ["a", "b", "c"].map { "\($0).\(format)" }
    for (name, hertz, title) in zip3(files, [400, 600, 800], ["One", "Two", "Three"]) {
      try rig.tone(name, hertz, title: title)
    }
    let alone = try files.map { try rig.alone($0, rate: rate) }
    let whole = alone.flatMap { $0 }
    var listener = try rig.listener(manner, files.joined(separator: "+"), rate: rate)
    // The codec may hold back the frames of its last packet.
    try read(&listener, samples: whole.count - alone[alone.count - 1].count + 2)
    #expect(listener.failure == nil)
    #expect(whole.starts(with: listener.samples))
    let begins = [0, alone[0].count / 2, (alone[0].count + alone[1].count) / 2].map { UInt64($0) }
    #expect(
      names(listener)
        == zip(["One", "Two", "Three"], begins).map { Named(title: "Tones - " + $0, index: $1) })
    // The station has its own name.
    #expect(listener.opened?.tags.title == "Chain" && listener.opened?.tags.artist == "")
  }

  /// Rate and channel count may change between tracks; pitch and length stay correct.
  @Test(arguments: ["ogg", "oga"], [44_100, 48_000])
  func tracksMayHaveOtherShapes(format: String, rate: Int) throws {
    let rig = try Rig()
    let shapes = [(44_100, 2), (48_000, 2), (48_000, 1), (22_050, 1), (44_100, 2)]
    let files = shapes.indices.map { "\($0).\(format)" }
    for (name, shape) in zip(files, shapes) {
      try rig.tone(name, 500, title: name, rate: shape.0, channels: shape.1)
    }
    let alone = try files.map { try rig.alone($0, rate: rate) }
    let whole = alone.flatMap { $0 }
    var listener = try rig.listener("chain", files.joined(separator: "+"), rate: rate)
    // The codec may hold back the frames of its last packet.
    try read(&listener, samples: whole.count - alone[alone.count - 1].count + 2)
    #expect(listener.failure == nil)
    #expect(whole.starts(with: listener.samples))
    var begins: [UInt64] = [0]
    for sound in alone { begins.append(begins[begins.count - 1] + UInt64(sound.count / 2)) }
    #expect(names(listener) == zip(files, begins).map { Named(title: "Tones - " + $0, index: $1) })
  }

  /// Tracks of the same rate and channel count share one resampler, so the join has no edge.
  @Test func tracksOfOneRateAreConvertedAsOne() throws {
    let rig = try Rig()
    for (name, seconds) in [("a.oga", 2.0), ("b.oga", 6)] {
      try rig.tone(name, 441, title: name, seconds: seconds)
    }
    var listener = try rig.listener("chain", "a.oga+b.oga", rate: 48_000)
    try read(&listener, samples: 2 * 170_000)
    #expect(names(listener).map { $0.index } == [0, 96_000])
    // Each track has whole periods of the tone, so steps between samples are limited by its slope.
    let left = stride(from: 20_000, to: 340_000, by: 2).map { listener.samples[$0] }
    let step = zip(left, left.dropFirst()).map { abs($1 - $0) }.max() ?? 1
    let peak = left.map { abs($0) }.max() ?? 0
    #expect(step < peak * Float(2 * Double.pi * 441 / 48_000) * 1.02, "\(step) \(peak)")
  }

  @Test func aTrackThatIsBrokenOffIsHeardAsFarAsItGoes() throws {
    for format in ["ogg", "opus", "oga"] {
      let rate = format == "opus" ? 48_000 : 44_100
      let rig = try Rig()
      try rig.tone("a.\(format)", 400, title: "One", seconds: 3)
      try rig.tone("b.\(format)", 600, title: "Two", seconds: 3)
      let (first, second) = (
        try rig.alone("a.\(format)", rate: rate), try rig.alone("b.\(format)", rate: rate)
      )
      let size = try Data(contentsOf: rig.bench.directory.appendingPathComponent("a.\(format)")).count
      var listener = try rig.listener("chain", "a.\(format):\(size * 2 / 3)+b.\(format)", rate: rate)
      try read(&listener, samples: 2 * rate * 7 / 2)
      let begin = try #require(names(listener).last)
      #expect(begin.title == "Tones - Two" && begin.index > UInt64(rate))
      let (head, tail) = (
        listener.samples.prefix(Int(begin.index) * 2), listener.samples.dropFirst(Int(begin.index) * 2)
      )
      #expect(first.starts(with: head) && second.starts(with: tail), "\(format) \(begin)")
    }
  }

  /// A track without comments is reported under the station's name; the track before keeps its own name.
  @Test(arguments: ["ogg", "opus", "oga"]) func aTrackWithoutAName(format: String) throws {
    let rate = format == "opus" ? 48_000 : 44_100
    let rig = try Rig()
    try rig.tone("a.\(format)", 400)
    try rig.tone("b.\(format)", 500, title: "One")
    try rig.tone("c.\(format)", 600)
    var listener = try rig.listener("chain", "a.\(format)+b.\(format)+c.\(format)", rate: rate)
    try read(&listener, samples: 2 * rate * 4)
    #expect(names(listener).map { $0.title } == ["Tones - One", "Chain"])
  }

  /// Without either name the track is called "untitled", because the address may contain a password.
  @Test func aTrackWithoutANameOfAStationWithoutOne() throws {
    let rig = try Rig()
    try rig.tone("a.ogg", 500, title: "One")
    try rig.tone("b.ogg", 600)
    try rig.tone("c.ogg", 700, title: "Two")
    var listener = try rig.listener("nameless", "a.ogg+b.ogg+c.ogg", rate: 44_100)
    try read(&listener, samples: 2 * 44_100 * 4)
    #expect(names(listener).map { $0.title } == ["Tones - One", "untitled", "Tones - Two"])
  }

  /// A track of another codec cannot follow; the station is reconnected, as after a loss.
  @Test(arguments: [("ogg", "opus"), ("opus", "oga"), ("oga", "ogg")])
  func anotherCodecIsBegunAnew(first: String, second: String) throws {
    let rate = first == "opus" ? 48_000 : 44_100
    let rig = try Rig()
    try rig.tone("a.\(first)", 400)
    try rig.tone("b.\(second)", 600)
    let alone = try rig.alone("a.\(first)", rate: rate)
    var listener = try rig.listener("chain", "a.\(first)+b.\(second)", rate: rate)
    try read(&listener, samples: .max)
    #expect(listener.samples == alone)
    let failure = try #require(listener.failure)
    #expect(failure.kind == .network && failure.sentence.contains("changed to a format"), "\(failure)")
  }

  @Test func linksWithoutSoundEndIt() throws {
    let rig = try Rig()
    try rig.tone("a.opus", 400, title: "One")
    let alone = try rig.alone("a.opus", rate: 48_000)
    var listener = try rig.listener("relinks", "a.opus", rate: 48_000)
    try read(&listener, samples: .max)
    #expect(listener.samples == alone)
    let failure = try #require(listener.failure)
    #expect(failure.kind == .network && failure.sentence.contains("again and again"), "\(failure)")
    #expect(names(listener).map { $0.title } == ["Tones - One"])
  }

  @Test func commentsOfAMegabyteAreCut() throws {
    let rig = try Rig()
    try rig.tone("a.opus", 400, title: "One", channels: 1)
    let alone = try rig.alone("a.opus", rate: 48_000)
    var listener = try rig.listener("bigcomments", "a.opus", rate: 48_000)
    let silent = 2 * (50 * 960 - 312)
    try read(&listener, samples: 2 * alone.count + silent - 24_000)
    #expect(listener.failure == nil)
    let whole = alone + Array(repeating: 0, count: silent) + alone
    let heard = listener.samples
    let difference = zip(whole, heard).map { abs($0 - $1) }.max() ?? 1
    #expect(difference < 1e-3, "\(difference)")
    let titles = names(listener).map { $0.title }
    #expect(titles.count == 3 && titles[1].hasPrefix("Big - ttt") && titles[1].utf8.count <= 256, "\(titles)")
  }

  private func zip3<A, B, C>(_ a: [A], _ b: [B], _ c: [C]) -> [(A, B, C)] {
    zip(a, zip(b, c)).map { ($0, $1.0, $1.1) }
  }
}
