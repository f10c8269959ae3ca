// The daemon's transport commands, checked frame by frame in the recording. Test threads.

import Foundation
import RealTimeSupport
import Testing
import VirtualCardSupport

@Suite(.realTime) struct BoxTransportTests {
  static let rate = 44100

  /// Number of frames of the recording that are not silent.
  private func sounding(_ heard: [Float], _ range: Range<Int>) -> Int {
    range.reduce(0) { $0 + (heard[2 * $1 + 1] != 0 ? 1 : 0) }
  }

  /// No command reopens the card, which would click.
  @Test func theCardStaysOpen() throws {
    let box = try BoxRig(["set pause.ramp 0.1", "set stop.fade 0.1"])
    try box.tracks(1...2, seconds: 20)
    try box.tell("play 1.wav")
    try box.tell("queue add 2.wav")
    try box.reaches("playing")
    let before = box.card.counters.opens
    #expect(before > 0)
    for (line, state) in [
      ("pause", "paused"), ("play", "playing"), ("seek 5", "playing"), ("next", "playing"),
      ("previous", "playing"),
      ("stop", "finished"), ("play", "playing"), ("pause", "paused"),
    ] {
      try box.tell(line)
      try box.reaches(state)
    }
    // The card also stays open when the music is stopped.
    try box.fallsSilent()
    let counters = box.card.counters
    #expect(counters.opens == before && counters.closes == before - 1)
  }

  @Test func playIsHeardFromTheFirstFrameToTheLast() throws {
    let box = try BoxRig()
    try box.tracks(1...2, seconds: 0.8)
    let answer = try box.tell("play 1.wav")
    #expect(answer.last?.contains("1") == true)
    try box.tell("queue add 2.wav")
    try box.reaches("finished")
    try box.fallsSilent()
    let frames = Int(0.8 * 44100)
    #expect(box.card.segments.map(\.track) == [1, 2])
    #expect(box.card.segments.map(\.positions) == [0..<frames, 0..<frames])
    #expect(box.card.segments[1].frame == box.card.segments[0].end)
  }

  @Test(arguments: [
    ("pause", "play"), ("toggle", "toggle"), ("standby", "wake"),
    ("interruption begin", "interruption end"),
  ])
  func pauseAndResumeLoseNothing(pause: String, resume: String) throws {
    let box = try BoxRig()
    try box.tracks(1...1, seconds: 8)
    try box.tell("play 1.wav")
    try box.hears { $0.last.map { $0.positions.count > 20_000 } ?? false }
    try box.tell(pause)
    try box.reaches("paused")
    try box.fallsSilent()
    let before = try #require(box.card.segments.last)
    try box.tell(resume)
    try box.hears { $0.count > 1 }
    let heard = box.card.floats
    let after = try #require(box.card.segments.dropFirst().first)
    #expect(after.track == 1)
    // Between them are the two ramps, each of whose frames is a frame of the track.
    let passed = after.positions.lowerBound - before.positions.upperBound
    let sounded = sounding(heard, before.end..<after.frame)
    #expect(abs(passed - sounded) <= 4, "\(passed) frames of the track in \(sounded)")
    #expect(abs(passed - 2 * Self.rate / 5) < 100)
  }

  @Test func nextAndPreviousGoToOtherTracks() throws {
    let box = try BoxRig()
    try box.tracks(1...3, seconds: 10)
    try box.tell("queue add 1.wav 2.wav 3.wav")
    try box.tell("play")
    try box.hears { $0.last?.track == 1 }
    try box.tell("next")
    try box.hears { $0.last?.track == 2 && $0.last!.positions.lowerBound < 1000 }
    try box.tell("next")
    try box.hears { $0.last?.track == 3 }
    try box.tell("previous")
    try box.hears { $0.last?.track == 2 }
    #expect(try box.fields()["queue-position"] == "2")
  }

  @Test func previousRestartsATrackThatPlayedForAWhile() throws {
    let box = try BoxRig()
    try box.tracks(1...2, seconds: 10)
    try box.tell("queue add 1.wav 2.wav")
    try box.tell("play")
    try box.tell("next")
    try box.hears { $0.last?.track == 2 }
    try box.tell("seek 5")
    try box.hears { $0.last.map { $0.positions.upperBound > 5 * Self.rate } ?? false }
    try box.tell("previous")
    try box.hears { $0.last.map { $0.track == 2 && $0.positions.upperBound < 4 * Self.rate } ?? false }
  }

  @Test func seekGoesWhereItWasTold() throws {
    let box = try BoxRig()
    try box.tracks(1...1, seconds: 20)
    try box.tell("play 1.wav")
    try box.hears { $0.count == 1 }
    for (command, target) in [("seek 5", 5.0), ("seek 0:12", 12), ("seek 50%", 10)] {
      try box.tell(command)
      let frame = Int(target * 44100)
      try box.hears { $0.last.map { abs($0.positions.lowerBound - frame) < 1000 } ?? false }
    }
    try box.tell("seek +5")
    try box.hears { $0.last.map { $0.positions.lowerBound > 15 * Self.rate } ?? false }
    try box.tell("seek -10")
    try box.hears { $0.last.map { $0.positions.lowerBound < 9 * Self.rate } ?? false }
  }

  @Test func stopFadesOutAndThenIsSilent() throws {
    let box = try BoxRig(["set stop.fade 0.3"])
    try box.tracks(1...1, seconds: 20)
    try box.tell("play 1.wav")
    try box.hears { $0.last.map { $0.positions.count > 20_000 } ?? false }
    try box.tell("stop")
    try box.reaches("finished")
    try box.fallsSilent()
    let heard = box.card.floats
    let full = try #require(box.card.segments.last)
    let end = try #require(heard.lastIndex { $0 != 0 }) / 2
    #expect(abs(end - full.end - 3 * Self.rate / 10) < 200)
    try box.tell("play")
    // The start is ramped, because the track was cut off before.
    try box.hears { $0.count > 1 && $0.last.map { $0.positions.lowerBound < 400 } == true }
  }

  @Test func sleepTimerAndUnknownCommands() throws {
    let box = try BoxRig()
    #expect(try box.refusal(of: "play nothing.wav").contains("nothing.wav"))
    #expect(try box.refusal(of: "paly").contains("play"))
    try box.tell("sleep 30")
    #expect(try box.tell("sleep").contains { $0.contains("30 min") })
    #expect(try box.fields()["sleep-seconds"] != nil)
    try box.tell("sleep off")
    #expect(try box.fields()["sleep-seconds"] == nil)
  }
}
