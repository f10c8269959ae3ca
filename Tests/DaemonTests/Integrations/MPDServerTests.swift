// MPD clients and a box: what they see and do, and that neither can harm the other. Test threads.

import Foundation
import Integrations
import Platform
import Testing

@testable import Simulator

@Suite struct MPDServerTests {
  @Test func aClientPlaysPausesAndSeeks() throws {
    let bench = try MPDBench()
    let client = bench.client()
    #expect(client.take() == "OK MPD 0.23.5\n")
    #expect(client.ask("add long") == "OK\n" && client.ask("play") == "OK\n")
    bench.clock.run(seconds: 3)
    let status = client.ask("status")
    for line in [
      "state: play", "playlistlength: 1", "song: 0", "songid: 1", "duration: 3600.000", "volume: 50",
    ] {
      #expect(status.contains(line + "\n"), "\(status)")
    }
    #expect(client.ask("seekcur 100") == "OK\n" && client.ask("pause") == "OK\n")
    #expect(client.field("state") == "pause")
    let elapsed = try #require(client.field("elapsed").flatMap { Double($0) })
    #expect(elapsed >= 100 && elapsed < 101)
    #expect(client.ask("currentsong").hasPrefix("file: long\n"))
    #expect(client.ask("stop") == "OK\n")
    bench.clock.run(seconds: 1)
    #expect(client.field("state") == "stop")
  }

  /// The parental limits apply to MPD clients, too.
  @Test(arguments: [
    "set limits.quiet-from 00:00\nset limits.quiet-to 23:59\n", "set limits.tags-only on\n",
  ]) func limitsHoldForClients(lines: String) throws {
    let bench = try MPDBench(Bench.storage(lines))
    let client = bench.greeted()
    let answers = client.ask("add long") + client.ask("play")
    #expect(answers.contains("ACK "), "\(answers)")
    bench.clock.run(seconds: 3)
    let state = client.field("state")
    #expect(state != "play" && bench.bench.machine.card?.heard ?? 0 == 0)
  }

