// A recording is a function of its inputs: the same frames under any load, and fades at the right position in
// tracks of any length. Test threads.

import ChildSupport
import Foundation
import RealTimeSupport
import Testing

@Suite(.realTime) struct RecordingTests {
  static let rate = 44100

  /// A recording's bytes and its events.
  struct Take: Equatable {
    var sound: Data
    var events: String
    var frames: Int
  }

  static func take(
    _ bench: Workbench, _ name: String, _ options: [String], _ files: [String], script: String? = nil
  ) throws -> Take {
    var arguments = options + ["--output", "\(name).wav", "--events", "\(name).events"]
    if let script {
      try bench.write(Data(script.utf8), as: "\(name).script")
      arguments += ["--script", "\(name).script"]
    }
    let outcome = try bench.play(arguments, files, environment: [:])
    try #require(outcome.status == 0 && !outcome.isCrash, "\(outcome)")
    let sound = try Data(contentsOf: bench.directory.appendingPathComponent("\(name).wav"))
    return Take(
      sound: sound,
      events: String(
        decoding: try Data(contentsOf: bench.directory.appendingPathComponent("\(name).events")),
        as: UTF8.self),
      frames: try Sound(wav: sound).frames)
  }

  /// Missing files, each of which needs a process to detect, and URLs with unsupported schemes, which are
  /// refused at once: more than the mixer's command ring holds.
  @Test(arguments: [(300, "gone-"), (6_000, "rtsp://box/")])
  func manyTracksThatCannotBePlayedAreAllPassedOver(count: Int, name: String) throws {
    let bench = try Workbench()
    let lines = (0..<count).map { "\(name)\($0).wav\n" }.joined()
    try bench.write(Data(lines.utf8), as: "list.m3u")
    let outcome = try bench.play(["--output", "out.wav"], ["list.m3u"])
    #expect(outcome.status == 2 && !outcome.isCrash, "\(outcome.status)")
  }

  /// Skipping past the end while paused and then playing repeats the music; this once hung.
  @Test func playAfterASkipPastTheEndBeginsAgain() throws {
    let bench = try Workbench()
    let file = try bench.write(Sound.piece(seconds: 3), as: "a.wav")
    let take = try Self.take(bench, "take", [], [file], script: "at 1 pause\nat 1.5 next\nat 2 play\n")
    #expect(take.frames == (2 + 3) * Self.rate)
    #expect(take.events.contains("66150 idle"), "\(take.events)")
  }

  /// The ring's capacity in frames depends on the rate. A decoder that slept for lack of free space while the
  /// recording waited for it was once considered hung.
  @Test(arguments: [8_000, 11_025, 12_000, 24_000, 44_100, 48_000, 96_000, 192_000])
  func aRecordingAndItsDecoderDoNotWaitForEachOther(rate: Int) throws {
    let bench = try Workbench()
    let samples = (0..<20 * rate).map { Int16(truncatingIfNeeded: $0) }
    let file = try bench.write(Sound(rate: rate, channels: 1, samples), as: "a.wav")
    let take = try Self.take(bench, "take", [], [file])
    #expect(take.frames == 20 * rate)
  }

  /// An interrupted recording does not exit with success.
  @Test func anInterruptedRecordingIsNoSuccess() throws {
    let bench = try Workbench()
    let file = try bench.write(Sound.piece(seconds: 60), as: "a.wav")
    let child = try bench.start(["play", "--output", "out.wav"] + Array(repeating: file, count: 400))
    // As soon as the output file exists.
    #expect(bench.waits { FileManager.default.fileExists(atPath: bench.path("out.wav.part")) })
    kill(child.identifier, SIGINT)
    let outcome = child.wait(seconds: 30)
    #expect(outcome.status == 130 && !outcome.isCrash, "\(outcome)")
  }

