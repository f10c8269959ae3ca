// At which rates an output is tried: the one place that says so. Pure values; any thread.

import PlaybackModel

/// The order of the rates at which an output is asked for.
package enum RateOrder {
  /// What engines can run at.
  package static let possible = 8000...384_000

  /// Rates that cards have.
  private static let usual = [
    8000, 11025, 12000, 16000, 22050, 24000, 32000, 44100, 48000, 64000, 88200, 96000, 128_000, 176_400,
    192_000, 352_800, 384_000,
  ]

  /// The wanted rate, its multiples, the others above it, those below it, each the nearest first: what lies above keeps
  /// all of the sound, and a multiple is cheap to come to.
  package static func candidates(for wanted: SampleRate) -> [SampleRate] {
    let hertz = wanted.hertz
    let others = usual.filter { $0 != hertz }
    let multiples = others.filter { $0 > hertz && $0 % hertz == 0 }
    let above = others.filter { $0 > hertz && $0 % hertz != 0 }
    let below = others.filter { $0 < hertz }
    return ([hertz] + multiples + above + below.reversed()).map(SampleRate.init)
  }
}
