// `queue list` for users: metadata from the files or from the index. Test threads.

import Platform
import Testing

@testable import Daemon

@Suite struct QueueListTests {
  private let index = FakeIndex()

  private func bench() throws -> Bench {
    index.know(
      "/music/long",
      ["title": "Harbour", "artist": "Nina", "album": "Quay", "number": "4", "length": "3600.5"])
    index.know("/music/short", ["title": "Gull"])
    let bench = try Bench(Bench.storage("set library.enabled on\n"), library: index)
    _ = bench.ask("queue add /music/long /music/short /music/long")
    return bench
  }

  @Test func itShowsArtistAndTitle() throws {
    let bench = try bench()
    let list = bench.ask("queue list")
    #expect(list.contains("  1 Nina – Harbour\n") && list.contains("  2 Gull\n"), "\(list)")
    #expect(bench.ask("queue list 2 1").contains("2 Gull\nok 3 tracks"))
    let wire = bench.watcher("format json")
    wire.type("queue list 3")
    bench.clock.run(seconds: 1)
    let text = wire.takeText()
    for field in [
      "\"title\":\"Harbour\"", "\"artist\":\"Nina\"", "\"album\":\"Quay\"", "\"number\":4",
      "\"length\":3600.5",
    ] {
      #expect(text.contains(field), "\(text)")
    }
  }

  /// Programs that ask for many tracks should use `library queue`, which reads the index.
  @Test(arguments: [
    ("queue list", 50, true), ("queue list 1 50", 50, true), ("queue list 1 51", 51, false),
    ("queue list 1 200", 63, false),
  ])
  func fiftyAreListedAndLongerListsDoNotAskTheIndex(line: String, count: Int, asks: Bool) throws {
    let bench = try bench()
    for _ in 0..<20 { _ = bench.ask("queue add /music/long /music/short /music/long") }
    bench.clock.run(seconds: 60)
    index.state.withLock { $0.questions = [] }
    let shown = bench.ask(line).split(separator: "\n").count {
      $0.hasSuffix("Harbour") || $0.hasSuffix("Gull") || $0.hasSuffix(" long") || $0.hasSuffix(" short")
    }
    #expect(shown == count)
    #expect(index.state.withLock { $0.questions }.isEmpty != asks)
  }

  @Test func anIndexThatHangsIsNotWaitedFor() throws {
    let bench = try bench()
    bench.clock.run(seconds: 30)
    bench.machine.storage.hangs = true
    #expect(bench.ask("queue list").contains("  2 short\n"))
    // More requests, one after another, than may wait for the index at once.
    for _ in 0..<40 { #expect(bench.ask("queue list").contains("ok 3 tracks")) }
  }

  @Test func withoutAnIndexItShowsNames() throws {
    let bench = try Bench()
    _ = bench.ask("queue add /music/long /music/short")
    #expect(bench.ask("queue list").contains("  2 short\n"))
  }
}
