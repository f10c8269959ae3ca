// Instruments of the demo's music. Pure computation.

import Foundation

/// Instrument.
enum Voice {
  /// Electric piano: two-operator FM with a short tine.
  case keys
  /// Slow chords of detuned partials.
  case pad
  /// Bass with few overtones.
  case bass
  /// Plucked tongue with its inharmonic overtone.
  case kalimba
  /// Music box.
  case bell
  /// Soft flute with delayed vibrato.
  case flute
  case kick
  case brush
  case shaker

  /// Duration of the release phase in seconds.
  var release: Double {
    switch self {
    case .keys: 0.35
    case .pad: 1.4
    case .bass: 0.12
    case .kalimba, .bell: 1.6
    case .flute: 0.25
    case .kick, .brush, .shaker: 0.4
    }
  }

  /// Share of the signal that is sent to the reverberation.
  var wetness: Float {
    switch self {
    case .keys: 0.28
    case .pad: 0.35
    case .bass: 0.04
    case .kalimba: 0.4
    case .bell: 0.5
    case .flute: 0.45
    case .kick: 0.05
    case .brush: 0.25
    case .shaker: 0.15
    }
  }

  /// Computes a sample.
  /// - Parameters:
  ///   - t: Seconds since the note's start.
  ///   - length: Seconds until its release.
  ///   - hertz: Frequency in Hz.
  ///   - noise: White noise, -1 to 1.
  func sample(_ t: Double, length: Double, hertz: Double, noise: Double) -> Double {
    let turn = 2 * Double.pi
    let phase = turn * hertz * t
    switch self {
    case .keys:
      let tine = 0.18 * sin(phase * 7) * exp(-t * 11)
      let body = sin(phase + (2 * exp(-t * 2.6) + 0.3) * sin(phase))
      return (body * 0.8 + tine) * exp(-t * (0.7 + hertz / 900)) * edge(t, length, attack: 0.006)
    case .pad:
      var sum = 0.0
      for partial in 1...5 {
        let n = Double(partial)
        let level = 1 / pow(n, 1.5) * (1 + 0.35 * sin(turn * 0.13 * n * t + n))
        sum += level * (sin(phase * n * 1.0019) + sin(phase * n * 0.9981 + n)) * 0.5
      }
      return sum * 0.55 * edge(t, length, attack: 0.7)
    case .bass:
      let tone = sin(phase) + 0.35 * sin(2 * phase) * exp(-t * 3) + 0.1 * sin(3 * phase) * exp(-t * 6)
      return tone * 0.8 * exp(-t * 0.7) * edge(t, length, attack: 0.012)
    case .kalimba:
      let tone = sin(phase) * exp(-t * 3.2) + 0.3 * sin(phase * 5.42) * exp(-t * 16)
      return (tone + 0.12 * sin(2 * phase) * exp(-t * 5)) * attack(t, 0.003)
    case .bell:
      let tone = sin(phase + 1.1 * exp(-t * 4) * sin(phase * 3.501))
      return (tone + 0.3 * sin(phase * 2.004) * exp(-t * 2)) * 0.7 * exp(-t * 2.1) * attack(t, 0.002)
    case .flute:
      let depth = 0.012 * min(1, max(0, (t - 0.35) * 3))
      let bent = phase + depth * hertz / 5.2 * sin(turn * 5.2 * t)
      let tone = sin(bent) + 0.3 * sin(2 * bent) + 0.12 * sin(3 * bent)
      return (tone + noise * 0.03) * 0.7 * edge(t, length, attack: 0.07)
    case .kick:
      let sweep = 46 * t + (1 - exp(-t * 34)) * 2.1
      return sin(turn * sweep) * exp(-t * 11) * attack(t, 0.003)
    case .brush: return noise * (exp(-t * 17) + 0.25 * exp(-t * 7)) * 0.5 * attack(t, 0.006)
    case .shaker: return noise * exp(-pow((t - 0.03) * 38, 2)) * 0.5
    }
  }

  /// Attack envelope: rises to 1 within `time` seconds, smoothly.
  private func attack(_ t: Double, _ time: Double) -> Double {
    t >= time ? 1 : 0.5 - 0.5 * cos(Double.pi * t / time)
  }

  /// Attack and release envelope.
  private func edge(_ t: Double, _ length: Double, attack time: Double) -> Double {
    let rest = max(0, t - length) / release
    return attack(t, time) * (rest >= 1 ? 0 : 0.5 + 0.5 * cos(Double.pi * rest))
  }
}
