// Titles of a station are reported when their sound is played. Test threads.

import PlaybackModel
import Testing

@testable import Player

@Suite struct TitleWatchTests {
  private let bench: DeckBench
  private let watch: TitleWatch
  private let heard = Heard()

  private final class Heard {
    var titles: [String] = []
  }

  init() throws {
    bench = try DeckBench([FakeFile(frames: 100_000), FakeFile(frames: 100_000)])
    watch = TitleWatch(bench.scheduler, bench.decks, bench.positions, rate: DeckBench.rate)
    watch.onTitle = { [heard] title, track in heard.titles.append("\(track.path) \(title)") }
  }

  private func title(_ title: String, at index: UInt64, of file: Int = 0) throws {
    try #require(bench.files.latest(file)).title(title, at: index)
    bench.hear()
  }

  @Test func aTitleIsReportedWhenItsSoundIsHeard() throws {
    bench.play(0)
    try title("one", at: 0)
    try title("two", at: 44_100)
    bench.publish(isRunning: true)
    watch.look(isMoving: true)
    #expect(heard.titles == ["0 one"])
    bench.wait(0.4)
    bench.publish(frame: 17_640, a: 17_640, isRunning: true)
    #expect(heard.titles == ["0 one"])
    bench.wait(0.5)
    bench.publish(frame: 39_690, a: 39_690, isRunning: true)
    bench.wait(0.11)
    #expect(heard.titles == ["0 one", "0 two"])
    #expect(watch.sounding == "two")
  }

  @Test func nothingIsReportedWhileNothingMoves() throws {
    bench.play(0)
    try title("one", at: 1_000)
    bench.publish()
    watch.look(isMoving: false)
    bench.wait(10)
    #expect(heard.titles == [])
    #expect(watch.sounding == nil)
  }

  @Test func whatWasTakenBackIsNotReportedAgain() throws {
    bench.play(0)
    try title("one", at: 0)
    for _ in 0..<3 { watch.look(isMoving: true) }
    #expect(heard.titles == ["0 one"])
  }

  @Test func aSeekForgetsTitlesOfFormerIndexes() throws {
    bench.play(0)
    try title("one", at: 0)
    watch.look(isMoving: true)
    bench.decks.carryOut(.seek(.a, to: frames(50_000)))
    bench.decks.noteSilence(.a, index: 60_000)
    bench.hear()
    #expect(bench.decks.facts[.a]?.titles == TitleTrail())
  }

  @Test func anotherTrackHasNoTitle() throws {
    bench.play(0)
    try title("one", at: 0)
    watch.look(isMoving: true)
    bench.decks.carryOut(.retire(.a, ramp: .zero))
    watch.look(isMoving: true)
    #expect(watch.sounding == nil)
  }

  @Test func aFloodOfTitlesIsBounded() throws {
    var trail = TitleTrail()
    for n in 0..<1000 { trail.note("\(n)", from: UInt64(n) * 10) }
    #expect(trail.title(at: 9_985) == "998")
    #expect(trail.title(at: 100) == nil)
    #expect(trail.next(after: 9_985) == 9_990)
    #expect(trail.next(after: 9_990) == nil)
  }

  @Test func titlesBeginInTheOrderTheyCame() {
    var trail = TitleTrail()
    trail.note("one", from: 500)
    trail.note("two", from: 400)
    #expect(trail.title(at: 499) == nil)
    #expect(trail.title(at: 500) == "two")
  }
}
