// `queue cue` during other playback or a pending command: afterwards the box does what `status` said. Test
// threads.

import Platform
import PlaybackModel
import Testing

@testable import Daemon
@testable import Simulator

@Suite struct CueMeanwhileTests {
  /// What the box is doing when the queue's second track is cued.
  enum Meanwhile: String, CaseIterable {
    case music, alarm, announcement, announcementInPause, announcementInReady, liveSource, liveSourceInPause
    case interruption, standby, stopFades, stopFadesLikeSkips, pauseFalls, pause, seek, seekInPause, finished

    /// Whether the cued track plays afterwards; otherwise it is `ready`.
    var plays: Bool {
      switch self {
      case .music, .alarm, .announcement, .liveSource, .interruption, .standby, .seek: true
      default: false
      }
    }
  }

  private let sender = SimulatedSender()

  private func bench(_ meanwhile: Meanwhile) throws -> Bench {
    let storage = Bench.storage(
      "source airplay exec \"receive\"\nset volume.start 100\nset stop.fade 10\n"
        + (meanwhile == .stopFadesLikeSkips ? "set fade.manual-length 3\n" : ""))
    storage.tracks["/music/short"] = SimulatedTrack(seconds: 3600, level: 0.25)
    storage.tracks["/music/bell"] = SimulatedTrack(seconds: 8, level: 0.9)
    storage.tracks["/music/brief"] = SimulatedTrack(seconds: 2, level: 0.125)
    let bench = try Bench(storage)
    bench.machine.senders["receive"] = sender
    bench.clock.run(seconds: 3)
    return bench
  }

  /// Brings a box into the situation.
  private func begin(_ meanwhile: Meanwhile, _ bench: Bench) {
    func ask(_ lines: String...) { for line in lines { _ = bench.ask(line) } }
    switch meanwhile {
    case .alarm: break
    case .finished:
      ask("play brief")
      bench.clock.run(seconds: 5)
      ask("queue add short")
    case .announcementInReady: ask("queue add long short")
    default: ask("play long", "queue add short")
    }
    switch meanwhile {
    case .music, .finished: break
    case .alarm:
      bench.machine.minuteOfDay = 6 * 60 + 59
      bench.machine.wallClock.signal()
      ask("alarm 07:00 daily play long")
      bench.clock.run(seconds: 100)
      ask("queue add short")
    case .announcement, .announcementInReady: ask("announce bell duck pause")
    case .announcementInPause: ask("pause", "announce bell duck pause")
    case .liveSource:
      sender.level = 0.3
      bench.clock.run(seconds: 2)
    case .liveSourceInPause:
      ask("pause")
      sender.level = 0.3
      bench.clock.run(seconds: 2)
    case .interruption: ask("interruption begin")
    case .standby: ask("standby")
    case .stopFades, .stopFadesLikeSkips: ask("stop")
    case .pauseFalls: bench.wire.type("pause")
    case .pause: ask("pause")
    case .seek: bench.wire.type("seek 100")
    case .seekInPause:
      ask("pause")
      bench.wire.type("seek 100")
    }
  }

  @Test(arguments: Meanwhile.allCases, ["queue cue 2", "queue cue 2 0:10"])
  func theCuedTrackIsHeardWhenMusicWouldHaveBeen(meanwhile: Meanwhile, command: String) throws {
    let bench = try bench(meanwhile)
    begin(meanwhile, bench)
    let answer = bench.ask(command)
    #expect(answer.contains("ok"), "\(answer)")
    if meanwhile == .liveSource { #expect(bench.status("source") == "airplay") }
    sender.level = nil
    if meanwhile == .interruption { _ = bench.ask("interruption end resume") }
    if meanwhile == .standby { _ = bench.ask("wake") }
    // The alarm's ramp takes minutes.
    bench.clock.run(seconds: meanwhile == .alarm ? 600 : 20)
    let (state, path) = (bench.status("state"), bench.status("path"))
    #expect(state == (meanwhile.plays ? "playing" : "ready") && path == "/music/short")
    let card = try #require(bench.machine.card)
    #expect((abs(card.last - 0.25) < 1e-4) == meanwhile.plays, "\(card.last)")
    guard !meanwhile.plays else { return }
    let last = card.last
    bench.clock.run(seconds: 5)
    #expect(card.last == last)
    #expect(bench.status("position") == (command.hasSuffix("0:10") ? "10.000" : "0.000"))
    _ = bench.ask("play")
    #expect(bench.status("state") == "playing" && bench.status("path") == "/music/short")
    #expect(abs(card.last - 0.25) < 1e-4, "\(card.last)")
  }
}
