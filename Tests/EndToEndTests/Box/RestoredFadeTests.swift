// A fade that ran at a power cut, and commands before both of its tracks are open again. Test threads.

import Foundation
import RealTimeSupport
import Testing
import VirtualCardSupport

@Suite(.realTime) struct BoxRestoredFadeTests {
  /// A restarted box in the middle of a fade from track 1 to track 2 of 3.
  private func restarted(_ prepare: (BoxRig) throws -> Void = { _ in }) throws -> (BoxRig, heard: Int) {
    let box = try BoxRig(["set fade.manual-length 5"])
    try box.tracks(1...3, seconds: 40)
    try box.tell("queue add 1.wav 2.wav 3.wav")
    try box.tell("play")
    try box.hears { $0.last?.track == 1 }
    try box.tell("next")
    try box.reaches("crossfading")
    try box.tell("power-failing")
    box.pullPlug()
    try prepare(box)
    let heard = box.card.segments.count
    try box.restart()
    return (box, heard)
  }

  @Test(arguments: [
    ("status", 2), ("finish-fade", 2), ("seek 20", 2), ("next", 3), ("previous", 1), ("queue jump 3", 3),
    ("retry", 2),
  ])
  func aCommandAtOnceIsHeard(command: String, track: Int) throws {
    let (box, heard) = try restarted()
    _ = try box.client.ask(command)
    try box.hears { $0.count > heard && $0.last?.track == track }
    if command == "seek 20" {
      #expect(try #require(box.card.segments.last).positions.lowerBound > 20 * 44100 - 1000)
    }
  }

  @Test func aStopAtOnceStaysSilent() throws {
    let (box, heard) = try restarted()
    try box.tell("stop")
    try box.reaches("finished")
    try box.fallsSilent()
    #expect(box.card.segments.count == heard)
    try box.tell("play")
    try box.hears { $0.count > heard && $0.last?.track == 2 }
  }

  @Test func aPauseAtOnceAndAPlay() throws {
    let (box, heard) = try restarted()
    try box.tell("pause")
    try box.reaches("crossfadePaused")
    try box.tell("play")
    try box.hears { $0.count > heard && $0.last?.track == 2 }
  }

  @Test(arguments: [1, 2]) func aTrackOfItThatIsGoneLeavesTheOther(gone: Int) throws {
    let (box, heard) = try restarted { box in
      try box.bench.write(Data("not music any more".utf8), as: "\(gone).wav")
    }
    // Without the incoming track the outgoing one continues, followed by the queue.
    try box.hears { $0.count > heard && $0.last?.track == 3 - gone }
  }
}
