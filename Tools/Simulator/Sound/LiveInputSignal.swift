// Signal of simulated live inputs: too quiet to change music by more than rounding, yet exact where there is no
// music. Pure functions; any thread.

/// Signal that simulated receivers write into their rings. Both channels are built like those of `Signal`, but far
/// below the rounding error of the faintest music: so music can be checked as if there were no live input, and a live
/// input wherever music is silent.
enum LiveInputSignal {
  /// Left channel at unity gain. A Float holds it exactly at any gain.
  static let level: Float = 0x1p-44
  /// Samples below this are not music: the faintest frame of a ramp is far louder, the loudest live input far
  /// fainter.
  static let ceiling: Float = 1e-9

  /// The mark source that distinguishes a receiver's frames from those of others.
  static func source(_ receiver: Int) -> Signal.Source { Signal.Source(decoder: 2_000_000 + receiver) }
}
