// A client of a Snapcast server for an hour with different clocks: the sound plays at the server's time.
// Simulated time; test threads.

import Foundation
import PlaybackModel
import Testing

@testable import Decoding

@Suite struct SnapcastDriftTests {
  @Test(arguments: [(200.0, 0.0), (-200, 0), (0, 200), (0, -200), (100, -100), (0, 0)])
  func anHourIsHeardWithinAMillisecond(server: Double, card: Double) throws {
    var clocks = SnapcastClocks()
    (clocks.server, clocks.card) = (server, card)
    clocks.restarts = [1800]
    let outcome = try clocks.run(seconds: 3600)
    #expect(outcome.worst < 0.001 && outcome.settled < 0.000_5, "\(outcome.worst), \(outcome.settled)")
    #expect(outcome.compared > 600_000 && outcome.gaps == 0, "\(outcome.compared), \(outcome.gaps)")
    #expect(outcome.published.count > 1000 && outcome.published.allSatisfy { abs($0) < 600 })
    #expect(
      outcome.firstHeard.count == 2 && outcome.firstHeard.allSatisfy { $0 < 1.6 }, "\(outcome.firstHeard)")
    // 578 ppm are one cent, which is inaudible.
    #expect(
      outcome.corrections.allSatisfy { abs($0) < 578 }, "\(outcome.corrections.map { abs($0) }.max() ?? 0)")
    let mean = outcome.corrections.suffix(10_000).reduce(0, +) / 10_000
    #expect(abs(mean - (server - card)) < 10, "steered by \(mean)")
  }

  /// A bad network: each response is delayed by up to 5 ms, and requests by less.
  @Test func jitterOfTheNetworkIsNoError() throws {
    var clocks = SnapcastClocks()
    (clocks.server, clocks.card, clocks.there, clocks.back) = (60, -40, 0.001, 0.005)
    let outcome = try clocks.run(seconds: 900)
    #expect(outcome.settled < 0.001, "\(outcome.settled)")
  }

  @Test(arguments: [0.4, 5]) func aServersBufferMayBeShortOrLong(buffer: Double) throws {
    var clocks = SnapcastClocks()
    (clocks.server, clocks.buffer) = (100, buffer)
    let outcome = try clocks.run(seconds: 60)
    #expect(outcome.worst < 0.001, "\(outcome.worst)")
    #expect(outcome.compared > 8000)
  }
}
