// Announcements in the recording: the music has opposite channels and the announcement equal ones, so
// difference and sum separate them. Test threads.

import ChildSupport
import Foundation
import PlaybackModel
import RealTimeSupport
import Testing
import VirtualCardSupport

@Suite(.realTime) struct BoxAnnouncementTests {
  static let rate = 44100
  static let level: Float = 0.2

  private func playing() throws -> (box: BoxRig, frame: Int) {
    let box = try BoxRig()
    try box.bench.write(
      Sound.constant(frames: 30 * Self.rate, left: Self.level, right: -Self.level), as: "music.wav")
    try box.bench.write(Sound.constant(frames: Self.rate, left: 0.5, right: 0.5), as: "bell.wav")
    try box.bench.write(Data("no sound".utf8), as: "broken.wav")
    try box.tell("play music.wav")
    let isHeard = box.bench.waits { box.card.floats.last == -Self.level }
    try #require(isHeard)
    return (box, box.card.recordedFrames)
  }

  private func heard(_ box: BoxRig, from frame: Int) -> (music: [Float], bell: [Float]) {
    let heard = Array(box.card.floats.dropFirst(2 * frame))
    return (
      (0..<heard.count / 2).map { (heard[2 * $0] - heard[2 * $0 + 1]) / 2 },
      (0..<heard.count / 2).map { (heard[2 * $0] + heard[2 * $0 + 1]) / 2 }
    )
  }

  /// The announcement comes from storage or a web server and has its own worker and volume; the music is
  /// ducked and returns to its level.
  @Test(arguments: [false, true]) func itIsHeardOverTheMusicWhichMakesRoom(isStream: Bool) throws {
    let (box, frame) = try playing()
    let server = try UnrulyServer(serving: box.bench.directory)
    try box.tell("announce \(isStream ? server.url("plain", "bell.wav") : "bell.wav") volume 50 duck 20")
    let isOver = box.bench.waits {
      let (music, bell) = heard(box, from: frame)
      guard let end = bell.lastIndex(where: { $0 > 1e-4 }) else { return false }
      return music.count > end + Self.rate / 2
    }
    try #require(isOver)
    let (music, bell) = heard(box, from: frame)
    #expect(bell.filter { $0 > 1e-4 }.count == Self.rate)
    #expect(abs((bell.max() ?? 0) - 0.5 * Volume(50).gain(.cubic).factor) < 1e-5)
    #expect(abs((music.min() ?? 0) - Self.level * 0.1) < 1e-5)
    let step = zip(music, music.dropFirst()).map { abs($1 - $0) }.max() ?? 0
    #expect(step < 2 * Self.level / Float(Self.rate / 20), "a step of \(step)")
    #expect(abs((music.last ?? 0) - Self.level) < 1e-6)
    #expect(try box.fields("stats")["xruns"] == "0")
  }

  @Test func whatIsNoSoundCostsTheMusicNothing() throws {
    let (box, frame) = try playing()
    try box.tell("announce broken.wav")
    #expect(box.logs("The announcement:", "broken.wav"))
    #expect(try box.fields("status")["announcement-error"]?.contains("broken.wav") == true)
    #expect(heard(box, from: frame).music.allSatisfy { abs($0 - Self.level) < 1e-6 })
  }
}
