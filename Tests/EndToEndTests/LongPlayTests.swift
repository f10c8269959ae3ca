// Tracks longer than all buffers, played in real time: rings are refilled and decks reused. Test threads.

import ChildSupport
import Foundation
import RealTimeSupport
import Testing
import VirtualCardSupport

@Suite(.realTime) struct LongPlayTests {
  @Test(arguments: ["deep", "shallow"]) func ringsAreRefilledAndDecksUsedAgain(mode: String) throws {
    let bench = try Workbench()
    let card = try VirtualCard()
    var files: [String] = []
    for n in 1...3 {
      files.append(try bench.write(Sound.piece(seconds: 6, seed: UInt64(n)), as: "\(n).wav"))
    }
    let plain = try bench.record(["--rate", "44100", "--crossfade", "2"], files, format: "FLOAT")
    let events = bench.path("events")
    let outcome = try CardTests.start(
      bench, card, ["--mode", mode, "--crossfade", "2", "--events", events], files, format: "FLOAT"
    ).wait(seconds: 60)
    #expect(outcome.status == 0 && !outcome.isCrash, "\(outcome)")
    let states = try String(contentsOfFile: events, encoding: .utf8)
    #expect(!states.contains("buffering"), "\(states)")
    #expect(states.components(separatedBy: " crossfading ").count == 3, "\(states)")
    // On a busy machine the card may underrun, which is reported; the recording is exact up to there.
    guard !outcome.reports("ran dry") else { return }
    let heard = card.recording(as: Float.self)
    try #require(heard.count >= plain.float.count)
    #expect(difference(heard.prefix(plain.float.count), plain.float[...]) == nil)
  }
}
