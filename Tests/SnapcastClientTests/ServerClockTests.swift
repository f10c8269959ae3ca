// Estimating a server's clock from requests and responses with delays, in simulated time. Test threads.

import Foundation
import PlaybackModel
import Testing

@testable import SnapcastClient

@Suite struct ServerClockTests {
  /// Delays of a request and its response in seconds.
  struct Way: Sendable {
    var there: Double
    var back: Double
  }

  /// Sends requests like a receiver for some seconds. Returns the maximum error in seconds after `settled`
  /// seconds.
  private func worst(
    skew: Double, offset: Double = 123_456.789, seconds: Double, from settled: Double, _ way: (Int) -> Way
  ) -> Double {
    var clock = ServerClock()
    let theirs = { (ours: Double) in ours * (1 + skew / 1e6) + offset }
    let nanoseconds = { (seconds: Double) in Int64((seconds * 1e9).rounded()) }
    var (now, number, worst) = (1000.0, 0, 0.0)
    while now < 1000 + seconds {
      let (there, back) = (way(number).there, way(number).back)
      let (arrivedThere, arrived) = (now + there, now + there + back)
      clock.note(
        there: nanoseconds(theirs(arrivedThere)) - nanoseconds(now),
        back: nanoseconds(arrived) - nanoseconds(theirs(arrivedThere)), arrived: nanoseconds(arrived))
      let next = now + (number < 50 ? 0.02 : 0.25)
      if now > 1000 + settled {
        for part in stride(from: arrived, to: max(next, arrived + 0.01), by: 0.25) {
          let found = Double(clock.ours(nanoseconds(theirs(part))) ?? 0) / 1e9
          worst = max(worst, abs(found - part))
        }
      }
      now = next
      number += 1
    }
    return worst
  }

  @Test(arguments: [0.0, 200, -200, 50]) func aQuietNetworkIsFollowedAtOnce(skew: Double) {
    let worst = worst(skew: skew, seconds: 3600, from: 5) { _ in Way(there: 0.0002, back: 0.0002) }
    #expect(worst < 0.000_15, "\(worst)")
  }

  /// A wireless network: most responses are late by milliseconds in one direction, and occasionally by much
  /// more.
  @Test(arguments: [0.0, 200, -200]) func jitterOnOneWayIsNoOffset(skew: Double) {
    var random = ShuffleGenerator(seed: 7)
    let worst = worst(skew: skew, seconds: 3600, from: 15) { number in
      let late = Double.random(in: 0...1, using: &random)
      return Way(
        there: 0.001 + 0.0005 * Double.random(in: 0...1, using: &random),
        back: 0.001 + 0.008 * late * late + (number % 17 == 0 ? 0.15 : 0))
    }
    #expect(worst < 0.000_6, "\(worst)")
  }

  /// The local clock counts from the start of the machine.
  @Test func aClockThatCountsFrom1970IsFollowed() {
    let worst = worst(skew: 100, offset: 1_795_000_000, seconds: 60, from: 5) { _ in
      Way(there: 0.0002, back: 0.0002)
    }
    #expect(worst < 0.000_15, "\(worst)")
  }

  @Test func whatNoClockSaysIsPassedOver() {
    var clock = ServerClock()
    for (there, back) in [(Int64.max, Int64.max), (.min, .min), (-5, -5), (Int64.max, 0), (6_000_000_000, 0)]
    {
      let isTaken = clock.note(there: there, back: back, arrived: 1_000_000_000)
      #expect(!isTaken)
    }
    #expect(clock.ours(5) == nil)
    clock.note(there: 100, back: 100, arrived: 1_000_000_000)
    #expect(clock.ours(1_000_000_000) == 1_000_000_000)
    _ = clock.ours(.max)
    _ = clock.ours(.min)
  }
}
