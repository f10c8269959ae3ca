// Files that end, or cannot be decoded further, before the length that they state.

import PlaybackModel
import Player
import Testing

@Suite struct EarlyEndTests {
  /// A file of 60,000 frames whose decoder stands still at 30,000.
  private static let file = FakeFile(frames: 60_000, stall: 30_000)

  /// Not a death, and not heard to the end: the file states more.
  @Test func aTruncatedFileIsNotOver() throws {
    let rig = try PlayerRig([Self.file, FakeFile()])
    rig.player.start()
    #expect(rig.run(to: .playing))
    rig.decoders.latest(0)?.truncate()
    #expect(rig.run(to: .finished))
    #expect(rig.left.map(\.isOver) == [false, true])
    #expect(rig.left.first?.position == 30_000)
    // What is cut off in its middle ends over a ramp.
    let frames = rig.heardRuns.map(\.frames)
    #expect(
      frames.last == 0...19_999 && frames.first.map { (29_600..<29_700).contains($0.upperBound) } == true)
  }

  /// The fade at the early end is no end of the track either.
  @Test(arguments: [60_000, 31_000]) func aTruncatedFileThatFadesIsOverNearItsEndOnly(frames: Int) throws {
    let rig = try PlayerRig([FakeFile(frames: frames, stall: 30_000), FakeFile(frames: 60_000)])
    rig.player.setCrossfade(Seconds(0.2))
    rig.player.start()
    #expect(rig.run(to: .playing))
    rig.decoders.latest(0)?.truncate()
    #expect(rig.run(to: .crossfading))
    let isOver = frames < 60_000
    #expect(rig.left.map(\.isOver) == [isOver])
    #expect(rig.left.first?.position == (isOver ? 31_000 : 30_000))
    #expect(rig.run(to: .finished))
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
