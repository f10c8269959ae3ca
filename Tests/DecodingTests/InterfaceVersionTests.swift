// Plugins of each interface version, and what a plugin may report about a stream: limits on both sides of the
// protocol. Test threads.

import Foundation
import PlaybackModel
import Testing

@testable import Decoding

@Suite struct InterfaceVersionTests {
  /// A plugin table of an earlier version is loaded and never read past its end, where the bytes would crash
  /// a call.
  @Test(
    arguments: [
      ("libFirstInterface.so", 1, "", nil), ("libSecondInterface.so", 2, "One genre", 3),
      ("libMeasuringInterface.so", 2, "One genre", 3),
    ] as [(String, Int, String, Int?)]) func pluginsOfEarlierVersionsPlay(
      product: String, version: Int, genre: String, disc: Int?
    ) throws
  {
    let bench = try Workbench(plugins: ["Old": product])
    let file = Data("SWIFTLETOLDCODE\(version)".utf8)
    var listener = Listener(try bench.worker(file, name: "track.swold"))
    try listener.readToEnd()
    let tags = try #require(listener.opened?.tags)
    #expect(tags.artist == "One artist" && tags[.artist] == ["One artist"])
    #expect(tags.genre == genre && tags.discNumber == disc)
    #expect(listener.ended?.total == Frames(1000))
    let expected = (0..<1000).flatMap { [Float($0) / 32768, Float($0) / 32768] }
    let isExact = listener.samples == expected
    #expect(isExact)
    let info = try Inspection.probe(bench.directory.appendingPathComponent("track.swold").path) {
      $0.executable = Workbench.executable
      $0.plugins = bench.plugins
    }
    #expect(info.sourceFrames == 1000 && info.chapters.isEmpty)
    #expect(
      Inspection.plugins(in: bench.plugins, executable: Workbench.executable).map { $0.description?.name }
        == ["old"])
  }

  private func probe(_ behaviour: Behaviour) throws -> StreamInfo {
    let bench = try Workbench()
    let path = try bench.write(TestFile(behaviour: behaviour).bytes, as: "track.swtest")
    return try Inspection.probe(path) {
      $0.executable = Workbench.executable
      $0.plugins = bench.plugins
    }
  }

  /// Details are limited to what the interface allows, however much a plugin reports.
  @Test func tooManyDetailsAreCut() throws {
    let info = try probe(.tooManyDetails)
    var bytes = 0
    for tag in TextTag.allCases {
      let values = info.tags[tag]
      #expect(values.count <= Limits.valuesOfTag && values.allSatisfy { $0.utf8.count == 255 })
      bytes += values.reduce(0) { $0 + $1.utf8.count }
    }
    #expect(bytes > Limits.values - 256 && bytes <= Limits.values)
    let titles = info.chapters.reduce(0) { $0 + $1.title.utf8.count }
    #expect(titles > Limits.chapterTitles - 256 && titles <= Limits.chapterTitles)
    #expect(info.chapters.count <= Limits.chapters)
    let starts = info.chapters.map { $0.start }
    #expect(starts == starts.sorted())
  }

  @Test func detailsThatCannotBeAreRefused() throws {
    let info = try probe(.wrongDetails)
    #expect(info.tags[.artist] == ["a]0;b\u{FFFD}(!", "cut"])
    #expect(info.tags.artist == "a]0;b\u{FFFD}(!, cut")
    #expect(
      info.chapters == [
        StreamInfo.Chapter(start: 1000, end: nil, title: ""),
        StreamInfo.Chapter(start: 2000, end: nil, title: "turned round"),
      ])
  }

  /// A failure while reading details loses only the details.
  @Test func aTrackPlaysWithoutItsDetails() throws {
    #expect(try probe(.detailsFail).tags[.artist].isEmpty)
    let bench = try Workbench()
    var listener = Listener(try bench.worker(TestFile(behaviour: .detailsFail, frames: 5000)))
    try listener.readToEnd()
    #expect(listener.ended?.total == Frames(5000))
  }

  @Test func aPluginThatBreaksInItsDetailsCostsItsTrack() throws {
    for (behaviour, kind) in [
      (Behaviour.crashInDetails, WorkerFailure.Kind.decoderCrashed), (.hangInDetails, .decoderHung),
    ] {
      let bench = try Workbench()
      var listener = Listener(
        try bench.worker(TestFile(behaviour: behaviour)) { $0.timeoutNanoseconds = 300_000_000 })
      #expect(try listener.waitForFailure().kind == kind)
    }
  }

  // MARK: The protocol

  private static func info(_ tags: StreamInfo.Tags) -> StreamInfo {
    StreamInfo(
      sourceRate: 44_100, channels: 2, bits: 16, isFloat: false, sourceFrames: 1, totalFrames: Frames(1),
      canSeek: true, isSandboxed: true, format: "WAV", codec: "pcm", tags: tags,
      loudness: StreamInfo.Loudness())
  }

  /// The largest possible description fits into a message.
  @Test func valuesCrossTheProtocol() throws {
    var tags = StreamInfo.Tags()
    for tag in TextTag.allCases {
      tags[tag] = (0..<40).map { String(repeating: "ä", count: 60) + "\(tag) \($0)" }
    }
    #expect(tags[.title].count == Limits.valuesOfTag && tags[.date].count < Limits.valuesOfTag)
    let message = WorkerMessage.opened(Self.info(tags))
    #expect(message.bytes.count < 6144)
    let isSame = WorkerMessage(message.bytes[...]) == message
    #expect(isSame)
    for count in 0..<message.bytes.count {
      let isMessage = WorkerMessage(message.bytes.prefix(count)) != nil
      #expect(!isMessage)
    }
  }

  @Test func valuesAreKeptOnceAndWithinBounds() {
    var tags = StreamInfo.Tags()
    tags[.artist] = ["A", "", "B", "A", "Ä", "A\u{308}"]
    #expect(tags[.artist].map { Array($0.utf8) } == ["A", "B", "Ä", "A\u{308}"].map { Array($0.utf8) })
    #expect(tags.artist == "A, B, Ä, A\u{308}")
    tags.artist = "One"
    #expect(tags[.artist] == ["One"] && tags.genre.isEmpty)
    tags[.genre] = (0..<16).map { "\($0)" + String(repeating: "x", count: 60) }
    #expect(tags.genre.utf8.count <= 255)
  }

  @Test(arguments: [(-1, nil), (0, -1), (5, 4), (1 << 60, nil), (0, 1 << 60)] as [(Int64, Int64?)])
  func chaptersThatCannotBeAreNonsense(start: Int64, end: Int64?) {
    let message = WorkerMessage.chapter(StreamInfo.Chapter(start: start, end: end, title: "x"))
    #expect(WorkerMessage(message.bytes[...]) == nil)
  }

  private static func conversation(isProbe: Bool) -> Conversation {
    Conversation(WorkerEquipment(hint: "PCM", hasResampler: false), start: 0, isProbe: isProbe)
  }

  private static func chapter(_ start: Int64) -> [UInt8] {
    WorkerMessage.chapter(StreamInfo.Chapter(start: start, end: nil, title: "\(start)")).bytes
  }

  /// Chapters are accepted in order, before the description, and only from a worker that was started as a
  /// probe.
  @Test func chaptersAreBelievedInTheirPlace() {
    var asked = Self.conversation(isProbe: true)
    for start in [0, 5, 5, 9] as [Int64] { #expect(asked.receive(Self.chapter(start)[...]) == .stale) }
    var expected = Self.info(StreamInfo.Tags())
    expected.chapters = ([0, 5, 5, 9] as [Int64]).map {
      StreamInfo.Chapter(start: $0, end: nil, title: "\($0)")
    }
    let opened = asked.receive(WorkerMessage.opened(Self.info(StreamInfo.Tags())).bytes[...])
    #expect(opened == .event(.opened(expected)))
    #expect(asked.receive(Self.chapter(10)[...]) == .nonsense)

    var playing = Self.conversation(isProbe: false)
    #expect(playing.receive(Self.chapter(0)[...]) == .nonsense)
    var unordered = Self.conversation(isProbe: true)
    _ = unordered.receive(Self.chapter(5)[...])
    #expect(unordered.receive(Self.chapter(4)[...]) == .nonsense)
    var endless = Self.conversation(isProbe: true)
    for _ in 0..<Limits.chapters { #expect(endless.receive(Self.chapter(1)[...]) == .stale) }
    #expect(endless.receive(Self.chapter(1)[...]) == .nonsense)
  }
}
