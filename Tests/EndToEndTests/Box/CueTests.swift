// Cues in the recording: the music has opposite channels and a cue equal ones, so difference and sum separate
// them. Test threads.

import ChildSupport
import Foundation
import PlaybackModel
import RealTimeSupport
import Testing
import VirtualCardSupport

@Suite(.realTime) struct BoxCueTests {
  static let rate = 44100
  static let level: Float = 0.2
  /// -12 dB.
  static let ducked: Float = 0.25118864

  private func box(_ lines: [String] = [], bench: Workbench? = nil) throws -> BoxRig {
    let box = try BoxRig(["set cues.enabled on"] + lines, bench: bench)
    try box.bench.write(
      Sound.constant(frames: 30 * Self.rate, left: Self.level, right: -Self.level), as: "music.wav")
    // Wait for the end of the ready cue.
    try box.fallsSilent()
    return box
  }

  private func music(_ heard: [Float]) -> [Float] {
    (0..<heard.count / 2).map { (heard[2 * $0] - heard[2 * $0 + 1]) / 2 }
  }

  private func cue(_ heard: [Float]) -> [Float] {
    (0..<heard.count / 2).map { (heard[2 * $0] + heard[2 * $0 + 1]) / 2 }
  }

  /// Waits until the music is back at its level after a cue. Returns the recording from `frame` on.
  private func heard(_ box: BoxRig, from frame: Int) throws -> (music: [Float], cue: [Float]) {
    var result: (music: [Float], cue: [Float]) = ([], [])
    let isOver = box.bench.waits {
      let heard = Array(box.card.floats.dropFirst(2 * frame))
      result = (music(heard), cue(heard))
      guard let end = result.cue.lastIndex(where: { abs($0) > 1e-4 }) else { return false }
      return result.music.count > end + Self.rate / 2 && abs((result.music.last ?? 0) - Self.level) < 1e-6
    }
    let status = try box.tell("status")
    try #require(isOver, "cue \(result.cue.map(abs).max() ?? 0), music \(result.music.last ?? 0), \(status)")
    return result
  }

  /// Checks that the music is ducked for a cue and returns, both without a step.
  private func makesRoom(_ music: [Float], sourceLocation: SourceLocation = #_sourceLocation) {
    let least = music.min() ?? 0
    #expect(abs(least - Self.level * Self.ducked) < 1e-5, "down to \(least)", sourceLocation: sourceLocation)
    let step = zip(music, music.dropFirst()).map { abs($1 - $0) }.max() ?? 0
    #expect(
      step < 2 * Self.level / Float(Self.rate / 20), "a step of \(step)", sourceLocation: sourceLocation)
  }

  @Test func atPowerOnTheBoxSaysThatItIsReady() throws {
    let box = try BoxRig(["set cues.enabled on"])
    let isHeard = box.bench.waits { box.card.floats.contains { abs($0) > 0.01 } }
    #expect(isHeard)
    try box.fallsSilent()
    let quiet = try BoxRig()
    try quiet.tell("status")
    #expect(quiet.card.floats.allSatisfy { $0 == 0 })
  }

  @Test(arguments: ["volume +5", "sleep 30"]) func aCueIsHeardOverTheMusicWhichMakesRoom(command: String)
    throws
  {
    let box = try box()
    try box.tell("play music.wav")
    let isHeard = box.bench.waits { box.card.floats.last == -Self.level }
    try #require(isHeard)
    let frame = box.card.recordedFrames
    try box.tell(command)
    let (music, cue) = try heard(box, from: frame)
    makesRoom(music)
    let loudest = cue.map(abs).max() ?? 0
    #expect(loudest > 0.02 && loudest < 0.6, "\(loudest)")
    #expect(try box.fields("stats")["xruns"] == "0")
  }

  @Test func anErrorIsHeardOverTheNextTrack() throws {
    let box = try box()
    try box.bench.write(Data("no music".utf8), as: "broken.wav")
    let frame = box.card.recordedFrames
    try box.tell("queue add broken.wav music.wav")
    try box.tell("play")
    let (music, cue) = try heard(box, from: frame)
    #expect(cue.contains { abs($0) > 0.02 })
    // During the cue, the music never exceeds the ducked level.
    let end = try #require(cue.lastIndex { abs($0) > 0.01 })
    let loudest = music[..<end].max() ?? 0
    #expect(loudest <= Self.level * Self.ducked + 1e-4, "\(loudest)")
    #expect(box.logs("broken.wav"))
  }

  @Test func aFileTakesACuesPlace() throws {
    let bench = try Workbench()
    let frames = Self.rate / 2
    let file = try bench.write(Sound.constant(frames: frames, left: 0.3, right: 0.1), as: "limit.wav")
    // The file is outside the media roots: cues come from the configuration, which is trusted.
    let root = bench.directory.appendingPathComponent("root")
    try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
    let box = try box(
      ["set cues.volume-limit \(file)", "set media.root \(root.path)"], bench: bench)
    try FileManager.default.moveItem(
      atPath: bench.path("music.wav"), toPath: root.appendingPathComponent("music.wav").path)
    try box.tell("play music.wav")
    let isHeard = box.bench.waits { box.card.floats.last == -Self.level }
    try #require(isHeard)
    let frame = box.card.recordedFrames
    try box.tell("volume +5")
    let (_, cue) = try heard(box, from: frame)
    let start = try #require(cue.firstIndex { $0 > 0.001 })
    let end = try #require(cue.lastIndex { $0 > 0.001 })
    #expect(abs(end - start - frames) < 100, "\(end - start) frames")
    let gain = Volume(60).gain(.cubic).factor
    let middle = cue[(start + end) / 2]
    #expect(abs(middle - 0.2 * gain) < 1e-5, "\(middle), not \(0.2 * gain)")
  }

  @Test func aFileThatIsNoSoundLeavesTheBuiltInCue() throws {
    let bench = try Workbench()
    let file = try bench.write(Data("no sound".utf8), as: "limit.wav")
    let box = try box(["set cues.volume-limit \(file)"], bench: bench)
    #expect(box.logs("limit.wav", "cannot be the cue"))
    let frame = box.card.recordedFrames
    try box.tell("volume +5")
    let isHeard = box.bench.waits {
      cue(Array(box.card.floats.dropFirst(2 * frame))).contains { abs($0) > 0.02 }
    }
    #expect(isHeard)
  }
}
