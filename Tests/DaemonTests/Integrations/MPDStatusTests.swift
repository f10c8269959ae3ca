// The state of the box as MPD clients read it, apart from what is compared with Debian's mpd. Test threads.

import Testing

@testable import Simulator

@Suite struct MPDStatusTests {
  @Test(arguments: [320, nil] as [Int?])
  func theBitrateIsToldWhereItIsKnown(_ kilobits: Int?) throws {
    let storage = Bench.storage()
    storage.tracks["/music/long"]?.kilobits = kilobits
    let bench = try MPDBench(storage)
    let client = bench.greeted()
    _ = client.ask("add long", "play")
    bench.clock.run(seconds: 2)
    #expect(client.field("bitrate") == kilobits.map { "\($0)" } ?? "0")
    #expect(bench.bench.status("bitrate") == kilobits.map { "\($0)" })
    _ = client.ask("stop")
    bench.clock.run(seconds: 1)
    #expect(client.field("bitrate") == nil)
  }

  /// As in MPD, `single oneshot` stops at the beginning of the next song, which `play` then starts.
  @Test func oneSongIsPlayedAndNoMore() throws {
    let bench = try MPDBench()
    let client = bench.greeted()
    _ = client.ask("add short", "add long", "play", "single oneshot")
    #expect(client.field("single") == "oneshot")
    client.send("idle options player\n")
    bench.clock.run(seconds: 40)
    #expect(client.take().contains("changed: options"))
    #expect(client.field("state") == "stop" && client.field("single") == "0")
    _ = client.ask("play")
    bench.clock.run(seconds: 2)
    #expect(client.field("song") == "1" && client.field("state") == "play")
    _ = client.ask("single oneshot", "single 1")
    #expect(client.field("single") == "1" && bench.bench.status("sleep-after") == nil)
  }
}
