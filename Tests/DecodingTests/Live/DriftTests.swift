// Sender and output clocks that differ: the delay is kept, no frame is lost, and the correction is inaudible.
// Simulated time; test threads.

import Foundation
import PlaybackModel
import Testing

@testable import Decoding

@Suite struct DriftTests {
  /// The pitch error in cents of a playback rate that is off by parts per million.
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

  /// Large blocks and network jitter do not increase the correction.
  @Test(arguments: [(1024, 0.03), (160, 0.05)]) func jitterIsAveragedOut(block: Int, jitter: Double) throws {
    var clocks = TwoClocks()
    (clocks.sender, clocks.block, clocks.jitter) = (150, block, jitter)
    let outcome = try clocks.run(seconds: 900)
    #expect(!outcome.ranDry && outcome.dropped == 0)
    #expect(outcome.corrections.allSatisfy { abs(cents($0)) < 2 }, "\(outcome.corrections.max() ?? 0)")
  }

  /// The corrector in isolation: a wrong delay is corrected slowly and without overshoot.
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
    // The correction returns as soon as the delay is plausible again.
    for second in 3600..<3720 {
      for tick in 0..<4 { _ = corrector.note(0.25, at: Double(second) + Double(tick) / 4) }
    }
    #expect(abs(corrector.correction) < 300)
  }
}
