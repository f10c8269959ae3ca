// What turns a live source's frames into the engine's, at a rate that changes a little all the time. Worker only, one thread.

/// Converts stereo frames. Class-bound, for Embedded Swift.
protocol RateConverter: AnyObject {
  /// Forgets what went in: another sound begins.
  func restart() throws(WorkerFailure)
  /// Takes the source for so many millionths faster than its rate says, from now on.
  func correct(by partsPerMillion: Double) throws(WorkerFailure)
  /// Converts interleaved stereo frames: those taken from `input`, and those written.
  func process(
    _ input: UnsafePointer<Float>, frames: Int, into output: UnsafeMutablePointer<Float>, capacity: Int
  ) throws(WorkerFailure) -> (taken: Int, written: Int)
}
