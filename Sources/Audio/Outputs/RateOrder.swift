// Order in which sample rates are tried on an output. Pure values; any thread.

import PlaybackModel

/// Candidate sample rates of an output.
package enum RateOrder {
  /// Rates in Hz that the engine supports.
  package static let possible = 8000...384_000

  /// Common rates of sound cards, in Hz.
  private static let usual = [
    8000, 11025, 12000, 16000, 22050, 24000, 32000, 44100, 48000, 64000, 88200, 96000, 128_000, 176_400,
    192_000, 352_800, 384_000,
  ]

  /// Candidates in order: the wanted rate, its multiples, other higher rates, lower rates; each group nearest first.
  ///
  /// Higher rates keep the full bandwidth, and multiples are cheap to resample to.
  package static func candidates(for wanted: SampleRate) -> [SampleRate] {
    let hertz = wanted.hertz
    let others = usual.filter { $0 != hertz }
    let multiples = others.filter { $0 > hertz && $0 % hertz == 0 }
    let above = others.filter { $0 > hertz && $0 % hertz != 0 }
    let below = others.filter { $0 < hertz }
    return ([hertz] + multiples + above + below.reversed()).map(SampleRate.init)
  }
}
