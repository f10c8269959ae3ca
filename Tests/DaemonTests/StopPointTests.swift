// 'sleep track' and 'sleep queue' on a complete box: responses, status and stored state. Test threads.

import Platform
import PlaybackModel
import Testing

@testable import Simulator

@Suite struct StopPointTests {
  /// A box that plays two short tracks.
  private func playing(_ configuration: String = "") throws -> Bench {
    let bench = try Bench(Bench.storage(configuration))
    _ = bench.ask("play short")
    _ = bench.ask("queue add short")
    bench.clock.run(seconds: 5)
    return bench
  }

  @Test func theMusicEndsWithTheTrackAndPlayGoesOnBehindIt() throws {
    let bench = try playing()
    #expect(bench.ask("sleep track").contains("stops after this track"))
    #expect(bench.status("sleep-after") == "track" && bench.ask("sleep").contains("after this track"))
    bench.clock.run(seconds: 40)
    #expect(bench.status("state") == "finished" && bench.status("sleep-after") == nil)
    #expect(bench.machine.logged.contains("The music has ended, and what 'sleep' had set with it."))
    _ = bench.ask("play")
    #expect(bench.status("queue-position") == "2")
    bench.clock.run(seconds: 10)
    #expect(bench.status("state") == "playing")
  }

  @Test(arguments: ["one", "all"]) func theQueueEndsWhateverIsRepeated(mode: String) throws {
    let bench = try playing("set queue.repeat \(mode)\n")
    #expect(bench.ask("sleep queue").contains("stops after the queue's last track"))
    bench.clock.run(seconds: 40)
    #expect(bench.status("state") == "playing" && bench.status("queue-position") == "2")
    bench.clock.run(seconds: 30)
    #expect(bench.status("state") == "finished" && bench.status("repeat") == mode)
  }

  /// A new stop point replaces the previous one.
  @Test func thereIsOneThingThatStopsTheMusic() throws {
    let bench = try playing()
    _ = bench.ask("sleep 10")
    _ = bench.ask("sleep queue")
    #expect(bench.status("sleep-seconds") == nil && bench.status("sleep-after") == "queue")
    _ = bench.ask("sleep 10")
    #expect(bench.status("sleep-seconds") != nil && bench.status("sleep-after") == nil)
    _ = bench.ask("sleep track")
    #expect(bench.ask("sleep off").contains("no sleep timer"))
    bench.clock.run(seconds: 40)
    #expect(bench.status("queue-position") == "2" && bench.status("state") == "playing")
  }

  @Test func whoeverWatchesIsTold() throws {
    let bench = try playing()
    let watcher = bench.machine.listener.connect()
    watcher.type("watch sleep")
    bench.clock.run(seconds: 1)
    _ = bench.ask("sleep track")
    bench.clock.run(seconds: 40)
    let said = watcher.takeText()
    #expect(said.contains("stops after this track") && said.contains("no timer"), "\(said)")
  }

  @Test(arguments: StopPoint.allCases) func aPowerCutDoesNotEndIt(point: StopPoint) throws {
    let bench = try playing("set queue.repeat all\n")
    _ = bench.ask("sleep " + point.name)
    bench.clock.run(seconds: 2)
    bench.pullThePlug()
    let next = try Bench(bench.machine.storage)
    next.clock.run(seconds: 5)
    #expect(next.status("sleep-after") == point.name, "\(next.machine.logged)")
    next.clock.run(seconds: point == .track ? 30 : 60)
    #expect(next.status("state") == "finished")
  }
}
