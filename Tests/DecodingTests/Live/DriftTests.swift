// Two clocks that differ: the delay stays, nothing is lost, and nobody hears that anything is done about it.

import Foundation
import PlaybackModel
import Testing

@testable import Decoding

@Suite struct DriftTests {
  /// Cents by which a pitch is off that is played so many millionths faster.
  private func cents(_ partsPerMillion: Double) -> Double { 1200 * log2(1 + partsPerMillion / 1e6) }

  @Test(arguments: [(200.0, 0.0), (-200, 0), (120, -80), (0, 0)])
  func anHourOfTwoClocksKeepsTheDelay(sender: Double, output: Double) throws {
    var clocks = TwoClocks()
    (clocks.sender, clocks.output) = (sender, output)
    let outcome = try clocks.run(seconds: 3600)
    #expect(outcome.delays.lowerBound > 0.23 && outcome.delays.upperBound < 0.27, "\(outcome.delays)")
    #expect(!outcome.ranDry && outcome.dropped == 0 && outcome.taken == outcome.sent)
    #expect(outcome.corrections.allSatisfy { abs(cents($0)) < 5 })
    let steps = zip(outcome.corrections, outcome.corrections.dropFirst()).map { abs($1 - $0) }
    #expect((steps.max() ?? 0) <= 110, "a step of \(steps.max() ?? 0) millionths within a second")
    let last = outcome.corrections.suffix(600)
    let mean = last.reduce(0, +) / Double(last.count)
    #expect(abs(mean - (sender - output)) < 10, "steered by \(mean)")
    #expect(abs(Double(outcome.figures.partsPerMillion) - (sender - output)) < 60)
    #expect(abs(outcome.figures.delay - 250_000) < 20_000)
  }

  /// Who sends in large blocks, or over a bad network, is corrected no harder.
  @Test(arguments: [(1024, 0.03), (160, 0.05)]) func jitterIsAveragedOut(block: Int, jitter: Double) throws {
    var clocks = TwoClocks()
    (clocks.sender, clocks.block, clocks.jitter) = (150, block, jitter)
    let outcome = try clocks.run(seconds: 900)
    #expect(!outcome.ranDry && outcome.dropped == 0)
    #expect(outcome.corrections.allSatisfy { abs(cents($0)) < 2 }, "\(outcome.corrections.max() ?? 0)")
  }

  /// The corrector by itself: a delay that is wrong is mended, and what cannot be mended quickly is not overdone.
  @Test func aWrongDelayIsMendedSlowlyAndNotOverdone() {
    var corrector = DriftCorrector(target: 0.25)
    var delay = 0.31
    var corrections: [Double] = []
    for second in 0..<600 {
      for tick in 0..<20 {
        _ = corrector.note(delay, at: Double(second) + Double(tick) / 20)
        delay -= corrector.correction / 1e6 / 20
      }
      corrections.append(corrector.correction)
    }
    #expect(abs(delay - 0.25) < 0.002)
    #expect((corrections.max() ?? 0) <= DriftCorrector.maxCount && (corrections.min() ?? 0) > -600)
  }

  @Test func clocksThatNobodyHasCannotMakeItRunAway() {
    var corrector = DriftCorrector(target: 0.25)
    for second in 0..<3600 {
      for tick in 0..<4 { _ = corrector.note(2, at: Double(second) + Double(tick) / 4) }
    }
    #expect(corrector.correction == DriftCorrector.maxCount)
    // It comes back as soon as there is reason to.
    for second in 3600..<3720 {
      for tick in 0..<4 { _ = corrector.note(0.25, at: Double(second) + Double(tick) / 4) }
    }
    #expect(abs(corrector.correction) < 300)
  }
}
