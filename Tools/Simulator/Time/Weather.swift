// How late threads are woken. A function of the time, so that a world with a line less has the same weather.
// A pure value; any thread.

/// The machine's load, as latencies that follow from a seed and the time.
package struct Weather: Equatable, Sendable {
  /// Whom the system is late to run.
  package enum Thread: UInt64, Sendable {
    case audio = 1
    case control = 2
  }

  /// What the latencies follow from; nil is a machine that is never late.
  package var seed: UInt64?

  /// A weather.
  package init(seed: UInt64?) { self.seed = seed }

  /// Nanoseconds from the time at which a thread should run to the time at which it does: up to 3 ms, now and then
  /// ten times as much.
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
