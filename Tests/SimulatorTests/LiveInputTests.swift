// Live sources of complete boxes in simulated time, and planted faults that the oracle must find. Test
// threads.

import Testing

@testable import Simulator

@Suite struct LiveInputTests {
  typealias Spoiler = (_ number: Int, _ left: Float, _ right: Float) -> [(Float, Float)]

  private static func world(_ lines: String) throws -> World {
    try World(
      text: """
        weather calm
        track length 60000
        track length 60000
        box seed 5
        box config source phone fifo /senders/phone
        box config source turntable fifo /senders/turntable
        \(lines)
        calm 10
        """)
  }

  /// A sender that plays for four seconds during music.
  private static let visit = """
    +0 type "play all.m3u"
    +3000000 sender phone sounds
    +4000000 sender phone pauses
    """

  private func violation(_ lines: String, _ spoiler: Spoiler? = nil) throws -> Violation? {
    let simulation = Simulation(try Self.world(lines))
    simulation.oracle.spoiler = spoiler
    return simulation.run().violation
  }

  @Test(arguments: [
    visit,
    // The second source replaces the first, and a power cut ends neither.
    visit
      + "\n+500000 sender turntable sounds\n+2000000 sender phone sounds\n+3000000 power-cut 900\n+9000000 sender phone ends",
    // Music that was already paused stays paused.
    "+0 type \"play all.m3u\"\n+3000000 pause\n+500000 sender phone sounds\n+3000000 sender phone pauses",
    // A press of play takes precedence over a source until the source starts again.
    "+0 type \"play all.m3u\"\n+3000000 sender phone sounds\n+2000000 play\n+4000000 type \"listen phone\"\n+3000000 stop",
    "+0 type \"play all.m3u\"\n+3000000 sender phone sounds\n+2000000 card lost 0\n+3000000 card back\n+5000000 volume 40",
  ]) func whatIsInOrderPasses(_ lines: String) throws {
    #expect(try violation(lines) == nil)
  }

  /// Whether a frame is from a source only: quieter than any music.
  private static func isLiveInput(_ left: Float) -> Bool { left != 0 && abs(left) < LiveInputSignal.ceiling }

  @Test func aLostFrameOfASourceIsFound() throws {
    var heard = 0
    let found = try violation(Self.visit) { _, left, right in
      if Self.isLiveInput(left) { heard += 1 }
      return heard == 6000 && Self.isLiveInput(left) ? [] : [(left, right)]
    }
    #expect(found?.rule == .lostFrames)
  }

  @Test func aRepeatedFrameOfASourceIsFound() throws {
    var heard = 0
    let found = try violation(Self.visit) { _, left, right in
      if Self.isLiveInput(left) { heard += 1 }
      return heard == 6000 && Self.isLiveInput(left) ? [(left, right), (left, right)] : [(left, right)]
    }
    #expect(found?.rule == .repeatedFrames)
  }

  @Test func aSourceThatIsCutIsFound() throws {
    var heard = 0
    let found = try violation(Self.visit) { _, left, right in
      if Self.isLiveInput(left) { heard += 1 }
      return Self.isLiveInput(left) && heard > 6000 ? [(0, 0)] : [(left, right)]
    }
    #expect(found?.rule == .cut)
  }

  @Test func aSourceThatIsTooLoudIsFound() throws {
    let found = try violation(Self.visit) { _, left, right in
      Self.isLiveInput(left) ? [(left * 1.01, right * 1.01)] : [(left, right)]
    }
    #expect(found?.rule == .source)
  }

  @Test func silenceInTheSourcesPlaceIsFound() throws {
    let found = try violation(Self.visit) { _, left, right in
      Self.isLiveInput(left) ? [(0, 0)] : [(left, right)]
    }
    #expect(found?.rule == .source)
  }

  @Test func aSourceUnderMusicThatIsPausedIsFound() throws {
    // Frames of the source are replayed when no sender is active.
    var kept: [(Float, Float)] = []
    let found = try violation(
      "+0 type \"play all.m3u\"\n+3000000 sender phone sounds\n+4000000 pause\n+500000 sender phone pauses"
    ) {
      _, left, right in
      if Self.isLiveInput(left) { kept.append((left, right)) }
      return left == 0 && kept.count > 9000 ? [kept[kept.count - 1]] : [(left, right)]
    }
    #expect(found != nil)
  }
}
