// The CPU time limit of a worker over its life, enforced by the kernel. Pure; any thread.

/// Granted CPU time in seconds.
struct ProcessorAllowance: Equatable {
  /// Maximum in seconds: one year, so that sums fit into 32 bits.
  private static let maxCount = 365 * 86_400
  /// CPU time for opening, and again for each seek.
  private let step: Int
  private var granted: Int
  private var track = 0

  /// Creates the initial allowance for opening.
  init(seconds: Int) {
    step = seconds
    granted = seconds
  }

  /// Adds the time to decode a track to its end; six hours if its length is unknown. Returns the sum.
  mutating func addTrack(seconds: Int?) -> Int {
    track = min(seconds ?? 6 * 3600, Self.maxCount)
    granted = min(granted + track, Self.maxCount)
    return granted
  }

  /// Adds the time for a seek and for decoding to the end after it. Returns the sum.
  mutating func addSeek() -> Int {
    granted = min(granted + step + track, Self.maxCount)
    return granted
  }
}
