// Flash writes during playback with the real player: small incremental records while only the position
// changes. Test threads.

import Testing

@testable import Daemon

@Suite struct FlashTests {
  @Test func anHourOfPlayWritesLittle() throws {
    let storage = Bench.storage()
    let bench = try Bench(storage)
    _ = bench.ask("play long")
    bench.clock.run(seconds: 30)
    let flash = try #require(storage.flashes["/state"])
    let before = flash.written
    bench.clock.run(seconds: 600)
    let perHour = (flash.written - before) * 6
    #expect(perHour * 8 * 365 < 50_000_000, "\(perHour) bytes an hour")
    #expect(perHour > 360 * 25, "every ten seconds")
    bench.pullThePlug()
    let next = try Bench(storage)
    next.clock.run(seconds: 1)
    let position = next.status("position", of: "status").flatMap { Double($0.split(separator: " ")[0]) }
    #expect(position.map { (620...635).contains($0) } == true, "\(next.ask("status"))")
  }
}
