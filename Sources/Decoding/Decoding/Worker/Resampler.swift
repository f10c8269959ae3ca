// Sample rate conversion of a track with libsoxr. Worker process only, one thread.

import CSoxr

/// A rate converter for 1 or 2 interleaved channels. Its delay is compensated: output frame n has the time of
/// input frame n * source / engine.
final class Resampler {
  /// The rates of input and output.
  let rescaling: Rescaling
  private let library: csoxr_functions
  private let soxr: soxr_t

  /// Creates a converter.
  ///
  /// - Throws: `internalError` if memory is short.
  init(
    _ library: ResamplingLibrary, _ rescaling: Rescaling, channels: Int, quality: ResamplingQuality
  ) throws(WorkerFailure) {
    let library = library.functions
    var io = library.soxr_io_spec(SOXR_FLOAT32_I, SOXR_FLOAT32_I)
    var recipe = library.soxr_quality_spec(quality.recipe, 0)
    // The sandbox does not allow libsoxr to start threads.
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
  ///   - input: Interleaved frames at the source's rate; nil after the end. Then call until 0 frames are
  ///     written.
  ///   - frames: Number of frames in `input`.
  ///   - output: Receives interleaved frames at the engine's rate.
  ///   - capacity: Room in `output`, in frames.
  /// - Returns: Frames consumed from `input`, and frames written.
  func process(
    _ input: UnsafePointer<Float>?, frames: Int, into output: UnsafeMutablePointer<Float>, capacity: Int
  ) throws(WorkerFailure) -> (taken: Int, written: Int) {
    var (taken, written) = (0, 0)
    if let error = library.soxr_process(soxr, input, frames, &taken, output, capacity, &written) {
      throw WorkerFailure(.internalError, "The resampler failed: \(String(cString: error)).")
    }
    return (taken, written)
  }

  /// Resets the converter to its initial state.
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
