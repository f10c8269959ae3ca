// Which clients of MPD are let in, and which are ended. Test threads.

import Foundation
import Neighbours
import Platform
import Testing

@testable import Simulator

@Suite struct MPDDoorTests {
  @Test func aHundredClientsAndNoMore() throws {
    let bench = try MPDBench()
    let clients = (0..<MPDServer.mostClients).map { _ in bench.greeted() }
    for client in clients { client.send("idle\n") }
    bench.clock.run(seconds: 1)
    let late = bench.client()
    #expect(late.take() == "" && bench.server.clientCount == MPDServer.mostClients)
    #expect(bench.notes.contains { $0.contains("was sent away") })
    _ = bench.bench.ask("volume 21")
    for client in clients { #expect(client.take() == "changed: mixer\nOK\n") }
    clients[0].hangUp()
    bench.clock.run(seconds: 1)
    #expect(bench.client().take() == "OK MPD 0.23.5\n")
  }

  /// As those do that only look whether a port is open.
  @Test func whoeverIsGoneBeforeTheGreetingTakesNoPlace() throws {
    let bench = try MPDBench()
    for _ in 0...MPDServer.mostClients {
      let wire = MPDWire(bench.clock)
      wire.hangUp()
      bench.door.knock(wire.theirs)
      bench.clock.run(seconds: 0.05)
    }
    #expect(bench.server.clientCount == 0 && bench.client().take() == "OK MPD 0.23.5\n")
  }

  /// A process without descriptors looks at its door once a second, and not as fast as it can.
  @Test func whoCannotComeInWaits() throws {
    let bench = try MPDBench()
    bench.door.failure = EMFILE
    let late = bench.client()
    bench.clock.run(seconds: 5)
    #expect((1...7).contains(bench.door.failures) && late.take() == "")
    bench.door.failure = nil
    bench.clock.run(seconds: 2)
    #expect(late.take() == "OK MPD 0.23.5\n")
  }

  /// A minute of silence ends a client; one that waits for changes stays for days.
  @Test func whoeverIsForgottenGoes() throws {
    let bench = try MPDBench()
    let (silent, waiting) = (bench.greeted(), bench.greeted())
    _ = waiting.ask("idle mixer")
    bench.clock.run(seconds: 61)
    #expect(bench.server.clientCount == 1)
    _ = silent
    bench.clock.run(seconds: 3600)
    _ = bench.bench.ask("volume 44")
    #expect(waiting.take() == "changed: mixer\nOK\n")
  }

  /// One that asks and never reads costs itself.
  @Test func aClientThatDoesNotReadIsEnded() throws {
    let storage = Bench.storage()
    let bench = try MPDBench(storage)
    let (deaf, other) = (bench.greeted(), bench.greeted())
    for _ in 0..<200 { _ = other.ask("add short", "add long") }
    deaf.theirs.room = 1000
    for _ in 0..<100 where bench.server.clientCount == 2 {
      deaf.send(String(repeating: "playlistinfo\n", count: 20))
      bench.clock.run(seconds: 0.2)
    }
    #expect(bench.server.clientCount == 1)
    #expect(other.ask("ping") == "OK\n")
  }
}
