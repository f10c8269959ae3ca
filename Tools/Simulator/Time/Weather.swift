// Scheduling latency of simulated threads. A function of time, so that removing a script line does not change the
// latencies that follow. A pure value; any thread.

/// Load of the simulated host, as wake-up latencies derived from a seed and the time.
package struct Weather: Equatable, Sendable {
  /// Thread whose wake-up is delayed.
  package enum Thread: UInt64, Sendable {
    case audio = 1
    case control = 2
  }

  /// Seed of the latencies; nil is a host without any latency.
  package var seed: UInt64?

  /// Creates a weather.
  package init(seed: UInt64?) { self.seed = seed }

  /// Delay between the time at which a thread should run and the time at which it does: usually below 3 ms, rarely up
  /// to 30 ms.
  /// - Returns: Nanoseconds.
  func latency(of thread: Thread, at time: UInt64) -> UInt64 {
    guard let seed else { return 0 }
    let bits = Randomness.mixed(seed ^ thread.rawValue &<< 60 ^ (time >> 21) &* 0x9E37_79B9_7F4A_7C15)
    switch bits & 1023 {
    case 0: return 30_000_000
    case 1...4: return 8_000_000 + (bits >> 20) % 8_000_000
    case 5...511: return (bits >> 20) % 3_000_000
    default: return (bits >> 20) % 200_000
    }
  }
}
