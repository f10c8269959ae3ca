// Integration processes: started according to the settings and restarted after they end. Test threads.

import Daemon
import Integrations
import Platform
import Testing

@testable import Simulator

@Suite struct IntegrationTests {
  private func bench(_ configuration: String = "") throws -> Bench { try Bench(Bench.storage(configuration)) }

  private func orders(_ bench: Bench) -> [IntegrationOrder] { bench.machine.integrations.map { $0.order } }

  @Test func nothingIsStartedUnlessASettingWantsIt() throws {
    let bench = try bench()
    #expect(orders(bench).isEmpty && bench.status("mpd") == nil)
    #expect(bench.ask("set mpd.listen 127.0.0.1:6600").contains("ok"))
    #expect(orders(bench).map { $0.words } == [["--listen", "127.0.0.1:6600", "--guests", "nothing"]])
    #expect(orders(bench).first?.socket == "/run/swiftlet/control" && orders(bench).first?.password == nil)
    #expect(bench.status("mpd") == "listens at 127.0.0.1:6600")
    #expect(bench.ask("set mpd.listen off").contains("ok"))
    #expect(bench.status("mpd") == nil && bench.machine.integrations[0].isGone)
  }

  @Test func aChangeStartsItAnew() throws {
    let bench = try bench("set mpd.listen [::]:6600\nset mpd.password secret\nset mpd.guests read\n")
    #expect(orders(bench).map { $0.password } == ["secret"])
    #expect(orders(bench).map { $0.words.suffix(2) } == [["--guests", "read"]])
    _ = bench.ask("set mpd.password none")
    _ = bench.ask("set volume.maximum 80")
    #expect(
      orders(bench).count == 2 && bench.machine.integrations[0].isGone
        && !bench.machine.integrations[1].isGone)
    #expect(bench.machine.logged.contains { $0.contains("may use the box") })
    #expect(!bench.machine.logged.contains { $0.contains("secret") })
  }

  /// A process that is killed repeatedly is restarted with a growing backoff, without affecting the music.
  @Test func whateverEndsItItComesBack() throws {
    let bench = try bench("set mpd.listen 127.0.0.1:6600\n")
    _ = bench.ask("play long")
    for _ in 0..<12 {
      bench.machine.integrations.last?.end("signal 9 ended it")
      bench.clock.run(seconds: 0.5)
      #expect(bench.status("mpd")?.contains("signal 9 ended it; trying again in") == true)
      bench.clock.run(seconds: 61)
    }
    #expect(orders(bench).count == 13 && bench.status("mpd") == "listens at 127.0.0.1:6600")
    #expect(bench.status("state") == "playing")
    let first = try #require(bench.machine.integrations.last?.startedAt)
    bench.clock.run(seconds: 60)
    bench.machine.integrations.last?.end("it ended with status 71")
    bench.clock.run(seconds: 1.5)
    // The backoff is reset after a long run, so the restart is immediate.
    #expect(orders(bench).count == 14 && bench.machine.integrations.last!.startedAt > first)
  }

  @Test func whatCannotBeStartedIsSaidAndTriedAgain() throws {
    let bench = try bench()
    bench.machine.integrationFailure = 11
    _ = bench.ask("set mpd.listen 127.0.0.1:6600")
    #expect(bench.status("mpd")?.hasPrefix("the MPD server does not run: ") == true)
    bench.machine.integrationFailure = nil
    bench.clock.run(seconds: 3)
    #expect(bench.status("mpd") == "listens at 127.0.0.1:6600")
  }

  /// A process that is stopped (SIGSTOP) and thus sends no heartbeat is replaced.
  @Test func oneThatStandsStillIsReplaced() throws {
    let bench = try bench("set mpd.listen 127.0.0.1:6600\n")
    bench.clock.run(seconds: 300)
    #expect(orders(bench).count == 1)
    bench.machine.integrations[0].isStopped = true
    bench.clock.run(seconds: 40)
    #expect(orders(bench).count == 2 && bench.machine.integrations[0].isGone)
    #expect(bench.machine.logged.contains { $0.contains("it said nothing for 35 s") })
    #expect(bench.status("mpd") == "listens at 127.0.0.1:6600")
    #expect(bench.machine.logged.contains { $0.contains("Trying again in 1 s") })
    // A process that closes its standard output is replaced, too.
    bench.machine.integrations[1].fallSilent()
    bench.clock.run(seconds: 50)
    #expect(orders(bench).count == 3)
  }

  /// Earlier restarts do not lengthen the timeout of a process that has run for long.
  @Test func oneThatStandsStillAfterLongIsMissedAtOnce() throws {
    let bench = try bench("set mpd.listen 127.0.0.1:6600\n")
    for _ in 0..<8 {
      bench.machine.integrations.last?.end("signal 9 ended it")
      bench.clock.run(seconds: 61)
    }
    let count = orders(bench).count
    bench.clock.run(seconds: 3600)
    bench.machine.integrations.last?.isStopped = true
    bench.clock.run(seconds: 37)
    #expect(orders(bench).count == count + 1)
  }

  /// The MPD service is announced only while its server listens on an address that other hosts can reach.
  @Test func theBoxIsAnnouncedWhileItsServerListens() throws {
    let bench = try bench("set mpd.listen 127.0.0.1:6600\nset discovery.enabled on\n")
    bench.clock.run(seconds: 1)
    #expect(orders(bench).map { $0.name } == ["mpd"] && bench.status("discovery") == nil)
    _ = bench.ask("set mpd.listen 0.0.0.0:6601")
    #expect(orders(bench).map { $0.name } == ["mpd", "mpd", "discovery"])
    #expect(bench.machine.integrations[2].order.words == ["--mpd", "0.0.0.0:6601"])
    bench.machine.integrations[2].say(.standing("announces 'box' as _mpd._tcp, port 6601"))
    bench.clock.run(seconds: 0.1)
    #expect(bench.status("discovery") == "announces 'box' as _mpd._tcp, port 6601")
    // The server crashes and is restarted.
    bench.machine.integrations[1].end("signal 9 ended it")
    bench.clock.run(seconds: 0.1)
    #expect(bench.machine.integrations[2].isGone && bench.status("discovery") == nil)
    bench.clock.run(seconds: 2)
    #expect(orders(bench).map { $0.name }.suffix(2) == ["mpd", "discovery"])
    _ = bench.ask("set discovery.name \"Kitchen box\"")
    #expect(bench.machine.integrations.last?.option("--name") == "Kitchen box")
    _ = bench.ask("set discovery.enabled off")
    #expect(bench.status("discovery") == nil && bench.machine.integrations.last?.isGone == true)
  }

  @Test func whatItSaysIsShown() throws {
    let bench = try bench("set mqtt.host broker.lan\n")
    let trace = try #require(bench.machine.integrations.first)
    #expect(bench.status("mqtt") == "connecting to broker.lan, port 1883")
    trace.say(.standing("connected to broker.lan:1883"))
    #expect(bench.status("mqtt") == "connected to broker.lan:1883")
    trace.say(.trouble("no connection:\u{1B}[2J it burns\n"))
    #expect(bench.status("mqtt") == "no connection:[2J it burns")
    #expect(bench.machine.logged.contains("MQTT: connected to broker.lan:1883."))
    // A long line is truncated.
    for _ in 0..<3 { trace.say([UInt8](repeating: 0x3D, count: 4096)) }
    trace.say([0x0A])
    let text = try #require(bench.status("mqtt"))
    #expect(text.utf8.count <= IntegrationReport.maxLineLength)
    trace.say(.exitReason("libmosquitto cannot be loaded"))
    trace.end("it ended with status 69")
    #expect(
      bench.status("mqtt")?.hasPrefix("MQTT does not run: libmosquitto cannot be loaded; trying again in")
        == true)
  }

  /// A process that floods its standard output with valid reports is replaced, because it would fill the log.
  @Test(arguments: ["=", "-trouble\n", "\n", "."]) func oneThatSaysTooMuchIsReplaced(words: String) throws {
    let bench = try bench("set mqtt.host broker.lan\n")
    _ = bench.ask("play long")
    for turn in 1...6 {
      let trace = try #require(bench.machine.integrations.last)
      for number in 0..<100 where !trace.isGone {
        trace.say(Array((Array(repeating: words, count: 40).joined(separator: "\(number)") + "\n").utf8))
        bench.clock.run(seconds: 0.01)
      }
      #expect(trace.isGone && bench.machine.integrations.count == turn)
      #expect(
        bench.status("mqtt")?.contains("it sent more than the protocol allows; trying again") == true)
      bench.clock.run(seconds: 61)
    }
    #expect(bench.machine.logged.filter { $0.hasPrefix("MQTT") }.count < 6 * 102)
    #expect(bench.status("state") == "playing" && orders(bench).count == 7)
    // A healthy process may report now and then without limit.
    let trace = try #require(bench.machine.integrations.last)
    for number in 0..<500 {
      trace.say(.trouble("no connection: \(number)"))
      bench.clock.run(seconds: 1)
    }
    #expect(!trace.isGone && bench.status("mqtt") == "no connection: 499")
  }

  @Test func settingsOfMQTTReachIt() throws {
    let bench = try bench("set mqtt.host broker.lan\nset mqtt.password \"the word\"\n")
    var trace = try #require(bench.machine.integrations.last)
    #expect(trace.order.name == "mqtt" && trace.order.password == "the word")
    #expect(trace.option("--host") == "broker.lan" && trace.option("--port") == "1883")
    #expect(trace.option("--discovery") == "homeassistant" && !trace.order.words.contains("--tls"))
    #expect(trace.option("--prefix") == nil && trace.option("--user") == nil && trace.option("--name") == nil)
    #expect(!trace.order.words.contains { $0.contains("the word") })
    for (line, name, value) in [
      ("set mqtt.tls on", "--port", "8883"), ("set mqtt.ca /etc/ca.pem", "--ca", "/etc/ca.pem"),
      ("set mqtt.user box", "--user", "box"), ("set mqtt.prefix home/box", "--prefix", "home/box"),
      ("set mqtt.discovery off", "--discovery", "off"), ("set mqtt.name Box", "--name", "Box"),
      ("set mqtt.port 99", "--port", "99"),
    ] {
      #expect(bench.ask(line).contains("ok"))
      trace = try #require(bench.machine.integrations.last)
      #expect(trace.option(name) == value)
    }
    #expect(bench.machine.integrations.dropLast().allSatisfy { $0.isGone })
    for line in ["show mqtt", "diff", "report", "status"] { #expect(!bench.ask(line).contains("the word")) }
    #expect(!bench.ask("set mqtt.password " + String(repeating: "the-word", count: 30)).contains("the-word"))
    #expect(!bench.machine.logged.contains { $0.contains("the word") })
    #expect(bench.ask("set mqtt.host off").contains("ok") && bench.status("mqtt") == nil && trace.isGone)
  }

  @Test(arguments: [
    "6600", "localhost:6600", "127.0.0.1", "127.0.0.1:0", "127.0.0.1:70000", "::1:6600", "[::1]",
    "1.2.3:6600",
  ])
  func whatIsNoAddressIsRefused(text: String) throws {
    let answer = try bench().ask("set mpd.listen \(text)")
    #expect(
      answer.contains("error: mpd.listen cannot be '\(text)'") && answer.contains("127.0.0.1:6600"),
      "\(answer)")
  }

  /// A compromised integration can only give the commands that the integration needs.
  @Test func itGivesNoCommandThatItHasNoNeedOf() throws {
    let bench = try bench("set mpd.listen 127.0.0.1:6600\n")
    let wire = bench.machine.listener.connect()
    wire.peerGroup = bench.machine.integrations.last?.number
    for line in ["set volume.maximum 7", "shutdown", "report", "status"] { wire.type(line) }
    bench.clock.run(seconds: 1)
    let said = wire.takeText()
    #expect(said.components(separatedBy: "is not for the MPD server").count == 4, "\(said)")
    #expect(said.contains("state"), "\(said)")
    #expect(bench.ask("show volume.maximum").contains("100") && bench.status("state") != nil)
    #expect(bench.machine.logged.count { $0.contains("A command of the MPD server was refused") } == 1)
    // The user's own session keeps all permissions.
    #expect(bench.ask("set volume.maximum 80").contains("ok"))
  }

  /// Output of an ended process may be read after its successor has started; it does not count for the
  /// successor.
  @Test func itsLastWordsAreItsOwn() throws {
    let bench = try bench("set mpd.listen 127.0.0.1:6600\n")
    let first = try #require(bench.machine.integrations.last).number
    func isRefused(_ number: Int32) -> Bool {
      let wire = bench.machine.listener.connect()
      wire.peerGroup = number
      wire.type("diff")
      bench.clock.run(seconds: 0.1)
      return wire.takeText().contains("is not for the MPD server")
    }
    bench.machine.integrations.last?.end("signal 9 ended it")
    bench.clock.run(seconds: 0.1)
    #expect(isRefused(first) && !isRefused(1))
    bench.clock.run(seconds: 2)
    let second = try #require(bench.machine.integrations.last).number
    #expect(second != first && isRefused(first) && isRefused(second))
    bench.machine.integrations.last?.end("signal 9 ended it")
    bench.clock.run(seconds: 3)
    // The process number may have been reused by now.
    #expect(!isRefused(first) && isRefused(second))
  }

  @Test func itEndsWithTheBox() throws {
    let bench = try bench("set mpd.listen 127.0.0.1:6600\n")
    _ = bench.ask("shutdown")
    bench.clock.run(seconds: 2)
    #expect(bench.machine.integrations.last?.isGone == true)
  }
}
