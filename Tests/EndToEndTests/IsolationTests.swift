// Hostile decoders in a queue: each fails only its own track, and the others lose no frame. Test threads.

import ChildSupport
import Foundation
import RealTimeSupport
import Testing
import VirtualCardSupport

/// A file for the test codec and its behavior; the numbers are those of TestCodec.c.
enum Misdeed: UInt32, CaseIterable, Sendable {
  case crash = 2
  case abort = 3
  case hangInOpen = 4
  case hangInDecode = 5
  case allocate = 6
  case openFile = 7
  case fork = 8
  case scribbleHeader = 9
  case tooManyFrames = 10
  case corruptMidway = 13
  case protected = 14
  case connect = 16
  case exit = 17
  case mapExecutable = 18
  case forgeMessage = 19

  func file(rate: UInt32 = 44100, when: UInt32, frames: Int64) -> Data {
    var data = Data("SWIFTLETTESTCODE".utf8)
    for value in [rawValue, rate, 2, when] { withUnsafeBytes(of: value) { data.append(contentsOf: $0) } }
    for value in [frames, frames] { withUnsafeBytes(of: value) { data.append(contentsOf: $0) } }
    return data
  }

  /// A word that the printed error must contain.
  var word: String {
    switch self {
    case .crash, .abort, .exit, .tooManyFrames, .forgeMessage, .allocate: "crash"
    case .hangInOpen, .hangInDecode: "stopped making progress"
    case .openFile, .fork, .connect, .mapExecutable: "forbid"
    case .scribbleHeader: "not allowed"
    case .corruptMidway: "damaged"
    case .protected: "protected"
    }
  }
}

extension Workbench {
  /// An environment that also loads the test codec.
  func hostileEnvironment() throws -> [String: String] {
    let plugins = directory.appendingPathComponent("plugins")
    try FileManager.default.createDirectory(at: plugins, withIntermediateDirectories: true)
    let names = ShippedCodecs.names.map { ShippedCodecs.file($0) }
    for (name, product) in names.map({ ($0, $0) }) + [("libSwiftletCodecTest.so", "libTestCodec.so")] {
      try FileManager.default.createSymbolicLink(
        at: plugins.appendingPathComponent(name),
        withDestinationURL: Self.products.appendingPathComponent(product))
    }
    return ["SWIFTLET_CODECS": plugins.path]
  }
}

@Suite(.realTime) struct IsolationTests {
  @Test(arguments: Misdeed.allCases) func aHostileTrackCostsOnlyItself(misdeed: Misdeed) throws {
    let bench = try Workbench()
    let environment = try bench.hostileEnvironment()
    let before = Sound.piece(seconds: 1.5, seed: 3)
    let after = Sound.piece(seconds: 1.5, seed: 4)
    let files = [
      try bench.write(before, as: "before.wav"),
      try bench.write(misdeed.file(when: 20_000, frames: 60_000), as: "hostile.swtest"),
      try bench.write(after, as: "after.wav"),
    ]
    let outcome = try bench.play(
      ["--output", "out.wav", "--format", "S16"], files, environment: environment)
    #expect(!outcome.isCrash && outcome.status == 1, "\(outcome)")
    #expect(outcome.reports("hostile.swtest", misdeed.word), "\(outcome.errors)")
    let heard = try Sound(wav: Data(contentsOf: bench.directory.appendingPathComponent("out.wav")))
    try #require(heard.frames >= before.frames + after.frames)
    #expect(difference(heard.int16.prefix(before.count), before.int16) == nil)
    #expect(difference(heard.int16.suffix(after.count), after.int16) == nil)
  }

  @Test(arguments: [Misdeed.crash, .openFile, .scribbleHeader, .corruptMidway])
  func aHostileFirstTrackCostsOnlyItself(misdeed: Misdeed) throws {
    let bench = try Workbench()
    let after = Sound.piece(seconds: 1.5, seed: 4)
    let files = [
      try bench.write(misdeed.file(when: 0, frames: 60_000), as: "hostile.swtest"),
      try bench.write(after, as: "after.wav"),
    ]
    let outcome = try bench.play(
      ["--output", "out.wav", "--format", "S16", "--rate", "44100"], files,
      environment: try bench.hostileEnvironment())
    #expect(!outcome.isCrash && outcome.status == 1, "\(outcome)")
    let heard = try Sound(wav: Data(contentsOf: bench.directory.appendingPathComponent("out.wav")))
    #expect(difference(heard.int16.suffix(after.count), after.int16) == nil)
  }

  @Test func theTrackPlayingOnACardMissesNoFrame() throws {
    let bench = try Workbench()
    let card = try VirtualCard()
    let playing = Sound.piece(seconds: 3, seed: 3)
    var files = [try bench.write(playing, as: "playing.wav")]
    for misdeed in [Misdeed.crash, .allocate, .fork, .forgeMessage] {
      files.append(try bench.write(misdeed.file(when: 100, frames: 60_000), as: "\(misdeed).swtest"))
    }
    let outcome = try bench.play(
      ["--device", card.deviceName, "--format", "S16"], files,
      environment: try bench.hostileEnvironment().merging(card.environment) { $1 })
    #expect(!outcome.isCrash && outcome.status == 1, "\(outcome)")
    let heard = card.recording(as: Int16.self)
    try #require(heard.count >= playing.count)
    #expect(difference(heard.prefix(playing.count), playing.int16) == nil)
  }
}
