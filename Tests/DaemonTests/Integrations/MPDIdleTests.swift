// The subsystems that `idle` reports for each command: to a waiting client, to a busy client, and to a client
// that ends its wait at once. Test threads.

import Platform
import Testing

@testable import Library
@testable import Simulator

@Suite struct MPDIdleTests {
  /// Commands and the subsystems that MPD reports for them. `song` means that a song begins or ends; `order`
  /// means a shuffle, which a box reports as a queue change shortly afterwards.
  static let table: [(command: String, told: [String])] = [
    ("setvol 33", ["mixer"]), ("setvol 50", ["mixer"]), ("volume +3", ["mixer"]), ("volume 0", []),
    ("repeat 1", ["options"]), ("repeat 0", []), ("random 1", ["options", "order"]), ("random 0", []),
    ("single 1", ["options"]), ("single 0", []), ("single oneshot", ["options"]), ("consume 0", []),
    ("crossfade 5", ["options"]), ("crossfade 0", ["options"]), ("mixrampdb -17", ["options"]),
    ("mixrampdb 0", ["options"]), ("mixrampdelay nan", ["options"]),
    ("replay_gain_mode track", ["options"]), ("replay_gain_mode off", ["options"]),
    ("add short", ["playlist"]), ("addid short 0", ["playlist"]), ("add nowhere", []),
    ("delete 2", ["playlist"]), ("delete 3:3", []), ("move 0 2", ["playlist"]), ("move 1 1", []),
    ("swap 0 2", ["playlist"]), ("swap 2 2", ["playlist"]), ("swapid 1 1", ["playlist"]),
    ("shuffle", ["playlist"]), ("shuffle 0:1", []), ("prio 5 1", ["playlist"]), ("prio 0 1", ["playlist"]),
    ("prioid 0 2", ["playlist"]), ("clear", ["playlist", "song"]),
    ("play 0", ["song"]), ("playid 2", ["song"]), ("pause 0", ["song"]), ("pause 1", []), ("next", ["song"]),
    ("previous", ["song"]), ("stop", ["song"]), ("seekcur 5", ["song"]), ("seek 1 5", ["song"]),
    ("seekid 3 5", ["song"]),
    ("save New", ["stored_playlist"]), ("save Kept", []), ("rm Kept", ["stored_playlist"]),
    ("rename Kept Other", ["stored_playlist"]), ("playlistadd Kept short", ["stored_playlist"]),
    ("playlistclear Kept", ["stored_playlist"]), ("playlistdelete Kept 0", ["stored_playlist"]),
    ("playlistmove Kept 0 1", ["stored_playlist"]), ("playlistmove Kept 1 1", []),
    ("load Kept", ["playlist"]),
    ("sticker set song short rating 1", ["sticker"]), ("sticker delete song long rating", ["sticker"]),
    ("subscribe door", ["subscription"]), ("unsubscribe room", ["subscription"]),
    ("sendmessage hall hello", ["message"]),
    ("enableoutput 0", []), ("ping", []), ("status", []), ("tagtypes clear", []),
  ]

  private enum Watching: CaseIterable {
    /// The client waits in `idle` when the command is given.
    case idle
    /// The client enters `idle` after the command.
    case between
    /// The client that gives the command enters `idle` right after it and ends it at once.
    case atOnce
  }

  /// A box with three songs, the first of them paused, a playlist, a sticker, and two clients without pending
  /// changes.
  private static func bench() throws -> (bench: MPDBench, client: MPDWire, watcher: MPDWire) {
    let bench = try MPDBench()
    let (client, watcher) = (bench.greeted(), bench.greeted())
    _ = client.ask(
      "add long", "add long", "add short", "save Kept", "sticker set song long rating 5", "subscribe room")
    _ = watcher.ask("subscribe hall")
    _ = client.ask("play 0")
    bench.clock.run(seconds: 5)
    _ = client.ask("pause 1")
    bench.clock.run(seconds: 2)
    for one in [client, watcher] { _ = one.ask("idle", "noidle") }
    return (bench, client, watcher)
  }

