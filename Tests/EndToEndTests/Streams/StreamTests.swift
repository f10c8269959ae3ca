// Files on a web server: for all commands, they play like the same files from storage. Test threads.

import ChildSupport
import FadeFormulas
import Foundation
import PlaybackModel
import RealTimeSupport
import Testing

@Suite(.realTime) struct StreamPlayTests {
  /// A server of a bench's files.
  static func server(_ bench: Workbench) throws -> UnrulyServer { try UnrulyServer(serving: bench.directory) }

  @Test(arguments: ["wav", "flac", "mp3", "ogg", "opus", "m4a", "wv"]) func aStreamPlaysAsItsFile(
    format: String
  ) throws {
    let bench = try Workbench()
    try bench.write(Sound.piece(seconds: 9, seed: 5), as: "a.wav")
    switch format {
    case "flac": try bench.tool("flac", "-s", "-f", "a.wav")
    case "mp3": try bench.tool("lame", "--quiet", "a.wav", "a.mp3")
    case "ogg": try bench.tool("oggenc", "-Q", "a.wav")
    case "opus": try bench.tool("opusenc", "--quiet", "a.wav", "a.opus")
    // The `moov` atom follows the media data.
    case "m4a": try bench.tool("ffmpeg", "-v", "error", "-i", "a.wav", "-c:a", "aac", "a.m4a")
    case "wv": try bench.tool("wavpack", "-q", "a.wav")
    default: break
    }
    let server = try Self.server(bench)
    let script = """
      at 1 seek 6
      at 2 seek -4
      at 3 pause
      at 4 play
      """
    let options = ["--crossfade", "1"]
    let file = try bench.record(options, ["a.\(format)", "a.\(format)"], script: script)
    let url = server.url("plain", "a.\(format)")
    let stream = try bench.record(options, [url, url], script: script)
    #expect(file.frames > 9 * 44_100 && file.isSame(as: stream))
    // Also when the connection is lost repeatedly.
    let broken = try bench.record(
      ["--crossfade", "1"], [server.url("chop", "a.\(format)"), url], script: script)
    #expect(file.isSame(as: broken))
  }

  /// Without a length in the headers, the fade is as long as the remaining sound when the end is reached, and
  /// is the same each time.
  @Test(arguments: ["mp3", "ogg", "opus", "aac"], ["unmeasured", "chunked"])
  func whatHasNoLengthFadesByWhatIsLeft(format: String, manner: String) throws {
    let bench = try Workbench()
    try bench.write(Sound.piece(seconds: 6, seed: 5), as: "a.wav")
    try bench.write(Sound.piece(seconds: 4, seed: 6), as: "b.wav")
    switch format {
    case "mp3": try bench.tool("lame", "--quiet", "-t", "a.wav", "a.mp3")
    case "ogg": try bench.tool("oggenc", "-Q", "a.wav")
    case "opus": try bench.tool("opusenc", "--quiet", "a.wav", "a.opus")
    default: try bench.tool("ffmpeg", "-v", "error", "-i", "a.wav", "-c:a", "aac", "a.aac")
    }
    let server = try Self.server(bench)
    let url = server.url(manner, "a.\(format)")
    let whole = try bench.record([], ["a.\(format)", "b.wav"])
    let heard = try bench.record(["--crossfade", "2"], [url, "b.wav"])
    let rate = format == "opus" ? 48_000.0 : 44_100
    let fade = whole.frames - heard.frames
    #expect((1.25...1.35).contains(Double(fade) / rate), "\(fade) frames")
    // Whatever its length, the fade follows its curve, and the rest is unchanged.
    let first = whole.frames - 4 * Int(rate)
    let begin = first - fade
    var worst = 0.0
    for frame in 0..<heard.frames {
      let part = Double(frame - begin) / Double(fade)
      let gains = FadeCurve.equalPower.expectedGains(at: part)
      for channel in 0..<2 {
        let outgoing = frame < first ? Double(whole.float[2 * frame + channel]) : 0
        let incoming = frame >= begin ? Double(whole.float[2 * (frame + fade) + channel]) : 0
        worst = max(
          worst,
          abs(
            Double(heard.float[2 * frame + channel]) - outgoing * gains.outgoing - incoming * gains.incoming))
      }
    }
    #expect(worst < 1e-4)
    #expect(heard.isSame(as: try bench.record(["--crossfade", "2"], [url, "b.wav"])))
    // A shorter fade has the requested length.
    let short = try bench.record(["--crossfade", "1"], [url, "b.wav"])
    #expect(short.isSame(as: try bench.record(["--crossfade", "1"], ["a.\(format)", "b.wav"])))
  }

