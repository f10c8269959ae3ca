// The oracle finds faults planted into the sound of a correct world. Test threads.

import Testing

@testable import Simulator

@Suite struct OracleTests {
  typealias Spoiler = (_ number: Int, _ left: Float, _ right: Float) -> [(Float, Float)]

  /// Three tracks of five seconds; the first two fade over 8000 frames or are joined.
  static func world(_ lines: String) throws -> World {
    try World(
      text: """
        track length 20000
        track length 20000
        track length 20000
        queue add 0
        queue add 1
        \(lines)
        calm 20
        """)
  }

  /// Each track is decoded once, in order, with decoders from 1 on.
  private func mark(_ track: Int, _ frame: Int) -> Float {
    Signal.mark(Signal.Source(decoder: track + 1), frame)
  }

  private func violation(
    _ lines: String, without ignored: Set<Violation.Rule> = [], _ spoiler: Spoiler? = nil
  ) throws -> Violation? {
    let simulation = Simulation(try Self.world(lines), ignoring: ignored)
    simulation.oracle.spoiler = spoiler
    return simulation.run().violation
  }

  @Test func whatIsInOrderPasses() throws {
    #expect(try violation("play") == nil)
    #expect(try violation("crossfade 2000\nplay") == nil)
    #expect(try violation("crossfade 2000\nplay\n@fade:30 pause\n+1000000 volume 50") == nil)
  }

  @Test func aLostFrameIsFound() throws {
    #expect(try violation("play") { $0 == 9000 ? [] : [($1, $2)] }?.rule == .lostFrames)
  }

  @Test func aRepeatedFrameIsFound() throws {
    #expect(
      try violation("play") { $0 == 9000 ? [($1, $2), ($1, $2)] : [($1, $2)] }?.rule == .repeatedFrames)
  }

  @Test func aFrameLostInAFadeIsFound() throws {
    #expect(try violation("crossfade 2000\nplay") { $0 == 15_000 ? [] : [($1, $2)] } != nil)
  }

  @Test func aClickIsFound() throws {
    #expect(try violation("play") { $0 == 9000 ? [($1 * 0.95, $2 * 0.95)] : [($1, $2)] }?.rule == .click)
  }

  /// On a quiet box the ramps are quiet, too, and a click has its full level.
  @Test func aQuietClickIsFound() throws {
    let found = try violation("volume 11\nplay") { $0 == 9000 ? [($1 * 0.95, $2 * 0.95)] : [($1, $2)] }
    #expect(found?.rule == .click)
  }

  /// The incoming track of an interrupted fade is a different one than the tracker expects.
  @Test func aWrongTrackInAPairIsFound() throws {
    let lines = "crossfade 2000\nqueue add 2\nplay\n@fade:50 next"
    let found = try violation(lines) { number, left, right in
      guard number > 16_020, number < 16_200 else { return [(left, right)] }
      return [(left, right * 0.9)]
    }
    #expect(found != nil)
  }

  @Test func aWrongTrackIsFound() throws {
    let found = try violation("play") { number, left, right in
      number < 9000 ? [(left, right)] : [(left, left * mark(1, number))]
    }
    #expect(found?.rule == .wrongTrack)
  }

  @Test func aGapBetweenJoinedTracksIsFound() throws {
    #expect(try violation("play") { $0 == 20_000 ? [(0, 0), ($1, $2)] : [($1, $2)] }?.rule == .gap)
  }

  /// The position advances without sound; that it is ahead is found first.
  @Test func silenceInsteadOfMusicIsFound() throws {
    let found = try violation("play", without: [.gain, .positionAhead]) { number, left, right in
      let gain = max(0, 1 - Float(max(0, number - 9000)) / 400)
      return [(left * gain, right * gain)]
    }
    #expect(found?.rule == .silenceInSound)
  }

  @Test func aVolumeOffByAPercentIsFound() throws {
    let found = try violation("play\n+1000000 power-failing") { number, left, right in
      let gain = 1 - 0.01 * min(1, Float(max(0, number - 5000)) / 400)
      return [(left * gain, right * gain)]
    }
    #expect(found?.rule == .gain)
  }

  /// In the fade the first track is at frame `number`, the second one at `number` minus 12000.
  @Test(arguments: [12_001, 14_000, 16_000, 19_000])
  func anIncomingGainOffByAPercentIsFound(from first: Int) throws {
    let found = try violation("crossfade 2000\nplay") { number, left, right in
      guard number >= first, number < 20_000 else { return [(left, right)] }
      let a = Double(mark(0, number))
      let b = Double(mark(1, number - 12_000))
      guard abs(a - b) > 1e-3 else { return [(left, right)] }
      let extra = (Double(right) - Double(left) * a) / (b - a) * 0.01
      return [(left + Float(extra), right + Float(extra * b))]
    }
    #expect(found != nil)
  }

  @Test func soundInAPauseIsFound() throws {
    var last = 0
    let found = try violation("play\n@remaining:3000 pause") { number, left, right in
      if left != 0 {
        last = number
        return [(left, right)]
      }
      guard number > last + 2000, number < last + 6000 else { return [(left, right)] }
      let gain = min(1, Float(number - last - 2000) / 800) * Signal.level
      return [(gain, gain * mark(0, last + 2 + number - last - 2001))]
    }
    #expect(found != nil)
  }

  @Test func whatLiesInReleasedRingsIsFound() throws {
    let found = try violation("play") { $0 == 9000 ? [(Signal.poison, Signal.poison)] : [($1, $2)] }
    #expect(found?.rule == .releasedRing)
  }
}

/// Boxes with an equalizer: the oracle removes its response and then judges the sound as usual.
@Suite struct EqualizerEarTests {
  private func violation(_ spoiler: OracleTests.Spoiler? = nil, _ lines: String = "") throws -> Violation? {
    let world = try World(
      text: """
        track length 20000
        track length 20000
        box seed 1
        box config set eq.1 peak 500Hz +6dB Q1
        box config set eq.2 low-shelf 200Hz -9dB Q0.5
        box config set fade.length 1
        queue add 0
        queue add 1
        +300000 play
        +2000000 pause
        +1000000 play
        \(lines)
        calm 20
        """)
    let simulation = Simulation(world)
    simulation.oracle.spoiler = spoiler
    return simulation.run().violation
  }

  @Test func whatIsInOrderPasses() throws {
    #expect(try violation() == nil)
    #expect(try violation(nil, "volume 30\n@fade:30 card suspended\n+2000000 power-cut 500") == nil)
  }

  @Test func aClickIsFound() throws {
    #expect(try violation { $0 == 6000 ? [($1 * 0.9, $2 * 0.9)] : [($1, $2)] } != nil)
  }

  @Test func aLostFrameIsFound() throws {
    #expect(try violation { $0 == 6000 ? [] : [($1, $2)] } != nil)
  }

  /// One channel is louder than the other by 0.01 %.
  @Test func anotherResponseIsFound() throws { #expect(try violation { [($1, $2 * 1.0001)] } != nil) }
}