  private static func changes(in answer: String) -> Set<String> {
    Set(answer.split(separator: "\n").filter { $0.hasPrefix("changed: ") }.map { String($0.dropFirst(9)) })
  }

  @Test(arguments: table)
  func whatChangesIsTold(command: String, told: [String]) throws {
    for watching in Watching.allCases {
      let (bench, client, watcher) = try Self.bench()
      var answer = ""
      switch watching {
      case .idle:
        #expect(watcher.ask("idle") == "")
        _ = client.ask(command)
        bench.clock.run(seconds: 1)
        answer = watcher.ask("noidle") + watcher.ask("idle", "noidle")
      case .between:
        _ = client.ask(command)
        bench.clock.run(seconds: 1)
        answer = watcher.ask("idle", "noidle")
      case .atOnce:
        // A message is only reported to other clients.
        guard told != ["message"] else { continue }
        answer = client.ask(command, "idle", "noidle")
      }
      var (found, wanted) = (Self.changes(in: answer), Set(told))
      if wanted.remove("song") != nil {
        wanted.insert("player")
        // The length of a song becomes known when it is opened, which counts as a queue change.
        if !told.contains("playlist") { found.remove("playlist") }
      }
      if wanted.remove("order") != nil { found.remove("playlist") }
      #expect(found == wanted, "\(command), \(watching): \(answer)")
    }
  }

  /// A client that alternates `idle` and commands misses no change.
  @Test func aLoopOfWaitsMissesNothing() throws {
    let bench = try MPDBench()
    let client = bench.greeted()
    _ = client.ask("idle", "noidle")
    for level in 1...60 {
      let answer = client.ask("setvol \(level % 2 == 0 ? 20 : 30)", "idle", "noidle")
      #expect(answer == "OK\nchanged: mixer\nOK\n", "\(level)")
    }
  }

  /// More changes than the box keeps for later `idle` commands are still reported as changes.
  @Test func aFloodOfChangesIsToldAsSome() throws {
    let bench = try MPDBench()
    let (client, other) = (bench.greeted(), bench.greeted())
    _ = client.ask("idle", "noidle")
    other.send((0..<300).map { "setvol \(20 + $0 % 2)\n" }.joined())
    bench.clock.run(seconds: 5)
    #expect(other.take().split(separator: "\n").count == 300)
    #expect(Self.changes(in: client.ask("idle mixer")) == ["mixer"])
  }

  /// `idle` reports the database only if an update has changed it.
  @Test(arguments: [0, 3]) func anUpdateTellsWhetherAnythingHasChanged(read: Int) throws {
    let index = FakeIndex()
    index.state.withLock { $0.report = .done(LibraryUpdateSummary(read: read)) }
    let bench = try MPDBench(Bench.storage("set library.enabled on\n"), library: index)
    bench.clock.run(seconds: 30)
    let client = bench.greeted()
    _ = client.ask("idle", "noidle")
    let answer = client.ask("update")
    #expect(answer.hasSuffix("OK\n"))
    bench.clock.run(seconds: 2)
    let told = Self.changes(in: client.ask("idle", "noidle"))
    #expect(told == (read == 0 ? ["update"] : ["update", "database", "playlist"]))
  }

  /// The state of `single oneshot` is shared by all clients.
  @Test func singleIsSeenByOthers() throws {
    let bench = try MPDBench()
    let (client, other) = (bench.greeted(), bench.greeted())
    _ = client.ask("single 1", "mixrampdb -12.5")
    #expect(other.field("single") == "1" && other.field("mixrampdb") == "-12.5")
    _ = other.ask("repeat 1")
    #expect(bench.bench.status("repeat") == "one")
    _ = client.ask("repeat 0")
    #expect(bench.bench.status("repeat") == "off" && other.field("single") == "1")
  }
}