  /// A connection that breaks is not an end, so the next track does not fade in over it.
  @Test func whatBreaksOffDoesNotFade() throws {
    let bench = try Workbench()
    try bench.write(Sound.piece(seconds: 4, seed: 5), as: "a.wav")
    try bench.write(Sound.piece(seconds: 2, seed: 6), as: "b.wav")
    try bench.tool("lame", "--quiet", "-t", "a.wav", "a.mp3")
    let server = try Self.server(bench)
    let outcome = try bench.play(
      ["--output", "out.wav", "--events", "events", "--crossfade", "1"],
      [server.url("chunkedcut", "a.mp3"), "b.wav"])
    let events = try String(contentsOfFile: bench.path("events"), encoding: .utf8)
    #expect(!outcome.isCrash && outcome.errors.contains("connection"), "\(outcome)")
    #expect(!events.contains("rossfad") && events.contains("playing b.wav"), "\(events)")
  }

  /// Titles arrive seconds before their sound; the displayed one is that of the sound.
  @Test func aStationSaysWhatItPlays() throws {
    let bench = try Workbench()
    try bench.write(Sound.piece(seconds: 8, seed: 5), as: "a.wav")
    try bench.tool("lame", "--quiet", "-b", "128", "a.wav", "a.mp3")
    let server = try Self.server(bench)
    let outcome = try bench.play(
      ["--output", "out.wav", "--events", "events"], [server.url("songs", "a.mp3")],
      script: "at 5.25 stop\nat 5.3 quit")
    // From there on, a title every half a second.
    #expect(!outcome.isCrash, "\(outcome)")
    #expect(outcome.errors.contains("Test Radio: Song 8"), "\(outcome)")
    #expect(!outcome.errors.contains("Test Radio: Song 11"), "\(outcome)")
  }

  @Test func aPlaylistMayHoldStreams() throws {
    let bench = try Workbench()
    try bench.write(Sound.piece(seconds: 1, seed: 5), as: "a.wav")
    let server = try Self.server(bench)
    try bench.write(Data("a.wav\n\(server.url("moved", "a.wav"))?key=1#x\n".utf8), as: "list.m3u")
    let heard = try bench.record([], ["list.m3u"])
    #expect(heard.isSame(as: try bench.record([], ["a.wav", "a.wav"])))
  }

  /// A list from the network is one station with alternative addresses.
  @Test func aStationGoesOnAtItsNextAddress() throws {
    let bench = try Workbench()
    let piece = Sound.piece(seconds: 3, seed: 5)
    try bench.write(piece, as: "a.wav")
    let server = try Self.server(bench)
    let addresses = [
      server.url("status", "404/a.wav"), server.url("changes", "a.wav"), server.url("plain", "a.wav"),
    ]
    try bench.write(Data(addresses.joined(separator: "\n").utf8), as: "s.m3u")
    let heard = try bench.record([], [server.url("movedlist", "s.m3u")])
    let manners = server.requests.map { String($0.split(separator: "/")[0]) }
    #expect(manners.suffix(3) == ["movedlist", "list", "plain"], "\(manners)")
    #expect(manners.filter { $0 == "changes" }.count >= 1 && heard.frames > piece.frames, "\(manners)")
  }

  @Test func anXSPFPlaylistIsPlayed() throws {
    let bench = try Workbench()
    try bench.write(Sound.piece(seconds: 1, seed: 5), as: "a b.wav")
    try bench.write(Sound.piece(seconds: 1, seed: 6), as: "b.wav")
    let list =
      "<?xml version=\"1.0\"?><playlist version=\"1\" xmlns=\"http://xspf.org/ns/0/\"><trackList>"
      + "<track><location>a%20b.wav</location></track><track><location>b.wav</location></track>"
      + "</trackList></playlist>"
    try bench.write(Data(list.utf8), as: "list.xspf")
    let heard = try bench.record([], ["list.xspf"])
    #expect(heard.isSame(as: try bench.record([], ["a b.wav", "b.wav"])))
  }

  @Test func aStreamThatIsNotThereIsPassedOver() throws {
    let bench = try Workbench()
    try bench.write(Sound.piece(seconds: 1, seed: 5), as: "a.wav")
    let server = try Self.server(bench)
    let gone = server.url("status", "404/a.wav")
    let alone = try bench.play(["--output", "out.wav"], [gone])
    #expect(
      alone.status == 2 && !alone.isCrash && alone.reports(gone, "status 404", "Check the address"),
      "\(alone)")
    // One request to determine the rate, and one to play.
    #expect(server.requests.count == 2, "\(server.requests)")
    let first = try bench.play(["--output", "both.wav"], [gone, "a.wav"])
    #expect(first.status != 0 && !first.isCrash && first.output.contains("playing  a.wav"), "\(first)")
  }

  @Test func aStreamIsProbedAsAFile() throws {
    let bench = try Workbench()
    try bench.write(Sound.piece(seconds: 1, seed: 5), as: "a.wav")
    let server = try Self.server(bench)
    let outcome = try bench.start(["probe", server.url("plain", "a.wav")]).wait(seconds: 20)
    #expect(outcome.status == 0 && outcome.output.contains("44100"), "\(outcome)")
  }
}

extension Sound {
  /// Whether all samples are equal.
  fileprivate func isSame(as other: Sound) -> Bool {
    switch (samples, other.samples) {
    case (.int16(let a), .int16(let b)): a == b
    case (.float(let a), .float(let b)): a == b
    default: false
    }
  }
}
