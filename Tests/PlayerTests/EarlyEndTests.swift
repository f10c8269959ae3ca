// Files that end or become undecodable before their stated length. Test threads.

import PlaybackModel
import Player
import Testing

@Suite struct EarlyEndTests {
  /// A file of 60,000 frames whose decoder stalls at frame 30,000.
  private static let file = FakeFile(frames: 60_000, stall: 30_000)

  /// A truncated file does not count as crashed or as played to its end.
  @Test func aTruncatedFileIsNotOver() throws {
    let rig = try PlayerRig([Self.file, FakeFile()])
    rig.player.start()
    #expect(rig.run(to: .playing))
    rig.decoders.latest(0)?.truncate()
    #expect(rig.run(to: .finished))
    #expect(rig.left.map(\.isOver) == [false, true])
    #expect(rig.left.first?.position == 30_000)
    // A track that is cut off in its middle ends with a ramp.
    let frames = rig.heardRuns.map(\.frames)
    #expect(
      frames.last == 0...19_999 && frames.first.map { (29_600..<29_700).contains($0.upperBound) } == true)
  }

  /// A fade before the end of a truncated file does not count as the track's own end.
  @Test func aTruncatedFileIsNotOverAfterAFade() throws {
    let rig = try PlayerRig([Self.file, FakeFile()])
    rig.player.setCrossfade(Seconds(0.2))
    rig.player.start()
    #expect(rig.run(to: .playing))
    rig.decoders.latest(0)?.truncate()
    #expect(rig.run(to: .crossfading))
    #expect(rig.left.map(\.isOver) == [false] && rig.left.first?.position == 30_000)
  }

  /// Both tracks of a manual fade turn out to end during it: the fade ends with their last frame, without
  /// silence.
  @Test(arguments: [20_000, 35_000], [9000, 25_000])
  func aFadeEndsWithTheLastFrameOfBothTracks(outgoing: Int, incoming: Int) throws {
    let rig = try PlayerRig([
      FakeFile(frames: outgoing, stall: 16_000, isUntold: true),
      FakeFile(frames: incoming, stall: 8000, isUntold: true), FakeFile(),
    ])
    rig.player.setCrossfade(Seconds(1))
    rig.player.start()
    #expect(rig.run(to: .playing))
    rig.run { rig.player.position.count >= 2000 }
    rig.player.next()
    #expect(rig.run(to: .crossfading))
    rig.decoders.latest(0)?.release()
    rig.decoders.latest(1)?.release()
    #expect(rig.run(to: .finished))
    #expect(rig.heardRuns.last.map { $0.number == 2 && $0.frames.upperBound == 19_999 } == true)
    let silence = rig.maxSilence
    #expect(silence < 4410, "\(silence)")
    #expect(rig.contradictions.isEmpty && rig.errors.isEmpty)
  }

  @Test func aCorruptFileIsNotOver() throws {
    let rig = try PlayerRig([Self.file, FakeFile()])
    rig.player.start()
    #expect(rig.run(to: .playing))
    rig.decoders.latest(0)?.fail(.corrupt)
    #expect(rig.run(to: .finished))
    #expect(rig.left.map(\.isOver) == [false, true] && rig.left.first?.position == 30_000)
    #expect(rig.errors.map(\.kind) == [.corrupt])
  }
}