  @Test func idleTellsWhatHasChangedSinceItWasAsked() throws {
    let bench = try MPDBench()
    let (client, other) = (bench.greeted(), bench.greeted())
    _ = client.ask("status")
    #expect(client.ask("idle") == "")
    _ = bench.bench.ask("volume 33")
    #expect(client.take() == "changed: mixer\nOK\n")
    // Changes while no client waits are reported once, at the next `idle`.
    _ = bench.bench.ask("queue add long")
    _ = bench.bench.ask("set fade.length 3")
    let told = client.ask("idle")
    #expect(
      told.contains("changed: playlist\n") && told.contains("changed: options\n") && told.hasSuffix("OK\n"))
    #expect(client.ask("idle output") == "")
    _ = other.ask("setvol 20")
    #expect(client.take() == "")
    #expect(client.ask("noidle") == "OK\n")
    // Outside of `idle`, `noidle` has no response.
    #expect(client.ask("noidle") == "" && client.ask("ping") == "OK\n")
    #expect(client.ask("idle mixer") == "changed: mixer\nOK\n")
  }

  /// A client that violates the protocol is disconnected.
  @Test(arguments: [
    "GET / HTTP/1.1", "idle\nping", "command_list_begin\nidle\ncommand_list_end",
    String(repeating: "x", count: 20_000), "ping\n" + String(repeating: "x", count: 40_000),
  ])
  func whatNoClientSaysEndsIt(lines: String) throws {
    let bench = try MPDBench()
    let (client, other) = (bench.greeted(), bench.greeted())
    _ = client.ask(lines)
    #expect(bench.server.clientCount == 1)
    #expect(other.ask("ping") == "OK\n")
  }

  /// A line of 16 KiB and a command list of 512 KiB are accepted; one byte more disconnects the client. Each
  /// line of a list counts 16 bytes more than its length.
  @Test(arguments: [false, true]) func linesAndListsAreBounded(isTooLong: Bool) throws {
    let more = isTooLong ? 1 : 0
    let bench = try MPDBench()
    let (client, other) = (bench.greeted(), bench.greeted())
    let line = "ping " + String(repeating: "x", count: (16 << 10) - 5 + more)
    client.send(line + "\n")
    bench.clock.run(seconds: 1)
    #expect(client.take().hasPrefix("ACK ") == !isTooLong)
    #expect(bench.server.clientCount == 2 - more)
    let (whole, rest) = ((512 << 10) / (16 << 10), 16)
    var lines = ["command_list_begin"]
    for number in 1...whole {
      let size = (16 << 10) - 16 + (number == whole ? more : 0)
      lines.append("ping" + String(repeating: " ", count: size - 4))
    }
    #expect(lines.dropFirst().reduce(0) { $0 + $1.utf8.count + rest } == (512 << 10) + more)
    other.send((lines + ["command_list_end"]).joined(separator: "\n") + "\n")
    bench.clock.run(seconds: 2)
    #expect(other.take().hasSuffix("OK\n") == !isTooLong)
    #expect(bench.server.clientCount == 2 - 2 * more)
  }

  @Test func aListStopsAtItsFirstError() throws {
    let bench = try MPDBench()
    let client = bench.greeted()
    let answer = client.ask(
      "command_list_ok_begin", "add short", "add nowhere", "add long", "command_list_end")
    #expect(answer.hasPrefix("list_OK\nACK [50@1] {add} "))
    #expect(client.field("playlistlength") == "1")
    #expect(
      client.ask("command_list_begin", "add long", "play 1", "status", "command_list_end").contains(
        "songid: 2\n"))
  }

  /// A client addresses songs by id while the queue is changed at the box.
  @Test func anIdStaysWithItsTrack() throws {
    let bench = try MPDBench()
    let client = bench.greeted()
    _ = client.ask("add short", "add long", "add short")
    let ids = client.ask("playlistinfo").split(separator: "\n").filter { $0.hasPrefix("Id: ") }.map {
      $0.dropFirst(4)
    }
    try #require(ids.count == 3)
    _ = bench.bench.ask("queue move 2 1")
    #expect(client.ask("deleteid \(ids[1])") == "OK\n")
    #expect(client.ask("playlist") == "0:file: short\n1:file: short\nOK\n")
    #expect(client.ask("deleteid \(ids[1])") == "ACK [50@0] {deleteid} No such song\n")
  }

  @Test func plchangesTellsOnlyWhatHasChanged() throws {
    let bench = try MPDBench()
    let client = bench.greeted()
    _ = client.ask("add short", "add long", "add short")
    let version = try #require(client.field("playlist"))
    #expect(client.ask("plchanges \(version)") == "OK\n")
    _ = bench.bench.ask("queue move 2 3")
    let changes = client.ask("plchangesposid \(version)")
    #expect(changes.contains("cpos: 1\n") && changes.contains("cpos: 2\n") && !changes.contains("cpos: 0\n"))
    // A client whose version is older than a restart of the server gets the whole queue.
    #expect(client.ask("plchangesposid 99999").contains("cpos: 0\n"))
  }

  /// A folder that does not respond delays only the client that asked for it.
  @Test func storageThatHangsHoldsUpOneClient() throws {
    let bench = try MPDBench()
    let (client, other) = (bench.greeted(), bench.greeted())
    bench.bench.machine.storage.hangs = true
    #expect(client.ask("lsinfo") == "")
    #expect(other.ask("status").hasSuffix("OK\n") && other.ask("setvol 10") == "OK\n")
    bench.bench.machine.storage.hangs = false
    bench.clock.run(seconds: 31)
    #expect(client.take().hasSuffix("\n"))
    #expect(client.ask("ping") == "OK\n")
  }

  /// A file name on a stick may contain a line break followed by a command; it is never run.
  @Test func aNameIsNeverACommand() throws {
    let storage = Bench.storage()
    let names = ["gone", "one", "two\nvolume 90\n", "x\u{85}y"]
    storage.folders = [
      "/music": SimulatedFolder(entries: names.map { DirectoryEntry(name: $0, isDirectory: true) }),
      "/music/one": 0,
    ]
    let bench = try MPDBench(storage)
    let client = bench.greeted()
    #expect(client.ask("lsinfo") == "directory: gone\ndirectory: one\nOK\n")
    // A folder that has been removed since the listing does not hide the others.
    #expect(client.ask("listall") == "directory: gone\ndirectory: one\nOK\n")
    #expect(client.ask("add \"a\rstop\"") == "ACK [50@0] {add} No such directory\n")
    #expect(client.field("volume") == "50" && client.ask("ping") == "OK\n")
  }

  @Test func whatIsUrgentIsPlayedNextInAShuffle() throws {
    let bench = try MPDBench()
    let client = bench.greeted()
    for _ in 0..<9 { _ = client.ask("add long") }
    _ = client.ask("random 1", "play 0")
    #expect(client.ask("prio 7 4:6") == "OK\n" && client.ask("prioid 9 7") == "OK\n")
    #expect(
      client.ask("playlistinfo 4").contains("Prio: 7\n") && !client.ask("playlistinfo 3").contains("Prio"))
    _ = client.ask("next")
    #expect(client.field("song") == "6")
    _ = client.ask("next")
    #expect(["4", "5"].contains(client.field("song")))
    #expect(
      client.ask("prio 256 0").hasPrefix("ACK [2@0]") && client.ask("prioid 1 99").hasPrefix("ACK [50@0]"))
    #expect(bench.bench.ask("queue priority 300 1").contains("0 to 255"))
  }

  /// As in MPD, `single` with `repeat` does not keep `next` and `previous` from changing the song.
  @Test(arguments: [0, 1], [0, 1]) func nextAndPreviousLeadRoundARepeatedQueue(repeats: Int, single: Int)
    throws
  {
    let bench = try MPDBench()
    let client = bench.greeted()
    for _ in 0..<3 { _ = client.ask("add long") }
    _ = client.ask("repeat \(repeats)", "single \(single)")
    for place in 0..<3 {
      for isPaused in [false, true] {
        func after(_ command: String) -> String? {
          _ = client.ask("play \(place)", "seekcur 20")
          bench.clock.run(seconds: 1)
          if isPaused { _ = client.ask("pause 1") }
          bench.clock.run(seconds: 1)
          #expect(client.ask(command) == "OK\n")
          bench.clock.run(seconds: 1)
          return client.field("state") == "stop" ? nil : client.field("song")
        }
        let next = place + 1 < 3 ? place + 1 : repeats == 1 ? 0 : nil
        #expect(after("next") == next.map { "\($0)" }, "song \(place), paused \(isPaused)")
        let former = place > 0 ? place - 1 : repeats == 1 ? 2 : 0
        #expect(after("previous") == "\(former)", "song \(place), paused \(isPaused)")
      }
    }
  }

  @Test func aBoxThatIsGoneIsSaidToBe() throws {
    let bench = try MPDBench()
    let client = bench.greeted()
    _ = client.ask("add long")
    #expect(client.ask("idle").hasSuffix("OK\n") && client.ask("idle") == "")
    bench.sessions.loseBox()
    #expect(client.take().contains("changed: "))
    #expect(client.ask("status").hasPrefix("ACK [52@0] {status} the box does not answer"))
    #expect(client.ask("ping") == "OK\n")
    bench.sessions.hasBox = true
    bench.clock.run(seconds: 6)
    #expect(client.field("playlistlength") == "1")
    // The server reports changes again.
    #expect(client.ask("idle mixer").isEmpty || client.ask("idle mixer").isEmpty)
    _ = bench.bench.ask("volume 12")
    #expect(client.take() == "changed: mixer\nOK\n")
  }

  @Test func aPasswordIsAskedFor() throws {
    let bench = try MPDBench(access: MPDAccess(password: "open sesame"))
    let client = bench.greeted()
    #expect(client.ask("status") == "ACK [4@0] {status} you don't have permission for \"status\"\n")
    #expect(client.ask("commands") == client.ask("commands"))
    #expect(
      !client.ask("commands").contains("command: play\n")
        && client.ask("notcommands").contains("command: play\n"))
    #expect(client.ask("password \"open\"") == "ACK [3@0] {password} incorrect password\n")
    #expect(client.ask("password \"open sesame\"") == "OK\n")
    #expect(client.ask("status").hasSuffix("OK\n"))
  }

  /// Clients without the password have the permissions of guests.
  @Test(arguments: [
    ("nothing", [String](), ["status", "add \"Albums\"", "play", "setvol 10"]),
    (
      "read", ["status", "lsinfo", "playlistinfo"],
      ["add \"Albums\"", "load mix", "play", "clear", "setvol 10", "update"]
    ),
    (
      "add", ["status", "add \"Albums\""],
      ["play", "clear", "delete 0", "save mine", "setvol 10", "sendmessage a b"]
    ),
  ]) func guestsMayOnlySoMuch(guests: String, allowed: [String], refused: [String]) throws {
    let permission = try #require(MPDPermission(name: guests))
    let bench = try MPDBench(access: MPDAccess(password: "word", guests: permission))
    let client = bench.greeted()
    let names = { (answer: String) in
      answer.split(separator: "\n").filter { $0.hasPrefix("command: ") }.map { $0.dropFirst(9) }
    }
    for line in allowed { #expect(!client.ask(line).hasPrefix("ACK [4@"), "\(line)") }
    for line in refused {
      let name = String(line.prefix { $0 != " " })
      #expect(client.ask(line).hasPrefix("ACK [4@0] {\(name)}"), "\(line)")
      #expect(
        !names(client.ask("commands")).contains { $0 == name }
          && names(client.ask("notcommands")).contains { $0 == name })
    }
    let volume = bench.bench.status("volume")
    #expect(client.ask("password word") == "OK\n")
    for line in refused { #expect(!client.ask(line).hasPrefix("ACK [4@"), "\(line)") }
    #expect(client.ask("notcommands") == "OK\n" && bench.bench.status("volume") != volume)
  }

  /// A command list ends at the first command that is not permitted.
  @Test func aListIsNoWayAround() throws {
    let bench = try MPDBench(access: MPDAccess(password: "word", guests: .read))
    let client = bench.greeted()
    #expect(
      client.ask("command_list_ok_begin\nstatus\nclear\nstatus\ncommand_list_end").hasSuffix(
        "list_OK\nACK [4@1] {clear} you don't have permission for \"clear\"\n"))
  }

  @Test func messagesReachWhoListens() throws {
    let bench = try MPDBench()
    let (one, two) = (bench.greeted(), bench.greeted())
    #expect(
      two.ask("sendmessage room hello") == "ACK [50@0] {sendmessage} nobody is subscribed to this channel\n")
    #expect(one.ask("subscribe room") == "OK\n" && two.ask("channels") == "channel: room\nOK\n")
    #expect(one.ask("idle message") == "")
    #expect(two.ask("sendmessage room \"hello there\"") == "OK\n")
    #expect(one.take() == "changed: message\nOK\n")
    // Channels are listed by name, in order of subscription.
    _ = (one.ask("subscribe Z"), two.ask("subscribe a"), two.ask("subscribe room"))
    let names = ["Z", "a", "room"].map { "channel: \($0)\n" }.joined()
    #expect(two.ask("channels") == names + "OK\n")
    #expect(one.ask("readmessages") == "channel: room\nmessage: hello there\nOK\n")
  }

  /// MPD's two switches, and the box's three repeat modes.
  @Test(arguments: [("0", "0", "off"), ("1", "0", "all"), ("1", "1", "one"), ("0", "1", "off")])
  func repeatAndSingleTogether(isRepeated: String, isSingle: String, mode: String) throws {
    for order in [
      ["repeat \(isRepeated)", "single \(isSingle)"], ["single \(isSingle)", "repeat \(isRepeated)"],
    ] {
      let bench = try MPDBench()
      let client = bench.greeted()
      for line in order { #expect(client.ask(line) == "OK\n") }
      #expect(bench.bench.status("repeat") == mode, "\(order)")
      #expect(client.field("repeat") == isRepeated && client.field("single") == isSingle, "\(order)")
    }
  }

  /// For any input bytes the server keeps running and serves other clients.
  @Test func anyBytesEndInAnAnswerOrAGoodbye() throws {
    let bench = try MPDBench()
    var random = SystemRandomNumberGenerator()
    let words = [
      "status", "play", "idle", "noidle", "add", "\"", "\\", "command_list_begin", "command_list_end", "0:",
      "-1", "999999999999", "playlistinfo", "move", "seekcur", "+", "plchanges", "tagtypes", "\u{7F}", "ü",
      "id:", "deleteid", "lsinfo", "/", "..", "password",
    ]
    for _ in 0..<150 {
      let client = bench.greeted()
      var bytes: [UInt8] = []
      for _ in 0..<Int.random(in: 1...40, using: &random) {
        bytes += Array(words.randomElement(using: &random)!.utf8)
        bytes.append(
          [0x20, 0x0A, 0x0A, 0x20, 0x09, UInt8.random(in: 0...255, using: &random)].randomElement(
            using: &random)!)
      }
      client.send(bytes + [0x0A])
      bench.clock.run(seconds: 0.1)
      client.hangUp()
    }
    bench.clock.run(seconds: 35)
    #expect(bench.server.clientCount == 0)
    #expect(bench.greeted().ask("status").hasSuffix("OK\n"))
  }
}
