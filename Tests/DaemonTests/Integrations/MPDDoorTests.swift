// Which MPD clients are accepted and which are disconnected. Test threads.

import Foundation
import Integrations
import Platform
import Testing

@testable import Simulator

@Suite struct MPDDoorTests {
  @Test func aHundredClientsAndNoMore() throws {
    let bench = try MPDBench()
    let clients = (0..<MPDSeats.maxClients).map { _ in bench.greeted() }
    for client in clients { client.send("idle\n") }
    bench.clock.run(seconds: 1)
    let late = bench.client()
    #expect(late.take() == "" && bench.server.clientCount == MPDSeats.maxClients)
    #expect(bench.notes.contains { $0.contains("were sent away") })
    _ = bench.bench.ask("volume 21")
    for client in clients { #expect(client.take() == "changed: mixer\nOK\n") }
    clients[0].hangUp()
    bench.clock.run(seconds: 1)
    #expect(bench.client().take() == "OK MPD 0.23.5\n")
  }

  /// A port scanner, which connects and closes at once, does not occupy a place.
  @Test func whoeverIsGoneBeforeTheGreetingTakesNoPlace() throws {
    let bench = try MPDBench()
    for _ in 0...MPDSeats.maxClients {
      let wire = MPDWire(bench.clock)
      wire.hangUp()
      bench.door.knock(wire.theirs)
      bench.clock.run(seconds: 0.05)
    }
    #expect(bench.server.clientCount == 0 && bench.client().take() == "OK MPD 0.23.5\n")
  }

  /// A process without free file descriptors retries `accept` once a second instead of spinning.
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

  /// A client is disconnected after a minute of silence; a client in `idle` may stay for days.
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

  /// Clients that do not read are disconnected once 8 MiB are buffered for all clients; a client that reads
  /// stays.
  @Test func clientsThatDoNotReadAreEnded() throws {
    let bench = try MPDBench()
    let (deaf, other) = ([bench.greeted(), bench.greeted()], bench.greeted())
    for _ in 0..<200 { _ = other.ask("add short", "add long") }
    let answer = other.ask("playlistinfo").utf8.count
    for client in deaf { client.theirs.room = 1000 }
    var asked = 0
    while bench.server.clientCount == 3, asked < 1000 {
      for client in deaf { client.send(String(repeating: "playlistinfo\n", count: 5)) }
      bench.clock.run(seconds: 0.2)
      asked += 10
      #expect(asked * answer < MPDServer.maxUnsent + 12 * answer)
    }
    #expect(MPDServer.maxUnsent == 8 << 20 && asked * answer > MPDServer.maxUnsent - 2000)
    #expect(bench.server.clientCount == 2, "the other one has room again")
    #expect(other.ask("ping") == "OK\n")
  }

  /// Silent unauthenticated clients cannot lock out the owner, neither at once nor after a minute.
  @Test(arguments: [MPDPermission.nothing, .read]) func silentStrangersKeepNoOwnerOut(guests: MPDPermission)
    throws
  {
    let bench = try MPDBench(access: MPDAccess(password: "word", guests: guests))
    let owner = bench.greeted()
    #expect(owner.ask("password word") == "OK\n")
    owner.send("idle\n")
    let strangers = (0..<130).map { _ in bench.greeted() }
    #expect(bench.server.clientCount == MPDSeats.maxStrangers + 1)
    // The oldest client was disconnected for the newest.
    #expect(strangers[0].ask("ping") == "" && strangers[129].ask("ping") == "OK\n")
    let another = bench.greeted()
    #expect(another.ask("password word") == "OK\n" && another.ask("status").hasSuffix("OK\n"))
    #expect(bench.notes.count <= 2, "\(bench.notes)")
    bench.clock.run(seconds: 11)
    #expect(guests != .nothing || bench.server.clientCount == 2)
    _ = bench.bench.ask("volume 21")
    #expect(owner.take() == "changed: mixer\nOK\n")
  }

  /// Unauthenticated clients that have given commands are disconnected later than silent ones.
  @Test func silentClientsGiveWayFirst() throws {
    let bench = try MPDBench(access: MPDAccess(password: "word", guests: .read))
    let reader = bench.greeted()
    #expect(reader.ask("status").hasSuffix("OK\n"))
    let silent = (0..<MPDSeats.maxStrangers).map { _ in bench.greeted() }
    #expect(reader.ask("ping") == "OK\n" && silent[0].ask("ping") == "" && silent[1].ask("ping") == "OK\n")
  }

  /// Without a configured password a client that has given commands keeps its place.
  @Test func withoutAPasswordSilentClientsGiveWay() throws {
    let bench = try MPDBench()
    let user = bench.greeted()
    #expect(user.ask("ping") == "OK\n")
    let others = (0..<120).map { _ in bench.greeted() }
    #expect(bench.server.clientCount == MPDSeats.maxClients)
    #expect(user.ask("ping") == "OK\n" && others[0].ask("ping") == "" && others[119].ask("ping") == "OK\n")
  }

  /// Many password guesses on all places: a few per second, a few log lines, and no other client is delayed.
  @Test func passwordsAreGuessedSlowly() throws {
    let bench = try MPDBench(access: MPDAccess(password: "word", guests: .nothing))
    let owner = bench.greeted()
    #expect(owner.ask("password word") == "OK\n")
    var answers = 0
    let seconds = 30
    for _ in 0..<seconds {
      let guessers = (0..<40).map { _ in bench.client() }
      for guesser in guessers { guesser.send(String(repeating: "password x\n", count: 50)) }
      #expect(owner.ask("ping") == "OK\n")
      for guesser in guessers {
        answers += guesser.take().split(separator: "\n").count { $0.hasPrefix("ACK") }
        guesser.hangUp()
      }
      bench.clock.run(seconds: 0.1)
    }
    #expect(answers < 10, "\(answers) guesses were answered")
    let lines = bench.notes.filter { $0.contains("wrong password") }
    #expect((1...2).contains(lines.count), "\(bench.notes)")
    // The owner gets in despite the guesses of others.
    let late = bench.greeted()
    late.send("password word\n")
    bench.clock.run(seconds: 5)
    #expect(late.take() == "OK\n")
    bench.clock.run(seconds: 200)
    #expect(bench.greeted().ask("password word") == "OK\n")
  }

  @Test func aConnectionHasThreeTries() throws {
    let bench = try MPDBench(access: MPDAccess(password: "word", guests: .read))
    let client = bench.greeted()
    client.send("password a\npassword b\npassword c\npassword word\n")
    bench.clock.run(seconds: 20)
    #expect(client.take().split(separator: "\n").count == 3)
    #expect(client.ask("ping") == "" && bench.server.clientCount == 0)
  }
}
