// libsoxr, one stream. Worker only, one thread.

import CSoxr

/// A rate converter for 1 or 2 interleaved channels. Its delay is compensated: output frame n lies at the
/// time of input frame n * source / engine.
final class Resampler {
  /// Which rates.
  let rescaling: Rescaling
  private let library: csoxr_functions
  private let soxr: soxr_t

  /// Creates a converter; fails only for want of memory.
  init(
    _ library: ResamplingLibrary, _ rescaling: Rescaling, channels: Int, quality: ResamplingQuality
  ) throws(WorkerFailure) {
    let library = library.functions
    var io = library.soxr_io_spec(SOXR_FLOAT32_I, SOXR_FLOAT32_I)
    var recipe = library.soxr_quality_spec(quality.recipe, 0)
    // One thread: the sandbox allows no other.
    var runtime = library.soxr_runtime_spec(1)
    var error: soxr_error_t?
    let soxr = library.soxr_create(
      Double(rescaling.source), Double(rescaling.engine), UInt32(channels), &error, &io, &recipe, &runtime)
    guard let soxr, error == nil else {
      throw WorkerFailure(
        .internalError,
        "The resampler for \(rescaling.source) to \(rescaling.engine) Hz cannot be made: "
          + "\(error.map { String(cString: $0) } ?? "out of memory").")
    }
    self.rescaling = rescaling
    self.library = library
    self.soxr = soxr
  }

  deinit { library.soxr_delete(soxr) }

  /// Converts frames.
  ///
  /// - Parameters:
  ///   - input: Interleaved frames at the source's rate; nil once the end was reached. Then the rest comes out, call by
  ///     call, until 0 frames are written.
  ///   - frames: How many frames `input` has.
  ///   - output: Gets interleaved frames at the engine's rate.
  ///   - capacity: How many frames `output` has room for.
  /// - Returns: Frames taken from `input`, and frames written.
  func process(
    _ input: UnsafePointer<Float>?, frames: Int, into output: UnsafeMutablePointer<Float>, capacity: Int
  ) throws(WorkerFailure) -> (taken: Int, written: Int) {
    var (taken, written) = (0, 0)
    if let error = library.soxr_process(soxr, input, frames, &taken, output, capacity, &written) {
      throw WorkerFailure(.internalError, "The resampler failed: \(String(cString: error)).")
    }
    return (taken, written)
  }

  /// Forgets what went in, as after creation.
  func clear() throws(WorkerFailure) {
    if let error = library.soxr_clear(soxr) {
      throw WorkerFailure(.internalError, "The resampler failed: \(String(cString: error)).")
    }
  }
}

extension ResamplingQuality {
  fileprivate var recipe: UInt {
    switch self {
    case .low: UInt(SOXR_LQ)
    case .medium: UInt(SOXR_MQ)
    case .high: UInt(SOXR_HQ)
    case .veryHigh: UInt(SOXR_VHQ)
    }
  }
}
