// What clients of MPD read of the box's state, beside what Debian's mpd can be compared with. Test threads.

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

  /// MPD pauses at the beginning of the next song, with which a box's play continues, too.
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
