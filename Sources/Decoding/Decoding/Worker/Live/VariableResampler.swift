// libsoxr with a rate that can be corrected while it runs. Worker process only, one thread.

import CSoxr

/// A converter for stereo frames whose ratio changes smoothly.
final class VariableResampler: RateConverter {
  /// A correction takes effect over one second divided by this.
  static let turn = 10

  private let library: csoxr_functions
  private let ratio: Double
  private let slew: Int
  private var soxr: soxr_t?
  private var correction = 0.0

  /// Creates a converter from a source's rate to the engine's.
  ///
  /// - Throws: `internalError` if memory is short.
  init(_ library: ResamplingLibrary, from source: Int, to engine: Int) throws(WorkerFailure) {
    self.library = library.functions
    ratio = Double(source) / Double(engine)
    slew = engine / Self.turn
    try restart()
  }

  deinit { if let soxr { library.soxr_delete(soxr) } }

  func restart() throws(WorkerFailure) {
    if let soxr { library.soxr_delete(soxr) }
    soxr = nil
    var io = library.soxr_io_spec(SOXR_FLOAT32_I, SOXR_FLOAT32_I)
    var recipe = library.soxr_quality_spec(UInt(SOXR_HQ), UInt(SOXR_VR))
    // The sandbox does not allow libsoxr to start threads.
    var runtime = library.soxr_runtime_spec(1)
    var error: soxr_error_t?
    // A variable-rate converter is created with its maximum ratio.
    let made = library.soxr_create(ratio * 1.01, 1, 2, &error, &io, &recipe, &runtime)
    guard let made, error == nil else {
      throw WorkerFailure(
        .internalError,
        "The resampler cannot be made: \(error.map { String(cString: $0) } ?? "out of memory").")
    }
    soxr = made
    try set(over: 0)
  }

  func correct(by partsPerMillion: Double) throws(WorkerFailure) {
    correction = partsPerMillion
    try set(over: slew)
  }

  private func set(over frames: Int) throws(WorkerFailure) {
    try check(library.soxr_set_io_ratio(soxr, ratio * (1 + correction / 1e6), frames))
  }

  func process(
    _ input: UnsafePointer<Float>, frames: Int, into output: UnsafeMutablePointer<Float>, capacity: Int
  ) throws(WorkerFailure) -> (taken: Int, written: Int) {
    var (taken, written) = (0, 0)
    try check(library.soxr_process(soxr, input, frames, &taken, output, capacity, &written))
    return (taken, written)
  }

  private func check(_ error: soxr_error_t?) throws(WorkerFailure) {
    guard let error else { return }
    throw WorkerFailure(.internalError, "The resampler failed: \(String(cString: error)).")
  }
}