  /// A file with a wrong length, or endless music, does not fill the disk.
  @Test func aRecordingHasALimit() throws {
    let bench = try Workbench()
    try bench.write(Sound.piece(seconds: 4, seed: 5), as: "a.wav")
    let outcome = try bench.play(["--output", "out.wav", "--limit", "1.5"], ["a.wav", "a.wav"])
    #expect(outcome.status == 1 && !outcome.isCrash, "\(outcome)")
    #expect((outcome.output + outcome.errors).contains("the recording ends at 0:01, its limit"), "\(outcome)")
    let sound = try Sound(wav: Data(contentsOf: bench.directory.appendingPathComponent("out.wav")))
    #expect(sound.frames == Self.rate * 3 / 2)
    // A shorter recording does not mention the limit.
    let whole = try bench.play(["--output", "whole.wav", "--limit", "5"], ["a.wav"])
    #expect(whole.status == 0 && !(whole.output + whole.errors).contains("limit"), "\(whole)")
    #expect(try bench.play(["--output", "x.wav", "--limit", "0"], ["a.wav"]).status == 64)
  }

  /// Tracks longer than the prefetch time of the next track, in formats with and without a stated length.
  @Test(arguments: ["wav", "flac", "mp3", "ogg"]) func fadesBeginWhereTheyBelong(format: String) throws {
    let bench = try Workbench()
    let long = Sound.piece(seconds: 24, seed: 5)
    let short = Sound.piece(seconds: 9, seed: 6)
    var files = [try bench.write(long, as: "a.wav"), try bench.write(short, as: "b.wav")]
    switch format {
    case "flac":
      try bench.tool("flac", "-s", "-f", "a.wav", "-o", "a.flac")
      files[0] = bench.path("a.flac")
    case "mp3":
      try bench.tool("lame", "--quiet", "a.wav", "a.mp3")
      files[0] = bench.path("a.mp3")
    case "ogg":
      try bench.tool("oggenc", "-Q", "a.wav", "-o", "a.ogg")
      files[0] = bench.path("a.ogg")
    default: break
    }
    let take = try Self.take(bench, "m", ["--crossfade", "4"], files)
    #expect(take.frames == 29 * Self.rate)
    let begin = take.events.split(separator: "\n").first { $0.contains(" crossfading ") }
    #expect(begin?.hasPrefix("\(20 * Self.rate) crossfading") == true, "\(take.events)")
  }

  /// A script with all commands, repeated on a busy machine, gives the same bytes.
  @Test func aRecordingIsTheSameEveryTime() throws {
    let bench = try Workbench()
    let files = try (1...3).map { number in
      try bench.write(Sound.piece(seconds: 13, seed: number), as: "\(number).wav")
    }
    try bench.tool("lame", "--quiet", "2.wav", "2.mp3")
    let script = """
      at 3 pause
      at 4 play
      at 7.5 seek 1
      at 9 seek 11
      at 10.7 toggle
      at 12 toggle
      at 12.4 stop
      at 12.6 play
      at 14 next
      at 14.3 pause
      at 15 play
      at 17 finish-fade
      at 18 volume 60
      at 20 previous
      at 22 crossfade 0
      at 23 seek 12.9
      """
    let paths = [files[0], bench.path("2.mp3"), files[2]]
    let first = try Self.take(bench, "first", ["--crossfade", "3"], paths, script: script)
    let busy = (0..<4).map { _ in Thread { while !Thread.current.isCancelled {} } }
    for thread in busy { thread.start() }
    defer { for thread in busy { thread.cancel() } }
    for round in 0..<3 {
      let again = try Self.take(bench, "again\(round)", ["--crossfade", "3"], paths, script: script)
      #expect(again.events == first.events)
      #expect(again.sound == first.sound)
    }
  }

  /// Stops, skips and reversals during a fade, each of which once ended in silence or in the wrong track.
  @Test(arguments: [
    ("at 9.8 stop\nat 10.2 play\n", 22.0), ("at 8 stop\nat 8.2 play\n", 22.0), ("at 9.8 next\n", 22.0),
  ])
  func whatIsDoneInAFadeIsHeardAsItIsSaid(script: String, seconds: Double) throws {
    let bench = try Workbench()
    let files = try (1...3).map { number in
      try bench.write(Sound.piece(seconds: 10, seed: number), as: "\(number).wav")
    }
    let take = try Self.take(bench, "m", ["--crossfade", "4", "--strict"], files, script: script)
    #expect(take.events.contains("finished 3.wav"))
    let heard = try Sound(wav: take.sound)
    // The music lasts to the end of the recording.
    let last = try #require(heard.int16.lastIndex { $0 != 0 }) / 2
    #expect(last > take.frames - Self.rate / 2)
    if script.contains("play") { #expect(abs(Double(take.frames) / Double(Self.rate) - seconds) < 0.5) }
  }
}
