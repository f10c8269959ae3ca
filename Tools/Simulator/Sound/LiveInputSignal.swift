// The sound of simulated live sources: so quiet that it is lost in the rounding of any music, and exact where there is none. Pure
// functions; any thread.

/// What simulated receivers write into their rings. Both channels as those of `Signal`, far below what rounding leaves of the faintest
/// music: music is judged as if there were no source, and a source wherever music stands still.
enum LiveInputSignal {
  /// The left channel at unity gain. A Float holds it at any gain.
  static let level: Float = 0x1p-44
  /// What is quieter is no music: the faintest frame of a ramp is louder by far, the loudest source fainter.
  static let ceiling: Float = 1e-9

  /// What tells the frames of one receiver from those of others.
  static func source(_ receiver: Int) -> Signal.Source { Signal.Source(decoder: 2_000_000 + receiver) }
}
