// How much processor time a worker may use in all: the kernel ends one that uses more. Pure; any thread.

/// Seconds of processor time, as they are granted.
struct ProcessorAllowance: Equatable {
  /// A year: no worker needs more, and its sums fit into 32 bits.
  private static let maxCount = 365 * 86_400
  /// What is granted for opening, and again for each seek.
  private let step: Int
  private var granted: Int
  private var track = 0

  /// What is granted from the start.
  init(seconds: Int) {
    step = seconds
    granted = seconds
  }

  /// Adds what a track needs that is played to its end; six hours where its length is not known. Returns the sum.
  mutating func addTrack(seconds: Int?) -> Int {
    track = min(seconds ?? 6 * 3600, Self.maxCount)
    granted = min(granted + track, Self.maxCount)
    return granted
  }

  /// Adds what a seek needs, and playing to the end after it. Returns the sum.
  mutating func addSeek() -> Int {
    granted = min(granted + step + track, Self.maxCount)
    return granted
  }
}
