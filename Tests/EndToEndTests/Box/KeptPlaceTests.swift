// Positions that are kept across tracks, nights and power cuts: bookmarks and the end of the sleep timer.
// Test threads.

import Checkpoints
import ChildSupport
import Foundation
import PlaybackModel
import RealTimeSupport
import Testing
import VirtualCardSupport

@Suite(.realTime) struct BoxKeptPlaceTests {
  static let rate = 44100

  /// Waits until a track plays from a position to another one, after the first `count` segments.
  private func hears(_ box: BoxRig, _ track: Int, from seconds: Double, to last: Double, after count: Int)
    throws
  {
    try box.hears { segments in
      segments.dropFirst(count).contains {
        $0.track == track && $0.positions.lowerBound >= Int(seconds * 44100) - 2000
          && $0.positions.lowerBound < Int(last * 44100)
      }
    }
  }

  /// For a file, and for a podcast episode on a web server.
  @Test(arguments: [false, true], [false, true])
  func aLongTrackGoesOnWhereItWasLeft(kills: Bool, isStream: Bool) throws {
    let box = try BoxRig(["set bookmarks.minimum-length 1"])
    try box.tracks(1...1, seconds: 70)
    try box.tracks(2...2, seconds: 30)
    let server = isStream ? try UnrulyServer(serving: box.bench.directory) : nil
    let long = server?.url("plain", "1.wav") ?? "1.wav"
    try box.tell("play \(long)")
    try box.tell("seek 30")
    try hears(box, 1, from: 30, to: 31, after: 0)
    try box.tell("play 2.wav")
    try box.hears { $0.last?.track == 2 }
    if kills {
      let isKept = box.bench.waits {
        (try? String(contentsOfFile: box.checkpoint + ".bookmarks", encoding: .utf8))?.contains("1.wav")
          == true
      }
      try #require(isKept)
      box.pullPlug()
      try box.restart()
    }
    #expect(try box.tell("bookmarks").contains { $0.contains("0:3") && $0.contains("1.wav") })
    let count = box.card.segments.count
    try box.tell("play \(long)")
    try hears(box, 1, from: 30, to: 50, after: count)
    // A track that is left near its end starts at its beginning the next time.
    try box.tell("seek 60")
    try hears(box, 1, from: 60, to: 61, after: count)
    try box.tell("play 2.wav")
    try box.hears { $0.last?.track == 2 }
    #expect(try box.tell("bookmarks").last == "ok 0 bookmarks")
    // Short tracks have no bookmark.
    try box.tell("seek 8")
    try box.tell("play \(long)")
    try box.hears { $0.last.map { $0.track == 1 && $0.positions.lowerBound < 2000 } ?? false }
    #expect(try box.tell("bookmarks").last == "ok 0 bookmarks")
  }

  /// Two tracks of 65 s in one file have separate bookmarks.
  @Test func theTracksOfACueSheetAreKeptApart() throws {
    let box = try BoxRig(["set bookmarks.minimum-length 1"])
    try box.tracks(1...1, seconds: 91)
    let sheet = """
      FILE "1.wav" WAVE
      TRACK 01 AUDIO
      INDEX 01 00:00:00
      TRACK 02 AUDIO
      INDEX 01 00:30:00

      """
    try box.bench.write(Data(sheet.utf8), as: "book.cue")
    try box.tell("play book.cue")
    try box.hears { $0.last?.track == 1 }
    try box.tell("next")
    try hears(box, 1, from: 30, to: 31, after: 1)
    try box.tell("seek 20")
    try hears(box, 1, from: 50, to: 51, after: 1)
    try box.tell("queue jump 1")
    // The first track starts at its beginning, not 20 s later.
    try box.hears { $0.last.map { $0.positions.lowerBound < Self.rate } ?? false }
    let count = box.card.segments.count
    #expect(try box.tell("bookmarks").contains { $0.contains("1.wav, the track at 0:30") })
    try box.tell("next")
    try hears(box, 1, from: 50, to: 60, after: count)
  }

  /// A sleep timer that was about to end at a power cut continues afterwards: a fade, then silence.
  @Test func theSleepTimerEndsWithAFadeAndSilence() throws {
    let box = try BoxRig(["set sleep.fade 1"])
    try box.tracks(1...2, seconds: 40)
    try box.tell("queue add 1.wav 2.wav")
    try box.tell("play")
    try box.hears { $0.count == 1 }
    try box.tell("sleep 30")
    try box.tell("power-failing")
    box.pullPlug()
    try leave(Seconds(2), of: box)
    let count = box.card.segments.count
    try box.restart()
    try box.hears { $0.count > count }
    #expect(try box.fields()["sleep-seconds"].flatMap { Int($0) }.map { $0 <= 2 } == true)
    try box.reaches("finished")
    #expect(box.logs("sleep timer"))
    try box.fallsSilent()
    let full = try #require(box.card.segments.last)
    #expect(full.track == 1)
    // The fade starts at the end of the timer, takes a second, and is monotonic.
    #expect(abs(full.positions.count - 2 * Self.rate) < Self.rate, "\(full)")
    let heard = box.card.floats
    let end = try #require(heard.lastIndex { $0 != 0 }) / 2
    #expect(abs(end - full.end - Self.rate) < 300, "\(end - full.end) frames of fade")
    let fade = stride(from: full.end, to: end, by: 441).map { heard[2 * $0] }
    #expect(zip(fade, fade.dropFirst()).allSatisfy { $0 > $1 })
    #expect(try box.fields()["sleep-seconds"] == nil)
  }

  /// Shortens the remaining time of the sleep timer in the checkpoint of a stopped box.
  private func leave(_ time: Seconds, of box: BoxRig) throws {
    // The storage process releases the file shortly after its daemon has ended.
    var found: JournalOpening?
    _ = box.bench.waits {
      found = try? CheckpointFile.open(box.checkpoint)
      return found != nil
    }
    let opening = try #require(found)
    var checkpoint = try #require(opening.checkpoint)
    try #require(checkpoint.sleepTimer.map { $0.value > 1700 } == true)
    checkpoint.sleepTimer = time
    _ = try opening.journal.write(checkpoint, queue: nil)
  }
}
