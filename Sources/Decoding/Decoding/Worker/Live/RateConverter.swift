// Sample rate conversion for live sources, with a rate that can be corrected continuously. Worker process
// only, one thread.

/// Converts stereo frames. Class-bound for Embedded Swift.
protocol RateConverter: AnyObject {
  /// Resets the converter for new audio.
  func restart() throws(WorkerFailure)
  /// Sets the rate correction. Positive values consume the source faster.
  ///
  /// - Parameter partsPerMillion: The correction in ppm of the source's rate.
  func correct(by partsPerMillion: Double) throws(WorkerFailure)
  /// Converts interleaved stereo frames. Returns the frames consumed from `input`, and those written.
  func process(
    _ input: UnsafePointer<Float>, frames: Int, into output: UnsafeMutablePointer<Float>, capacity: Int
  ) throws(WorkerFailure) -> (taken: Int, written: Int)
}
