// Playback on a virtual sound card through the real libasound: all frames, and the effect of its faults. Test
// threads.

import ChildSupport
import Foundation
import RealTimeSupport
import Testing
import VirtualCardSupport

@Suite(.realTime, .serialized) struct CardTests {
  static let rate = 44100

  static func start(
    _ bench: Workbench, _ card: VirtualCard, _ options: [String], _ files: [String], format: String = "S16"
  ) throws -> Child {
    try bench.start(
      ["play", "--strict", "--device", card.deviceName, "--format", format] + options + files,
      environment: card.environment)
  }

  @Test(arguments: ["deep", "shallow"]) func tracksJoinOnACardBitForBit(mode: String) throws {
    let bench = try Workbench()
    let card = try VirtualCard()
    let piece = Sound.piece(seconds: 1.5)
    var files: [String] = []
    for (n, part) in piece.cut(at: [20_011, 41_111]).enumerated() {
      files.append(try bench.write(part, as: "\(n).wav"))
    }
    let outcome = try Self.start(bench, card, ["--mode", mode], files).wait(seconds: 30)
    #expect(outcome.status == 0 && !outcome.isCrash, "\(outcome)")
    let heard = card.recording(as: Int16.self)
    try #require(heard.count >= piece.count)
    #expect(difference(heard.prefix(piece.count), piece.int16) == nil)
    #expect(heard.dropFirst(piece.count).allSatisfy { $0 == 0 })
  }

  @Test(arguments: [nil, ("2", 30_000), ("2", 100_000)] as [(String, Int)?])
  func aCardThatComesBackPlaysOnAtTheSameFrame(fade: (length: String, loss: Int)?) throws {
    let bench = try Workbench()
    let card = try VirtualCard()
    var files = [try bench.write(Sound.piece(seconds: 2.5, seed: 5), as: "a.wav")]
    if fade != nil { files.append(try bench.write(Sound.piece(seconds: 2.5, seed: 6), as: "b.wav")) }
    let options = fade.map { ["--crossfade", $0.length] } ?? []
    // The output without the loss.
    let plain = try bench.record(["--rate", "44100"] + options, files, format: "FLOAT")
    let player = try Self.start(bench, card, options, files, format: "FLOAT")
    try #require(card.wait(seconds: 20) { $0.recordedFrames > fade?.loss ?? 30_000 })
    card.unplug()
    let lost = bench.waits { player.outputSoFar.contains(fade?.loss == 100_000 ? "Paused" : "paused") }
    #expect(lost, "\(player.outputSoFar)\(player.errorsSoFar)")
    let before = card.recordedFrames
    card.plugIn()
    let outcome = player.wait(seconds: 30)
    #expect(outcome.status == 0 && !outcome.isCrash, "\(outcome)")
    #expect(outcome.reports("device is gone") && outcome.reports("device is back"))
    let heard = card.recording(as: Float.self)
    #expect(difference(heard.prefix(2 * before), plain.float.prefix(2 * before)) == nil)
    // Aligning the ends shows how many frames were repeated or lost.
    let end = try #require(heard.lastIndex { $0 != 0 }) / 2 + 1
    let shift = end - (try #require(plain.float.lastIndex { $0 != 0 }) / 2 + 1)
    let resumed = try #require((2 * before..<heard.count).first { heard[$0] != 0 }) / 2
    let position = resumed - shift
    #expect(abs(position - before) < Self.rate / 20, "lost at \(before), went on at \(position)")
    let exact = resumed + Self.rate / 4
    #expect(
      difference(heard[2 * exact..<2 * end], plain.float[2 * (exact - shift)..<2 * (end - shift)]) == nil)
  }

  @Test func anUnderrunIsToldAndPlayedThrough() throws {
    let bench = try Workbench()
    let card = try VirtualCard()
    let piece = Sound.piece(seconds: 2, seed: 5)
    let player = try Self.start(bench, card, [], [try bench.write(piece, as: "a.wav")])
    try #require(card.wait(seconds: 20) { $0.recordedFrames > 30_000 })
    card.injectXrun()
    let outcome = player.wait(seconds: 30)
    #expect(outcome.status == 0 && !outcome.isCrash, "\(outcome)")
    #expect(outcome.reports("ran dry"))
    let heard = card.recording(as: Int16.self)
    #expect(difference(heard.prefix(60_000), piece.int16.prefix(60_000)) == nil)
    let end = try #require(heard.lastIndex { $0 != 0 }) + 1
    #expect(difference(heard[..<end].suffix(40_000), piece.int16.suffix(40_000)) == nil)
  }

  @Test func aCardThatIsNotThereAtTheStartIsStatusThree() throws {
    let bench = try Workbench()
    let card = try VirtualCard()
    card.unplug()
    let file = try bench.write(Sound.piece(seconds: 0.3), as: "a.wav")
    let outcome = try Self.start(bench, card, [], [file]).wait(seconds: 20)
    #expect(outcome.status == 3 && !outcome.isCrash, "\(outcome)")
  }

  @Test(arguments: [SIGTERM, SIGINT, SIGHUP]) func aSignalEndsItInOrder(signal: Int32) throws {
    let bench = try Workbench()
    let card = try VirtualCard()
    let player = try Self.start(bench, card, [], [try bench.write(Sound.piece(seconds: 20), as: "a.wav")])
    try #require(card.wait(seconds: 20) { $0.recordedFrames > 4000 })
    kill(player.identifier, signal)
    let outcome = player.wait(seconds: 10)
    #expect(outcome.status == 128 + signal && !outcome.isCrash, "\(outcome)")
    // The output fades out instead of being cut off.
    let heard = card.recording(as: Int16.self)
    let end = try #require(heard.lastIndex { $0 != 0 })
    let loudest = heard[..<end].suffix(88_200).map { abs(Int($0)) }.max() ?? 0
    let last = heard[...end].suffix(200).map { abs(Int($0)) }.max() ?? 0
    #expect(last * 20 < loudest, "\(last) of \(loudest)")
  }
}
