// The expected response of filters by independent formulas, and measurement of their actual response. Test
// threads.
import Foundation
import PlaybackModel

/// The formulas of the Audio EQ Cookbook, evaluated on the unit circle. Returns dB.
func cookbook(_ band: EqualizerBand, at frequency: Double, rate: Int) -> Double {
  let size = pow(10, band.gain / 40)
  let w = 2 * Double.pi * band.frequency / Double(rate)
  let alpha = sin(w) / (2 * band.quality)
  let c = cos(w)
  let root = 2 * sqrt(size) * alpha
  let (b, a): ([Double], [Double]) =
    switch band.shape {
    case .lowPass: ([(1 - c) / 2, 1 - c, (1 - c) / 2], [1 + alpha, -2 * c, 1 - alpha])
    case .highPass: ([(1 + c) / 2, -(1 + c), (1 + c) / 2], [1 + alpha, -2 * c, 1 - alpha])
    case .notch: ([1, -2 * c, 1], [1 + alpha, -2 * c, 1 - alpha])
    case .peak:
      ([1 + alpha * size, -2 * c, 1 - alpha * size], [1 + alpha / size, -2 * c, 1 - alpha / size])
    case .lowShelf:
      (
        [
          size * ((size + 1) - (size - 1) * c + root), 2 * size * ((size - 1) - (size + 1) * c),
          size * ((size + 1) - (size - 1) * c - root),
        ],
        [
          (size + 1) + (size - 1) * c + root, -2 * ((size - 1) + (size + 1) * c),
          (size + 1) + (size - 1) * c - root,
        ]
      )
    case .highShelf:
      (
        [
          size * ((size + 1) + (size - 1) * c + root), -2 * size * ((size - 1) + (size + 1) * c),
          size * ((size + 1) + (size - 1) * c - root),
        ],
        [
          (size + 1) - (size - 1) * c + root, 2 * ((size - 1) - (size + 1) * c),
          (size + 1) - (size - 1) * c - root,
        ]
      )
    }
  let turn = 2 * Double.pi * frequency / Double(rate)
  func power(_ parts: [Double]) -> Double {
    let real = parts[0] + parts[1] * cos(turn) + parts[2] * cos(2 * turn)
    let imaginary = parts[1] * sin(turn) + parts[2] * sin(2 * turn)
    return real * real + imaginary * imaginary
  }
  return 10 * log10(power(b) / power(a))
}

/// The level in dB of a sine through a filter with the given impulse response.
func level(_ impulse: [Double], at frequency: Double, rate: Int) -> Double {
  var real = 0.0
  var imaginary = 0.0
  for (i, value) in impulse.enumerated() where value != 0 {
    let turn = 2 * Double.pi * frequency * Double(i) / Double(rate)
    real += value * cos(turn)
    imaginary -= value * sin(turn)
  }
  return 10 * log10(real * real + imaginary * imaginary)
}
