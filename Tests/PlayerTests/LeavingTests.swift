// Tracks that start at their bookmark, reports of the position at which a track is left, and cues during a
// pause. Test threads.

import PlaybackModel
import Player
import RealtimeAudio
import Testing

@Suite struct LeavingTests {
  private let rate = 44_100

  @Test(arguments: [0, 1])
  func aTrackBeginsAtItsBookmark(number: Int) throws {
    let rig = try PlayerRig([FakeFile(frames: 30_000), FakeFile(frames: 30_000)])
    rig.player.startPosition = { $0.path == "\(number)" ? Frames(12_000) : nil }
    rig.player.start()
    #expect(rig.run(to: .finished))
    let runs = rig.heardRuns
    #expect(runs.map(\.number) == [0, 1])
    // The track starts with a ramp, in which frames are not recognized.
    #expect(runs[number].frames.lowerBound > 12_000 && runs[number].frames.lowerBound < 12_600)
    #expect(runs[number].frames.upperBound == 29_999)
    #expect(runs[1 - number].frames == 0...29_999)
    #expect(rig.began == ["0", "1"])
    #expect(rig.left.map(\.path) == ["0", "1"])
    #expect(rig.left.allSatisfy { $0.isOver || $0.position >= 29_990 })
    #expect(rig.contradictions == [])
  }

  @Test func aFadeLeadsToTheBookmark() throws {
    let rig = try PlayerRig([FakeFile(frames: 60_000), FakeFile(frames: 60_000)])
    rig.player.startPosition = { $0.path == "1" ? Frames(20_000) : nil }
    rig.player.setCrossfade(Seconds(0.2))
    rig.player.start()
    #expect(rig.run(to: .crossfading))
    #expect(rig.began == ["0", "1"])
    #expect(rig.left.map(\.path) == ["0"])
    #expect(rig.run(to: .finished))
    #expect(rig.heardRuns.last?.frames.upperBound == 59_999)
    #expect(rig.decoders.opened == [0, 1])
    #expect(rig.contradictions == [])
  }

  enum Leaving: CaseIterable { case skip, stop, reset, fail }

  @Test(arguments: Leaving.allCases)
  func itIsToldWhereATrackWasLeft(how: Leaving) throws {
    var file = FakeFile(frames: 100_000)
    if how == .fail { file.failure = (at: 40_000, kind: .corrupt) }
    let rig = try PlayerRig([file, FakeFile()])
    rig.player.start()
    #expect(rig.run(to: .playing))
    rig.run(milliseconds: 500)
    #expect(rig.left.isEmpty)
    let position = Int(rig.player.position.count)
    switch how {
    case .skip: rig.player.next()
    case .stop: rig.player.handle(.stop)
    case .reset:
      rig.player.handle(.pause)
      rig.player.handle(.stop)
    case .fail: break
    }
    #expect(rig.run { !rig.left.isEmpty })
    let left = try #require(rig.left.first)
    #expect(left.path == "0")
    if how == .fail {
      // All decodable frames were played, but not the stated length.
      #expect(!left.isOver && left.position == 40_000)
    } else {
      #expect(!left.isOver)
      // A stop fades out first.
      #expect(left.position >= position - 1000 && left.position < position + 30_000)
    }
  }

  @Test func aPositionThatIsAskedForIsTaken() throws {
    let rig = try PlayerRig([FakeFile(frames: 100_000)])
    rig.player.startPosition = { _ in Frames(12_000) }
    rig.player.start(at: Seconds(1))
    #expect(rig.run(to: .playing))
    rig.run(milliseconds: 100)
    #expect(rig.heardRuns.first.map { $0.frames.lowerBound >= rate } == true)
  }

  @Test func aCueIsHeardWhilePaused() throws {
    let rig = try PlayerRig([FakeFile(frames: 100_000)])
    rig.player.start()
    #expect(rig.run(to: .playing))
    rig.run(milliseconds: 300)
    rig.player.handle(.pause)
    rig.run(milliseconds: 2500)
    let before = rig.device.heard.count
    let position = rig.player.position
    rig.player.playCue(.builtIn(.testTone), gain: .unity)
    rig.run(milliseconds: 700)
    #expect(rig.device.heard.dropFirst(before).contains { abs($0) > 0.4 })
    rig.run(milliseconds: 3000)
    #expect(rig.player.position == position && rig.state.kind == .paused)
    rig.player.handle(.play)
    #expect(rig.run(to: .finished))
    #expect(rig.heardRuns.last?.frames.upperBound == 99_999)
    #expect(rig.contradictions == [])
  }
}
