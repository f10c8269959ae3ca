// Texts of `status` and of refused commands. Test threads.

import Testing

@testable import Daemon
@testable import Simulator

@Suite struct StatusTextTests {
  /// After its last track was removed, a queue has no title, path or id to show.
  @Test func anEmptyQueueShowsNoTrack() throws {
    let bench = try Bench()
    _ = bench.ask("play long")
    bench.clock.run(seconds: 3)
    #expect(bench.ask("queue remove 1").contains("ok"))
    bench.clock.run(seconds: 3)
    #expect(bench.status("queue") == "0")
    for field in ["title", "path", "queue-id"] { #expect(bench.status(field) == nil, "\(field)") }
    #expect(bench.ask("current").contains("nothing is playing"))
  }

  @Test(arguments: [
    ("finish-fade", "'finish-fade' has no meaning while idle; it ends a crossfade early."),
    ("retry", "; it is for a track that has failed."),
    ("volume +500", "a change from -100 to +100 such as +5"),
  ]) func aRefusalNamesTheCommandAndTheNextStep(line: String, words: String) throws {
    let answer = try Bench().ask(line)
    #expect(answer.hasPrefix("error") && answer.contains(words), "\(answer)")
  }

  @Test func fewBytesOfCheckpointsAreCounted() throws {
    let bench = try Bench()
    _ = bench.ask("play long")
    bench.clock.run(seconds: 3)
    let text = bench.status("checkpoint") ?? ""
    #expect(!text.contains(" 0 KiB") && text.contains("written"), "\(text)")
  }
}
