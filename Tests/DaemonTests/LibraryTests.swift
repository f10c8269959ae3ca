// When the library index is updated and queried, and how it is reported, with a scripted index. Test threads.

import Platform
import Testing

@testable import Daemon
@testable import Library

@Suite struct LibraryTests {
  private let index = FakeIndex()

  /// The box gets the index of its machine when it is created.
  private func bench(enabled: Bool) throws -> Bench {
    let storage = Bench.storage("set media.removable /media\n" + (enabled ? "set library.enabled on\n" : ""))
    return try Bench(storage, library: index)
  }

  @Test func itIsBroughtUpToDateAfterTheStart() throws {
    let bench = try bench(enabled: true)
    bench.clock.run(seconds: 15)
    #expect(index.takeUpdates() == [])
    bench.clock.run(seconds: 10)
    #expect(index.takeUpdates() == ["/music"])
    bench.clock.run(seconds: 3600)
    #expect(index.takeUpdates() == [], "a box at rest leaves its storage alone")
  }

  @Test func withoutTheSettingThereIsNone() throws {
    let bench = try bench(enabled: false)
    bench.clock.run(seconds: 60)
    #expect(index.takeUpdates() == [] && bench.status("library") == nil)
    #expect(
      bench.ask("find artist x").contains(
        "error: there is no index of the music; 'set library.enabled on' makes one"))
    #expect(index.state.withLock { $0.questions } == [])
    _ = bench.ask("set library.enabled on")
    #expect(index.takeUpdates() == ["/music"] && bench.status("library") == "up to date")
    _ = bench.ask("set library.enabled off")
    #expect(bench.ask("library update").contains("error: there is no index"))
  }

  @Test func sticksAndOtherRootsAreIndexedWhenTheyCome() throws {
    let bench = try bench(enabled: true)
    bench.clock.run(seconds: 30)
    _ = index.takeUpdates()
    bench.machine.mounts.points = ["/media/stick"]
    bench.clock.run(seconds: 2)
    #expect(index.takeUpdates() == ["/media/stick"])
    _ = bench.ask("find artist x")
    #expect(index.state.withLock { $0.questions.last } == "/library /music+/media/stick find artist|x")
    bench.machine.mounts.points = []
    bench.clock.run(seconds: 2)
    _ = bench.ask("search x")
    #expect(index.state.withLock { $0.questions.last } == "/library /music search x")
    _ = bench.ask("set media.root /music /more")
    #expect(index.takeUpdates() == ["/music", "/more"])
    _ = bench.ask("library rebuild")
    #expect(index.takeUpdates() == ["afresh /music", "/more"])
  }

  @Test func answersAreLinesAndFields() throws {
    let bench = try bench(enabled: true)
    index.state.withLock {
      $0.answer = .rows(
        [
          [("path", "/music/a.flac"), ("title", "T"), ("artist", "A"), ("length", "1.500")].map {
            LibraryField(name: $0, value: $1)
          }
        ], total: 30)
    }
    #expect(
      bench.ask("find artist A").contains("  T, A: /music/a.flac\nok 1 of 30; 'window FROM:TO' lists others"))
    let wire = bench.watcher("format json")
    wire.type("find artist A")
    bench.clock.run(seconds: 1)
    let text = wire.takeText()
    #expect(text.contains("\"path\":\"/music/a.flac\"") && text.contains("\"length\":1.500"), "\(text)")
  }

  @Test func whatTheIndexRefusesIsSaid() throws {
    let bench = try bench(enabled: true)
    index.state.withLock { $0.answer = .refused("'x' is no tag") }
    #expect(bench.ask("find x y").contains("error: find: 'x' is no tag"))
    index.state.withLock { $0.answer = .fault("it is locked", isBroken: false) }
    #expect(bench.ask("find x y").contains("error: the index cannot be asked: it is locked"))
    #expect(index.takeUpdates() == [])
  }

  @Test func aBrokenOrMissingIndexIsMade() throws {
    let bench = try bench(enabled: true)
    bench.clock.run(seconds: 30)
    _ = index.takeUpdates()
    index.state.withLock { $0.answer = .fault("the disk image is malformed", isBroken: true) }
    #expect(bench.ask("search x").contains("is being made afresh; try again in a while"))
    #expect(index.takeUpdates() == ["afresh /music"])
    index.state.withLock { $0.answer = .missing }
    #expect(bench.status("tracks", of: "library") == "0" && index.takeUpdates() == ["/music"])
    #expect(bench.ask("search x").contains("the index is being made"))
    #expect(index.takeUpdates() == ["/music"])
  }

  @Test func aRootThatFailsIsTriedAgainLater() throws {
    let bench = try bench(enabled: true)
    index.state.withLock { $0.report = .fault("its storage does not answer") }
    bench.clock.run(seconds: 30)
    #expect(index.takeUpdates() == ["/music"])
    #expect(bench.machine.logged.contains { $0.contains("was not brought up to date with /music") })
    bench.clock.run(seconds: 580)
    #expect(index.takeUpdates() == [])
    bench.clock.run(seconds: 40)
    #expect(index.takeUpdates() == ["/music"])
  }

  /// Storage that never responds delays only the session that asked for it.
  @Test func anIndexThatHangsHoldsUpNobody() throws {
    let bench = try bench(enabled: true)
    bench.clock.run(seconds: 30)
    bench.machine.storage.hangs = true
    let wire = bench.watcher("status")
    wire.type("search x")
    bench.clock.run(seconds: 5)
    #expect(wire.takeText() == "")
    #expect(bench.ask("volume 30").contains("30 %"))
    bench.clock.run(seconds: 30)
    #expect(wire.takeText().contains("error: the index cannot be asked: it does not answer in time"))
  }

  @Test func eventsTellOfIt() throws {
    let bench = try bench(enabled: true)
    bench.clock.run(seconds: 30)
    let wire = bench.watcher("watch library")
    _ = bench.ask("library update")
    let text = wire.takeText()
    #expect(
      text.contains("library: looking through /music") && text.contains("library: up to date with /music"),
      "\(text)")
  }
}
